// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "WaveOperands.h"
#include "luthier/detail/ScalarAnalysis.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace luthier {
namespace {

/// Part of a parameter that clang hands over in memory.
bool isParameter(const LoadInst &Load) {
  auto *A = dyn_cast<Argument>(getUnderlyingObject(Load.getPointerOperand()));
  return A && A->hasPointeeInMemoryValueAttr();
}

bool isManagedAddress(const LoadInst &Load) {
  return Load.getType()->isPointerTy() &&
         isa<GlobalVariable>(Load.getPointerOperand()) &&
         Load.hasMetadata(LLVMContext::MD_invariant_load);
}

/// Of the kernel, by a scalar load.
bool isImplicitArgument(const LoadInst &Load) {
  APInt Offset(64, 0);
  auto *Pointer = dyn_cast<CallInst>(
      Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
          Load.getDataLayout(), Offset, /*AllowNonInbounds=*/true));
  return Pointer &&
         Pointer->getIntrinsicID() == Intrinsic::amdgcn_implicitarg_ptr &&
         Load.getPointerAddressSpace() == AMDGPUAS::CONSTANT_ADDRESS &&
         isLoadOfDwords(Load);
}

bool isScalarIntrinsicOfTarget(Intrinsic::ID ID) {
  switch (ID) {
  case Intrinsic::amdgcn_ballot:
  case Intrinsic::amdgcn_icmp:
  case Intrinsic::amdgcn_fcmp:
  case Intrinsic::amdgcn_s_getreg:
  case Intrinsic::amdgcn_s_getpc:
  case Intrinsic::amdgcn_s_memtime:
  case Intrinsic::amdgcn_s_memrealtime:
  case Intrinsic::amdgcn_s_sendmsg_rtn:
  case Intrinsic::readcyclecounter:
  case Intrinsic::readsteadycounter:
  case Intrinsic::read_register: // Of EXEC; all others are refused.
  case Intrinsic::amdgcn_wavefrontsize:
  case Intrinsic::amdgcn_workgroup_id_x:
  case Intrinsic::amdgcn_workgroup_id_y:
  case Intrinsic::amdgcn_workgroup_id_z:
  case Intrinsic::amdgcn_dispatch_id:
  case Intrinsic::amdgcn_dispatch_ptr:
  case Intrinsic::amdgcn_queue_ptr:
  case Intrinsic::amdgcn_kernarg_segment_ptr:
  case Intrinsic::amdgcn_implicitarg_ptr:
    return true;
  default:
    return false;
  }
}

ScalarAnalysis::LeafRule hookLeaves(const MCRegisterInfo &MRI) {
  return [&MRI](const Value &V) -> std::optional<bool> {
    if (isa<Argument>(V))
      return true;
    if (auto *Load = dyn_cast<LoadInst>(&V))
      return isParameter(*Load) || isManagedAddress(*Load) ||
             isImplicitArgument(*Load);
    auto *Call = dyn_cast<CallInst>(&V);
    if (!Call)
      return std::nullopt;
    if (!calledIntrinsic(*Call).empty())
      return yieldsScalar(*Call, MRI);
    if (isScalarIntrinsicOfTarget(Call->getIntrinsicID()))
      return true;
    return std::nullopt;
  };
}

