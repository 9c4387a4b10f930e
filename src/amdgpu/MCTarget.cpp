// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/MCTarget.h"
#include "amdgpu/OpcodeMap.h"
#include "amdgpu/RegisterFiles.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetOptions.h"
#include <mutex>

// The target's own entry points; LLVM's Support/TargetSelect.h would reach for
// every target the distribution built.
extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmPrinter();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUDisassembler();
}

using namespace llvm;

namespace luthier::amdgpu {

static void initializeTarget() {
  static const bool Done = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUDisassembler();
    return true;
  }();
  (void)Done;
}

MCTarget::~MCTarget() = default;

Expected<const MCTarget &> MCTarget::get(StringRef Processor,
                                         StringRef Features) {
  static std::mutex Mutex;
  // Never destroyed: threads of the application may outlive our exit handlers.
  static auto &Targets = *new StringMap<std::unique_ptr<MCTarget>>;
  std::lock_guard Lock(Mutex);
  auto &Slot = Targets[(Processor + ":" + Features).str()];
  if (Slot)
    return *Slot;

  const TargetTraits *Traits = targetTraits(Processor);
  if (!Traits)
    return createStringError("there is no table for processor '" + Processor +
                             "'");
  initializeTarget();
  std::unique_ptr<MCTarget> T(new MCTarget);
  T->Traits = Traits;
  T->TheTriple = Triple("amdgcn-amd-amdhsa");
  T->Processor = Processor.str();
  T->Features = Features.str();
  std::string Message;
  T->TheTarget = TargetRegistry::lookupTarget(T->TheTriple, Message);
  if (!T->TheTarget)
    return createStringError(Message);
  T->MRI.reset(T->TheTarget->createMCRegInfo(T->TheTriple));
  T->MAI.reset(
      T->TheTarget->createMCAsmInfo(*T->MRI, T->TheTriple, T->Options));
  T->MCII.reset(T->TheTarget->createMCInstrInfo());
  T->STI.reset(
      T->TheTarget->createMCSubtargetInfo(T->TheTriple, Processor, Features));
  if (!T->STI || !T->STI->isCPUStringValid(Processor))
    return createStringError("LLVM does not know processor '" + Processor +
                             "'");
  T->Opcodes = std::make_unique<OpcodeMap>(*T->MCII, *T->MRI, *T->STI);
  T->Files = &RegisterFiles::of(*T->MRI);
  Slot = std::move(T);
  return *Slot;
}

TargetMachineHandle MCTarget::createTargetMachine() const {
  {
    std::lock_guard Lock(SpareMutex);
    if (!Spare.empty()) {
      TargetMachineHandle Found(Spare.back().release(), {this});
      Spare.pop_back();
      return Found;
    }
  }
  return TargetMachineHandle(makeMachine().release(), {this});
}

std::unique_ptr<TargetMachine> MCTarget::makeMachine() const {
  return std::unique_ptr<TargetMachine>(TheTarget->createTargetMachine(
      TheTriple, Processor, Features, TargetOptions(), Reloc::PIC_,
      std::nullopt, CodeGenOptLevel::Default));
}

const TargetMachine &MCTarget::describingMachine() const {
  std::lock_guard Lock(DescribingMutex);
  if (!Describing)
    Describing = makeMachine();
  return *Describing;
}

MachineFunction &MCTarget::createFunction(MachineModuleInfo &MMI,
                                          Function &F) const {
  std::lock_guard Lock(DescribingMutex);
  return MMI.getOrCreateMachineFunction(F);
}

void KeepTargetMachine::operator()(TargetMachine *TM) const {
  std::lock_guard Lock(Target->SpareMutex);
  Target->Spare.emplace_back(TM);
}

} // namespace luthier::amdgpu
