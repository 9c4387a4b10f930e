// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/Lifter.h"
#include "lift/Decoder.h"
#include "lift/FunctionLifter.h"
#include "lift/LiftedImpl.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Format.h"

using namespace llvm;

namespace luthier {

LiftedRepresentation::LiftedRepresentation(std::unique_ptr<Impl> P)
    : P(std::move(P)) {}
LiftedRepresentation::~LiftedRepresentation() = default;

LiftedRepresentation::FunctionList &LiftedRepresentation::functions() {
  return P->Functions;
}
const LiftedRepresentation::FunctionList &
LiftedRepresentation::functions() const {
  return P->Functions;
}
LLVMContext &LiftedRepresentation::getContext() { return P->Context; }
Module &LiftedRepresentation::module() { return *P->M; }
const TargetMachine &LiftedRepresentation::targetMachine() const {
  return *P->TM;
}
std::optional<uint64_t>
LiftedRepresentation::originalAddress(const MachineInstr &MI) const {
  auto It = P->Addresses.find(&MI);
  if (It == P->Addresses.end())
    return std::nullopt;
  return It->second;
}
ArrayRef<PCRelativeReference>
LiftedRepresentation::pcRelativeReferences() const {
  return P->References;
}

ArrayRef<ControlTransfer> LiftedRepresentation::controlTransfers() const {
  return P->Transfers;
}
const ControlTransfer *
LiftedRepresentation::transferOf(const MachineInstr &MI) const {
  auto It = P->TransferOf.find(&MI);
  return It == P->TransferOf.end() ? nullptr : &P->Transfers[It->second];
}
bool LiftedRepresentation::hasUnresolvedTransfers() const {
  return any_of(P->Transfers,
                [](const ControlTransfer &T) { return T.isUnresolved(); });
}

/// An IR function for the machine function to hang on. Attributes must be there
/// before the machine function is made: it derives its register set-up once.
static Function &createKernelFunction(const KernelInfo &Kernel,
                                      LiftedRepresentation::Impl &Impl) {
  Function *F =
      Function::Create(FunctionType::get(Type::getVoidTy(Impl.Context), false),
                       GlobalValue::ExternalLinkage, Kernel.Name, *Impl.M);
  F->setCallingConv(CallingConv::AMDGPU_KERNEL);
  F->addFnAttr("target-cpu", Impl.TM->getTargetCPU());
  F->addFnAttr("target-features", Impl.TM->getTargetFeatureString());
  F->addFnAttr("amdgpu-flat-work-group-size",
               "1," + std::to_string(Kernel.Metadata.MaxFlatWorkgroupSize));
  new UnreachableInst(Impl.Context, BasicBlock::Create(Impl.Context, "", F));
  return *F;
}

Expected<std::unique_ptr<LiftedRepresentation>>
liftKernel(std::shared_ptr<const CodeObject> Object, const KernelInfo &Kernel) {
  const TargetID &ID = Object->target();
  if (!registerFileTraits(ID.Processor))
    return refuse(RefusalReason::UnsupportedTarget, ID.str());
  Expected<const amdgpu::MCTarget &> Target =
      amdgpu::MCTarget::get(ID.Processor, ID.featureString());
  if (!Target) {
    std::string Message = toString(Target.takeError());
    return refuse(RefusalReason::UnsupportedTarget, Message);
  }
  Expected<ArrayRef<uint8_t>> Code =
      Object->contents(Kernel.EntryAddress, Kernel.CodeSize);
  if (!Code) {
    std::string Message = toString(Code.takeError());
    return refuse(RefusalReason::MalformedCodeObject, Message);
  }
  Expected<std::vector<DecodedInstruction>> Decoded =
      decode(*Target, *Code, Kernel.EntryAddress);
  if (!Decoded)
    return Decoded.takeError();

  auto Impl = std::make_unique<LiftedRepresentation::Impl>();
  Impl->Object = std::move(Object);
  Impl->Kernel = &Kernel;
  Impl->Target = &*Target;
  Impl->TM = Target->createTargetMachine();
  Impl->M = std::make_unique<Module>("lifted", Impl->Context);
  Impl->M->setTargetTriple(Target->triple());
  Impl->M->setDataLayout(Impl->TM->createDataLayout());
  Impl->M->addModuleFlag(Module::Error, "amdhsa_code_object_version",
                         Impl->Object->version() * 100);
  Impl->MMI = std::make_unique<MachineModuleInfo>(Impl->TM.get());
  MachineFunction &MF = Impl->MMI->getOrCreateMachineFunction(
      createKernelFunction(Kernel, *Impl));
  if (Error E = liftFunction(*Decoded, MF, *Impl))
    return E;
  Impl->Functions.push_back({{Kernel.Name, Kernel.EntryAddress, true}, &MF});
  return std::make_unique<LiftedRepresentation>(std::move(Impl));
}

Expected<std::unique_ptr<LiftedRepresentation>>
cloneLifted(const LiftedRepresentation &LR) {
  // Lifting again takes less time than copying machine functions would, and
  // cannot miss anything.
  return liftKernel(LR.impl().Object, *LR.impl().Kernel);
}

void printLifted(const LiftedRepresentation &LR, raw_ostream &OS) {
  for (const auto &[Symbol, MF] : LR.functions()) {
    OS << "# " << (Symbol.IsKernel ? "kernel " : "function ") << Symbol.Name
       << " for " << LR.impl().Object->target().str() << '\n';
    for (const MachineBasicBlock &MBB : *MF) {
      OS << "bb." << MBB.getNumber() << ":";
      ListSeparator Comma(", ");
      OS << (MBB.succ_empty() ? "" : "  # successors: ");
      for (const MachineBasicBlock *Successor : MBB.successors())
        OS << Comma << "bb." << Successor->getNumber();
      OS << '\n';
      for (const MachineInstr &MI : MBB) {
        OS << format_hex_no_prefix(LR.originalAddress(MI).value_or(0), 8)
           << "  ";
        MI.print(OS, /*IsStandalone=*/false);
      }
    }
  }
}

} // namespace luthier
