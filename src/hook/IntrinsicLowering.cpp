// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/IntrinsicLowering.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "hook/PayloadIR.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Support/AMDGPUAddrSpace.h"

using namespace llvm;

namespace luthier {

Error bindVariables(Module &M, const HookModule &Hooks) {
  LLVMContext &C = M.getContext();
  auto *Int64 = Type::getInt64Ty(C);
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (G.use_empty() || G.getName().starts_with("llvm.") ||
        G.getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS)
      continue;
    if (auto Managed = Hooks.ManagedStorage.find(G.getName());
        Managed != Hooks.ManagedStorage.end())
      for (User *U : make_early_inc_range(G.users()))
        if (auto *Load = dyn_cast<LoadInst>(U);
            Load && Load->getType()->isPointerTy()) {
          Load->replaceAllUsesWith(ConstantExpr::getIntToPtr(
              ConstantInt::get(Int64, Managed->second), Load->getType()));
          Load->eraseFromParent();
        }
    if (G.use_empty())
      continue;
    auto Address = Hooks.Variables.find(G.getName());
    if (Address == Hooks.Variables.end())
      return refuse(RefusalReason::UnsupportedHook, "variable " + G.getName() +
                                                        " is not defined by " +
                                                        Hooks.ToolName);
    G.replaceAllUsesWith(ConstantExpr::getIntToPtr(
        ConstantInt::get(Int64, Address->second), G.getType()));
  }
  return Error::success();
}

/// "{v5}", "{s[4:5]}": one or more 32-bit registers from \p First on.
static std::string registerConstraint(char File, unsigned First,
                                      unsigned Dwords) {
  std::string Text = "{";
  Text += File;
  if (Dwords == 1)
    return Text + std::to_string(First) + "}";
  return Text + "[" + std::to_string(First) + ":" +
         std::to_string(First + Dwords - 1) + "]}";
}

static Type *integerOf(LLVMContext &C, unsigned Dwords) {
  return Type::getIntNTy(C, 32 * Dwords);
}

/// Empty inline assembly bound to physical registers is how a value of the
/// application enters or leaves a payload: it emits nothing, and the code
/// generator moves nothing across it.
static Value *readRegisters(IRBuilderBase &B, const std::string &Constraint,
                            unsigned Dwords) {
  auto *FT = FunctionType::get(integerOf(B.getContext(), Dwords), false);
  return B.CreateCall(InlineAsm::get(FT, "", "=" + Constraint, true));
}

static void writeRegisters(IRBuilderBase &B, const std::string &Constraint,
                           Value *Bits) {
  auto *FT = FunctionType::get(B.getVoidTy(), Bits->getType(), false);
  B.CreateCall(InlineAsm::get(FT, "", Constraint, true), Bits);
}

/// Reinterprets integer \p Bits as \p To, dropping high bits it has no use for.
static Value *fromBits(IRBuilderBase &B, Value *Bits, Type *To) {
  if (To->isPointerTy())
    return B.CreateIntToPtr(Bits, To);
  unsigned Width = To->getPrimitiveSizeInBits();
  Value *Narrow = B.CreateTrunc(Bits, B.getIntNTy(Width));
  return B.CreateBitCast(Narrow, To);
}

static Value *toBits(IRBuilderBase &B, Value *V, unsigned Dwords) {
  if (V->getType()->isPointerTy())
    V = B.CreatePtrToInt(V, B.getInt64Ty());
  else
    V = B.CreateBitCast(V, B.getIntNTy(V->getType()->getPrimitiveSizeInBits()));
  return B.CreateZExtOrTrunc(V, integerOf(B.getContext(), Dwords));
}

/// A value that arrives in registers \p Slot, as type \p To.
static Value *readArgument(IRBuilderBase &B, const ArgumentSlot &Slot,
                           const PayloadFrame &Frame, Type *To) {
  unsigned First = Slot.Index + (Slot.IsVector ? Frame.FirstArgumentVGPR
                                               : Frame.FirstArgumentSGPR);
  Value *Bits = readRegisters(
      B, registerConstraint(Slot.IsVector ? 'v' : 's', First, Slot.Dwords),
      Slot.Dwords);
  unsigned Width = To->isPointerTy() ? 64 : To->getPrimitiveSizeInBits();
  return fromBits(B,
                  B.CreateZExtOrTrunc(
                      Bits, B.getIntNTy(std::max(
                                Width, Bits->getType()->getIntegerBitWidth()))),
                  To);
}

namespace {

/// A register of the application as the hook names it.
struct NamedRegister {
  std::string Constraint;
  unsigned Dwords = 1;
  bool IsFlag = false; ///< Lives in the frame while the payload runs.
  MCRegister Reg;      ///< Unless it is a flag.
};

class RegisterAccess {
public:
  RegisterAccess(const amdgpu::MCTarget &Target, const PayloadFrame &Frame,
                 Payload &Result)
      : MRI(Target.registers()), Frame(Frame), Result(Result) {}

