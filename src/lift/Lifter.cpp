// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/Lifter.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "lift/AddressTaken.h"
#include "lift/CodeTracer.h"
#include "lift/FunctionLifter.h"
#include "lift/LiftedImpl.h"
#include "lift/RelocatedCode.h"
#include "lift/TransferResolver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Format.h"
#include <map>
#include <set>

using namespace llvm;

namespace luthier {

namespace {

constexpr uint64_t MostInstructions = 1 << 18;

/// Hardware that loads arguments into registers begins behind the code that
/// would do it (AMDGPUUsage, "Preloaded Kernel Arguments").
uint64_t entryOf(const KernelInfo &Kernel, const amdgpu::MCTarget &Target) {
  constexpr uint64_t SecondEntry = 256;
  const bool Preloads =
      Kernel.Descriptor.preloadedDwords() &&
      Target.subtarget().hasFeature(AMDGPU::FeatureKernargPreload);
  return Kernel.EntryAddress + (Preloads ? SecondEntry : 0);
}

class KernelLifter {
public:
  KernelLifter(std::shared_ptr<const CodeObject> Object,
               const KernelInfo &Kernel, const amdgpu::MCTarget &Target)
      : Object(std::move(Object)), Kernel(Kernel), Target(Target),
        Entry(entryOf(Kernel, Target)) {}

  Expected<std::unique_ptr<LiftedRepresentation>> run();

private:
  void begin();
  Error lift(uint64_t Address);
  Error liftAll();
  Error liftReached();
  void choosePointers(const TransferResolver &Resolver);
  using Callees = std::map<uint64_t, uint64_t>;
  Callees calleesOf(const TransferResolver &Resolver);
  Error leaveOut(Error E);
  Function &createFunction(const LiftedSymbol &Symbol);
  LiftedSymbol symbolAt(uint64_t Address, CodeExtent &Extent) const;
  bool isFunction(uint64_t Address) const;
  bool findJumps(const TransferResolver &Resolver);
  void settle(const TransferResolver &Resolver);