/// What of \p I has to be scalar, and what it is called.
std::pair<const Value *, std::string> waveOperand(const Instruction &I,
                                                  const MCRegisterInfo &MRI) {
  auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return {};
  if (isa<CallBrInst>(I))
    return {Call->getArgOperand(0), "the mask of luthier::writeExec"};
  const Intrinsic::ID ID = Call->getIntrinsicID();
  if (std::optional<unsigned> Number = scalarOperandOf(ID))
    return {Call->getArgOperand(*Number),
            ("the operand of " + Intrinsic::getBaseName(ID)).str()};
  StringRef Name = calledIntrinsic(*Call);
  if (Name == "luthier::waveAdd" || Name == "luthier::detail::waveAddLow")
    return {Call->getArgOperand(1), "the number that luthier::waveAdd adds"};
  if (Name == "luthier::detail::waveSetHalf")
    return {Call->getArgOperand(1),
            "the number that waveSetHalf gives a counter"};
  if (Name == "luthier::writeReg" && isa<ConstantInt>(Call->getArgOperand(0)) &&
      !namesVectorRegister(*Call, MRI))
    return {Call->getArgOperand(1),
            "what luthier::writeReg gives a scalar register"};
  if (Name == "luthier::detail::scalar")
    return {Call->getArgOperand(0),
            "the operand of luthier::waveAtomicAdd, pushOnce or its like"};
  if (Name == "luthier::detail::scalarAddress")
    return {Call->getArgOperand(0),
            "the address of luthier::waveAtomicAdd or its like"};
  if (Name == "luthier::firstLane")
    return {Call->getArgOperand(1),
            "what luthier::firstLane yields without lanes"};
  return {};
}

} // namespace

/// Of a counter: a variable itself, or where a managed one is, or an element
/// that constants and parameters of the hook choose. The plugin names what the
/// engine (counterOf) could only refuse when the hook is used.
static bool isCounter(const Value *V) {
  SmallVector<const Value *, 8> Work = {V};
  bool HasVariable = false;
  while (!Work.empty()) {
    const Value *Next = Work.pop_back_val()->stripPointerCasts();
    if (auto *Load = dyn_cast<LoadInst>(Next); Load && isManagedAddress(*Load))
      HasVariable = true;
    else if (isa<GlobalVariable>(Next))
      HasVariable = true;
    else if (auto *GEP = dyn_cast<GEPOperator>(Next))
      append_range(Work, GEP->operand_values());
    else if (isNumberOfCounter(*Next))
      append_range(Work, cast<Instruction>(Next)->operand_values());
    else if (!isa<Constant, Argument>(Next))
      return false;
  }
  return HasVariable;
}

/// What the author of a tool may look up.
static const char *remedyFor(const Value &Obstacle) {
  auto *Call = dyn_cast<CallBase>(&Obstacle);
  StringRef Name = Call ? calledIntrinsic(*Call) : StringRef();
  return Name.empty() || Name.starts_with("luthier::")
             ? "luthier::firstLane"
             : "luthier::firstLane and LUTHIER_SCALAR_INTRINSIC_ANNOTATE";
}

bool checkWaveOperands(const Function &Hook, const Function &Original,
                       TargetMachine &TM) {
  const MCRegisterInfo &MRI = *TM.getMCRegisterInfo();
  ScalarAnalysis Scalars(Hook, hookLeaves(MRI));
  bool Fine = true;
  auto fail = [&](const Instruction &I, const Twine &Message) {
    const DILocation *Line = hookLocation(I);
    Original.getContext().diagnose(DiagnosticInfoUnsupported(
        Original, "in hook '" + demangle(Original.getName()) + "', " + Message,
        Line ? DiagnosticLocation(DebugLoc(Line))
             : DiagnosticLocation(Original.getSubprogram())));
    Fine = false;
  };
  for (const Instruction &I : instructions(Hook)) {
    auto *Call = dyn_cast<CallBase>(&I);
    if (StringRef Name = Call ? calledIntrinsic(*Call) : StringRef();
        (Name == "luthier::waveAdd" || Name == "luthier::detail::waveAddLow" ||
         Name == "luthier::detail::waveSetHalf" ||
         Name == "luthier::waveCounter") &&
        !isCounter(Call->getArgOperand(0)))
      fail(I, "the counter of " + Name +
                  " is not a variable, or a part of one that constants and "
                  "parameters of the hook choose");
    auto [Operand, Use] = waveOperand(I, MRI);
    if (const Value *Obstacle =
            Operand ? Scalars.obstacleTo(*Operand, *I.getParent()) : nullptr)
      fail(I, Use + " is not made of scalars but of " +
                  describeValue(*Obstacle) + "; see " + remedyFor(*Obstacle));
  }
  return Fine;
}

} // namespace luthier