  Expected<NamedRegister> find(const CallBase &Call) {
    auto *Number = dyn_cast<ConstantInt>(Call.getArgOperand(0));
    if (!Number)
      return refuse(RefusalReason::UnsupportedHook,
                    "register number is not a constant in " +
                        Call.getFunction()->getName());
    uint64_t Reg = Number->getZExtValue();
    if (Reg == 0 || Reg >= MRI.getNumRegs())
      return refuse(RefusalReason::UnsupportedHook,
                    "there is no register number " + Twine(Reg));
    switch (Reg) {
    case AMDGPU::SCC:
      Result.UsesSCC = true;
      return flag(Frame.SccSave, 1);
    case AMDGPU::VCC:
      Result.UsesVCC = true;
      return flag(Frame.VccSave, 2);
    case AMDGPU::EXEC:
      Result.UsesEXEC = true;
      return flag(Frame.ExecSave, 2);
    case AMDGPU::M0:
      Result.UsesM0 = true;
      return flag(Frame.M0Save, 1);
    default:
      return general(MCRegister(Reg));
    }
  }

private:
  NamedRegister flag(MCRegister Copy, unsigned Dwords) const {
    return {registerConstraint('s', MRI.getEncodingValue(Copy), Dwords), Dwords,
            true, MCRegister()};
  }

  /// SGPR5, VGPR4_VGPR5, AGPR0: the file and number are in the name.
  Expected<NamedRegister> general(MCRegister Reg) const {
    SmallVector<StringRef, 4> Parts;
    StringRef Name = MRI.getName(Reg);
    Name.split(Parts, '_');
    StringRef File = Parts.front().take_front(4);
    unsigned First;
    if ((File != "SGPR" && File != "VGPR" && File != "AGPR") ||
        Parts.front().drop_front(4).getAsInteger(10, First) || Parts.size() > 2)
      return refuse(RefusalReason::UnsupportedHook,
                    "access to register " + Name);
    // What lies above belongs to Luthier, or to nobody.
    unsigned Limit = File == "SGPR"   ? Frame.ApplicationSGPRs
                     : File == "VGPR" ? Frame.ApplicationVGPRs
                                      : Frame.ApplicationAGPRs;
    if (First + Parts.size() > Limit)
      return refuse(RefusalReason::UnsupportedHook,
                    "the kernel does not use register " + Name);
    return NamedRegister{
        registerConstraint(toLower(File[0]), First, Parts.size()),
        unsigned(Parts.size()), false, Reg};
  }

  const MCRegisterInfo &MRI;
  const PayloadFrame &Frame;
  Payload &Result;
};

} // namespace

/// Marks EXEC as written, which the constraint list of the tool's bitcode
/// leaves to us, so that every stage of code generation sees the definition.
static void lowerWriteExec(CallBrInst &Marker) {
  auto *Old = cast<InlineAsm>(Marker.getCalledOperand());
  Marker.setCalledOperand(InlineAsm::get(Old->getFunctionType(),
                                         Old->getAsmString(),
                                         "s,~{memory},~{exec}", true));
}

/// After writeExec with a single lane, an atomic has nothing to combine across
/// lanes. LLVM does not know and would spend six instructions on it; an address
/// that it must take for divergent keeps it from trying.
static void skipAtomicOptimizer(CallBrInst &Marker) {
  auto *Mask = dyn_cast<ConstantInt>(Marker.getArgOperand(0));
  if (!Mask || !Mask->getValue().isPowerOf2())
    return;
  // Addresses of the tool's variables are constants by now; near ones share a
  // register pair and differ in the instruction's offset.
  std::optional<APInt> Base;
  Value *Opaque = nullptr;
  for (Instruction &I : make_early_inc_range(*Marker.getDefaultDest())) {
    auto *Atomic = dyn_cast<AtomicRMWInst>(&I);
    const APInt *Address;
    if (!Atomic ||
        !match(Atomic->getPointerOperand(),
               PatternMatch::m_IntToPtr(PatternMatch::m_APInt(Address))))
      continue;
    IRBuilder<> B(Atomic);
    Type *PointerType = Atomic->getPointerOperand()->getType();
    if (!Opaque || Opaque->getType() != PointerType ||
        !(*Address - *Base).isSignedIntN(12)) {
      Base = *Address;
      Opaque = B.CreateCall(
          InlineAsm::get(FunctionType::get(PointerType, PointerType, false), "",
                         "=v,0", true),
          Atomic->getPointerOperand());
    }
    Atomic->setOperand(AtomicRMWInst::getPointerOperandIndex(),
                       B.CreatePtrAdd(Opaque, B.getInt(*Address - *Base)));
  }
}

static ArgumentSlot slotOf(const CallInst &Placeholder) {
  auto number = [&](unsigned I) -> unsigned {
    return cast<ConstantInt>(Placeholder.getArgOperand(I))->getZExtValue();
  };
  return {number(0) != 0, number(1), number(2)};
}