  std::shared_ptr<const CodeObject> Object;
  const KernelInfo &Kernel;
  const amdgpu::MCTarget &Target;
  const uint64_t Entry; ///< Of waves.
  const RelocatedCode Relocated{*Object};
  std::unique_ptr<LiftedRepresentation::Impl> Impl;
  std::map<uint64_t, MachineFunction *> Lifted; ///< By entry.
  TransferResolver::OfFunctions Resolved;
  uint64_t Instructions = 0; ///< Of all functions.
  /// What earlier attempts found out, by function. Grows only.
  std::map<uint64_t, KnownJumps> Jumps;
  /// Functions to lift where control goes through pointers. Not looked for
  /// before that is the case.
  std::optional<std::vector<uint64_t>> AddressTaken;
  UnfollowedPointers Unfollowed = UnfollowedPointers::None;
  /// By function, why it is lifted: the kernel's entry, or the function behind
  /// a pointer that leads there.
  std::map<uint64_t, uint64_t> RootOf;
  uint64_t LastRoot = 0; ///< Of the function that was lifted last.
  std::string LeftOut;   ///< Functions, and why.
};

} // namespace

void KernelLifter::begin() {
  Lifted.clear();
  Resolved.clear();
  RootOf = {{Entry, Entry}};
  LastRoot = Entry;
  Instructions = 0;
  Impl = std::make_unique<LiftedRepresentation::Impl>();
  Impl->Object = Object;
  Impl->Kernel = &Kernel;
  Impl->Entry = Entry;
  Impl->Target = &Target;
  Impl->TM = &Target.describingMachine();
  Impl->M = std::make_unique<Module>("lifted", Impl->Context);
  Impl->M->setTargetTriple(Target.triple());
  Impl->M->setDataLayout(Impl->TM->createDataLayout());
  Impl->M->addModuleFlag(Module::Error, "amdhsa_code_object_version",
                         Object->version() * 100);
  Impl->MMI = std::make_unique<MachineModuleInfo>(Impl->TM);
}

/// An IR function for the machine function to hang on. Attributes must be there
/// before the machine function is made: it derives its register set-up once.
Function &KernelLifter::createFunction(const LiftedSymbol &Symbol) {
  Function *F =
      Function::Create(FunctionType::get(Type::getVoidTy(Impl->Context), false),
                       GlobalValue::ExternalLinkage, Symbol.Name, *Impl->M);
  F->setCallingConv(Symbol.IsKernel ? CallingConv::AMDGPU_KERNEL
                                    : CallingConv::C);
  F->addFnAttr("target-cpu", Impl->TM->getTargetCPU());
  F->addFnAttr("target-features", Impl->TM->getTargetFeatureString());
  F->addFnAttr("amdgpu-flat-work-group-size",
               "1," + std::to_string(Kernel.Metadata.MaxFlatWorkgroupSize));
  new UnreachableInst(Impl->Context, BasicBlock::Create(Impl->Context, "", F));
  return *F;
}

/// Code without a symbol extends as far as control reaches.
LiftedSymbol KernelLifter::symbolAt(uint64_t Address,
                                    CodeExtent &Extent) const {
  Extent = {Address, Address, Address};
  if (Address == Entry) {
    Extent.End = Entry + Impl->codeSize();
    return {Kernel.Name, Address, true};
  }
  if (const FunctionInfo *F = Object->findFunction(Address)) {
    Extent.End = Address + F->Size;
    return {F->Name, Address, false};
  }
  return {"function_" + utohexstr(Address, /*LowerCase=*/true), Address, false};
}

Error KernelLifter::lift(uint64_t Address) {
  CodeExtent Extent;
  const LiftedSymbol Symbol = symbolAt(Address, Extent);
  Expected<std::vector<DecodedInstruction>> Code =
      traceCode(*Object, Target, Extent, Jumps[Address]);
  if (!Code)
    return Code.takeError();
  if (Error E = Relocated.check(*Code))
    return E;
  // Functions share code at most here and there, unless somebody means harm.
  Instructions += Code->size();
  if (Instructions > MostInstructions && Instructions > Object->bytes().size())
    return refuse(RefusalReason::CallsFunctions,
                  "functions overlap each other too much");
  MachineFunction &MF =
      Target.createFunction(*Impl->MMI, createFunction(Symbol));
  if (Error E = liftFunction(*Code, Address, Jumps[Address], MF, *Impl))
    return E;
  MF.setDelegate(Impl.get());
  Impl->Functions.push_back({Symbol, &MF});
  Lifted[Address] = &MF;
  return Error::success();
}

bool KernelLifter::isFunction(uint64_t Address) const {
  return Lifted.contains(Address) || Object->findFunction(Address) ||
         Object->isKernelEntry(Address);
}

/// Jumps through registers that stay in their function, such as branches that
/// are too far for s_branch. True if there are new ones.
bool KernelLifter::findJumps(const TransferResolver &Resolver) {
  bool Found = false;
  DenseMap<const MachineFunction *, uint64_t> Entries;
  for (const auto &[Symbol, MF] : Impl->Functions)
    Entries[MF] = Symbol.Address;
  for (const ControlTransfer &T : Impl->Transfers) {
    if (T.MI->isCall() || T.Target)
      continue;
    std::optional<uint64_t> Target = Resolver.targetOf(T);
    if (Target && (!isFunction(*Target) || *Target == Entry ||
                   *Target == Kernel.EntryAddress))
      Found |=
          Jumps[Entries.at(T.MI->getMF())].insert({T.Address, *Target}).second;
  }
  return Found;
}

/// Which functions pointers may lead to, once there are such calls.
void KernelLifter::choosePointers(const TransferResolver &Resolver) {
  if (AddressTaken || Unfollowed != UnfollowedPointers::None ||
      none_of(Impl->Transfers, [&](const ControlTransfer &T) {
        return Resolver.goesThroughPointer(T);
      }))
    return;
  AddressTaken = addressTakenFunctions(*Object, Target);
  if (AddressTaken->empty())
    Unfollowed = UnfollowedPointers::NoFunction;
  else if (AddressTaken->size() > MostAddressTaken)
    Unfollowed = UnfollowedPointers::TooMany;
  if (Unfollowed != UnfollowedPointers::None)
    AddressTaken.reset();
}

/// By address, with their roots; what the kernel reaches by name has it as
/// root.
KernelLifter::Callees
KernelLifter::calleesOf(const TransferResolver &Resolver) {
  Callees Result;
  DenseMap<const MachineFunction *, uint64_t> Caller;
  for (const auto &[Symbol, MF] : Impl->Functions)
    Caller[MF] = RootOf.at(Symbol.Address);
  for (const ControlTransfer &T : Impl->Transfers)
    if (auto Callee = Resolver.targetOf(T); Callee && !T.Target) {
      const uint64_t Root = Caller.at(T.MI->getMF());
      auto [It, IsNew] = Result.insert({*Callee, Root});
      if (Root == Entry)
        It->second = Entry;
    }
  choosePointers(Resolver);
  if (AddressTaken)
    for (uint64_t Address : *AddressTaken)
      Result.insert({Address, Address});
  return Result;
}

/// Lifts what calls and tail calls reach, and what that reaches.
Error KernelLifter::liftReached() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    TransferResolver Resolver(*Impl, AddressTaken.has_value(), Resolved);
    Resolver.run();
    if (findJumps(Resolver)) {
      // Blocks change, so everything is lifted anew.
      begin();
      if (Error E = lift(Entry))
        return E;
      Changed = true;
      continue;
    }
    const bool Followed = AddressTaken.has_value();
    const Callees Found = calleesOf(Resolver);
    // Where calls may go decides where functions return to.
    Changed = AddressTaken.has_value() != Followed;
    for (const auto &[Callee, Root] : Found)
      if (!Lifted.contains(Callee)) {
        RootOf[Callee] = LastRoot = Root;
        if (Error E = lift(Callee))
          return E;
        Changed = true;
      }
    if (!Changed)
      settle(Resolver);
  }
  return Error::success();
}