Error lowerIntrinsics(Function &F, const amdgpu::MCTarget &Target,
                      const PayloadFrame &Frame, Payload &Result) {
  RegisterAccess Registers(Target, Frame, Result);
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    if (auto *Marker = dyn_cast<CallBrInst>(&I)) {
      lowerWriteExec(*Marker);
      skipAtomicOptimizer(*Marker);
      Result.WritesEXEC = true;
      continue;
    }
    auto *Call = dyn_cast<CallInst>(&I);
    Function *Callee = Call ? Call->getCalledFunction() : nullptr;
    if (!Callee || !Callee->hasFnAttribute("luthier_intrinsic"))
      continue;
    StringRef Name =
        Callee->getFnAttribute("luthier_intrinsic").getValueAsString();
    if (Name == ArgumentIntrinsic) {
      IRBuilder<> B(Call);
      Call->replaceAllUsesWith(
          readArgument(B, slotOf(*Call), Frame, Call->getType()));
      Call->eraseFromParent();
      continue;
    }
    bool Reads = Name == "luthier::readReg";
    if (!Reads && Name != "luthier::writeReg")
      return refuse(RefusalReason::UnsupportedHook,
                    "unknown intrinsic " + Name);
    Expected<NamedRegister> Reg = Registers.find(*Call);
    if (!Reg)
      return Reg.takeError();
    IRBuilder<> B(Call);
    if (Reads) {
      Value *Bits = readRegisters(B, Reg->Constraint, Reg->Dwords);
      unsigned Width = Call->getType()->isPointerTy()
                           ? 64
                           : Call->getType()->getPrimitiveSizeInBits();
      if (Width > 32 * Reg->Dwords)
        Bits = B.CreateZExt(Bits, B.getIntNTy(Width));
      Call->replaceAllUsesWith(fromBits(B, Bits, Call->getType()));
      Result.ReadsApplication |= !Reg->IsFlag;
      if (!Reg->IsFlag)
        Result.Reads.push_back(Reg->Reg);
    } else {
      writeRegisters(B, Reg->Constraint,
                     toBits(B, Call->getArgOperand(1), Reg->Dwords));
      Result.WritesApplication |= !Reg->IsFlag;
      if (!Reg->IsFlag)
        Result.Writes.push_back(Reg->Reg);
      // A load may still be on its way to the register and land later.
      Result.ReadsApplication |= !Reg->IsFlag;
    }
    Call->eraseFromParent();
  }
  return Error::success();
}

/// Intrinsics whose value comes from the launch state, which an application's
/// registers no longer hold.
static bool readsLaunchState(Intrinsic::ID ID) {
  switch (ID) {
  case Intrinsic::amdgcn_workitem_id_x:
  case Intrinsic::amdgcn_workitem_id_y:
  case Intrinsic::amdgcn_workitem_id_z:
  case Intrinsic::amdgcn_workgroup_id_x:
  case Intrinsic::amdgcn_workgroup_id_y:
  case Intrinsic::amdgcn_workgroup_id_z:
  case Intrinsic::amdgcn_dispatch_ptr:
  case Intrinsic::amdgcn_dispatch_id:
  case Intrinsic::amdgcn_queue_ptr:
  case Intrinsic::amdgcn_kernarg_segment_ptr:
  case Intrinsic::amdgcn_implicitarg_ptr:
  case Intrinsic::amdgcn_implicit_buffer_ptr:
  case Intrinsic::amdgcn_groupstaticsize:
  case Intrinsic::amdgcn_is_shared:
  case Intrinsic::amdgcn_is_private:
    return true;
  default:
    return false;
  }
}

static bool usesSharedMemory(const Value &V) {
  if (auto *G = dyn_cast<GlobalVariable>(&V))
    return G->getAddressSpace() == AMDGPUAS::LOCAL_ADDRESS;
  auto *C = dyn_cast<ConstantExpr>(&V);
  return C && any_of(C->operands(),
                     [](const Use &U) { return usesSharedMemory(*U); });
}

Error checkSupported(const Function &F) {
  for (const Instruction &I : instructions(F)) {
    for (const Value *Operand : I.operands())
      if (usesSharedMemory(*Operand))
        return refuse(RefusalReason::UnsupportedHook,
                      "a hook uses shared memory");
    if (isa<AllocaInst>(I))
      return refuse(RefusalReason::InstrumentationStack,
                    "a hook keeps a local variable in memory");
    auto *Call = dyn_cast<CallBase>(&I);
    if (!Call || Call->isInlineAsm())
      continue;
    const Function *Callee = Call->getCalledFunction();
    if (!Callee)
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook calls through a pointer");
    if (readsLaunchState(Callee->getIntrinsicID()))
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook reads launch state with " + Callee->getName());
    if (Callee->getIntrinsicID() == Intrinsic::amdgcn_s_barrier ||
        Callee->getIntrinsicID() == Intrinsic::amdgcn_s_setreg)
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook uses " + Callee->getName());
    if (!Callee->isIntrinsic())
      return refuse(RefusalReason::UnsupportedHook,
                    "a hook calls " + Callee->getName() +
                        ", which is not inlined");
  }
  return Error::success();
}

} // namespace luthier