void KernelLifter::settle(const TransferResolver &Resolver) {
  for (ControlTransfer &T : Impl->Transfers) {
    std::optional<uint64_t> Target = Resolver.targetOf(T);
    if (T.Target) {
      // Otherwise the block is still one of the places it may go to.
      if (Target == Impl->Origins.lookup(&T.Target->front()).Address)
        T.Kind = ControlTransfer::Jump;
    } else if (Target) {
      T.Callee = Lifted.at(*Target);
      T.Kind =
          T.MI->isCall() ? ControlTransfer::Call : ControlTransfer::TailCall;
    } else if (Resolver.isReturn(T)) {
      T.Kind = ControlTransfer::Return;
    } else {
      T.FollowsPointer = AddressTaken && Resolver.goesThroughPointer(T);
    }
  }
  for (auto &[Symbol, MF] : Impl->Functions)
    Symbol.IsAddressTaken =
        AddressTaken && is_contained(*AddressTaken, Symbol.Address);
  Impl->Unfollowed = Unfollowed;
  Impl->LeftOut = LeftOut;
}

Error KernelLifter::liftAll() {
  begin();
  if (Error E = lift(Entry))
    return E;
  return Impl->Transfers.empty() ? Error::success() : liftReached();
}

/// The kernel need not ever call what was in the way: \p E, which is kept for
/// people. Success if it may be possible without.
Error KernelLifter::leaveOut(Error E) {
  if (!AddressTaken)
    return E;
  CodeExtent Extent;
  LeftOut += (LeftOut.empty() ? "" : "; ") + symbolAt(LastRoot, Extent).Name +
             ": " + toString(std::move(E));
  llvm::erase(*AddressTaken, LastRoot);
  if (LastRoot == Entry || AddressTaken->empty()) {
    AddressTaken.reset();
    Unfollowed = UnfollowedPointers::NotLifted;
  }
  return Error::success();
}

Expected<std::unique_ptr<LiftedRepresentation>> KernelLifter::run() {
  while (Error E = liftAll())
    if (Error Final = leaveOut(std::move(E)))
      return std::move(Final);
  auto Result = std::make_unique<LiftedRepresentation>(std::move(Impl));
  Result->impl().AsLifted = digestOf(*Result);
  return Result;
}

/// Processors with two wave sizes have the kernel's in its descriptor. Where
/// short encodings name halves of v0 to v127 (v70.h), it is by numbers that
/// LLVM, unless told, takes for the registers from v128 on.
static std::string featuresOf(const KernelInfo &Kernel, const TargetID &ID) {
  std::string Features = ID.featureString();
  const TargetTraits &Traits = *targetTraits(ID.Processor);
  if (!Traits.Registers.hasTwoWaveSizes())
    return Features;
  Features += Features.empty() ? "" : ",";
  if (Traits.Instructions.HasTrue16)
    Features += "+real-true16,";
  return Features + (Kernel.Descriptor.usesWave32() ? "+wavefrontsize32"
                                                    : "+wavefrontsize64");
}

Expected<std::unique_ptr<LiftedRepresentation>>
liftKernel(std::shared_ptr<const CodeObject> Object, const KernelInfo &Kernel) {
  const TargetID &ID = Object->target();
  if (!targetTraits(ID.Processor))
    return refuse(RefusalReason::UnsupportedTarget, ID.str());
  Expected<const amdgpu::MCTarget &> Target =
      amdgpu::MCTarget::get(ID.Processor, featuresOf(Kernel, ID));
  if (!Target) {
    std::string Message = toString(Target.takeError());
    return refuse(RefusalReason::UnsupportedTarget, Message);
  }
  return KernelLifter(std::move(Object), Kernel, *Target).run();
}

/// Where a call or jump through a register goes, as a comment.
static void printTransfer(const LiftedRepresentation &LR,
                          const MachineInstr &MI, raw_ostream &OS) {
  const ControlTransfer *T = LR.transferOf(MI);
  if (!T)
    return;
  switch (T->Kind) {
  case ControlTransfer::Call:
    OS << "  # calls " << T->Callee->getName();
    break;
  case ControlTransfer::TailCall:
    OS << "  # goes to " << T->Callee->getName();
    break;
  case ControlTransfer::Return:
    OS << "  # returns";
    break;
  case ControlTransfer::Jump:
    OS << "  # goes to bb." << T->Target->getNumber();
    break;
  case ControlTransfer::UnresolvedCall:
    OS << (T->FollowsPointer ? "  # calls a function whose address is taken"
                             : "  # calls an unknown function");
    break;
  case ControlTransfer::UnresolvedJump:
    OS << (T->FollowsPointer ? "  # goes to a function whose address is taken"
                             : "  # goes to an unknown place");
    break;
  }
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
        MI.print(OS, /*IsStandalone=*/false, /*SkipOpers=*/false,
                 /*SkipDebugLoc=*/false, /*AddNewLine=*/false);
        printTransfer(LR, MI, OS);
        OS << '\n';
      }
    }
  }
}

} // namespace luthier
