// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomBody.h"
#include "RandomKernel.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace luthier::test {
namespace {

constexpr unsigned LdsWords = 64;

class Generator {
public:
  Generator(const EngineTarget &T, uint64_t Seed)
      : T(T), D(Seed * 2 + 1), M("random", Context) {}
  Expected<RandomKernel> run();

private:
  void addFunctions();
  void finishFunction(Body &K, Function &F);
  void addKernel();
  void setResources(Function &F);
  void describe(Function &F) const;
  bool hasFullWaves() const;
  void compute(Body &K, Value *Id);
  void finishKernel(Body &K, Function &F, Value *Slot);
  Value *linearId(Body &K);
  void lds(Body &K, Value *Id);
  void promote();

  const EngineTarget &T;
  Dice D;
  LLVMContext Context;
  Module M;
  SmallVector<Function *> Functions;
  std::array<uint32_t, 3> Grid, Group;
  std::string LargestGroup, Denormals;
  bool HasDynamicLds = false;
};

/// What all functions must agree on.
void Generator::describe(Function &F) const {
  F.addFnAttr("amdgpu-flat-work-group-size", "1," + LargestGroup);
  if (!Denormals.empty())
    F.addFnAttr("denormal-fp-math-f32", Denormals);
}

/// f(a, b, n): n is how often it may still call itself.
void Generator::addFunctions() {
  Type *I32 = Type::getInt32Ty(Context);
  auto *FT = FunctionType::get(I32, {I32, I32, I32}, false);
  for (unsigned N = D.chance(50) ? D.between(1, 3) : 0; N; --N) {
    auto *F = Function::Create(FT, GlobalValue::InternalLinkage, "f", M);
    F->addFnAttr(Attribute::NoInline);
    describe(*F);
    Body K(D, *F, Functions);
    K.addVariables(D.between(2, 8), {F->getArg(0), F->getArg(1)});
    // Loops are mostly the kernel's.
    K.statements(D.between(2, 8), D.chance(20) ? 1 : 2);
    if (D.chance(10))
      K.dynamicStack();
    finishFunction(K, *F);
    Functions.push_back(F);
  }
}

/// Perhaps after calling itself, or as the last thing another one.
void Generator::finishFunction(Body &K, Function &F) {
  IRBuilder<> &B = K.builder();
  Value *Result = K.any();
  if (!Functions.empty() && D.chance(25)) {
    CallInst *Last = B.CreateCall(Functions[D.below(Functions.size())],
                                  {Result, K.any(), B.getInt32(0)});
    Last->setTailCall();
    B.CreateRet(Last);
    return;
  }
  if (D.chance(40)) {
    BasicBlock *Again = K.block("again"), *End = K.block("end");
    BasicBlock *Here = B.GetInsertBlock();
    B.CreateCondBr(B.CreateICmpEQ(F.getArg(2), B.getInt32(0)), End, Again);
    B.SetInsertPoint(Again);
    Value *Deeper = B.CreateCall(
        &F, {Result, K.any(), B.CreateSub(F.getArg(2), B.getInt32(1))});
    Value *Sum = B.CreateAdd(Deeper, K.any());
    B.CreateBr(End);
    B.SetInsertPoint(End);
    PHINode *Phi = B.CreatePHI(B.getInt32Ty(), 2);
    Phi->addIncoming(Result, Here);
    Phi->addIncoming(Sum, Again);
    Result = Phi;
  }
  B.CreateRet(Result);
}

Value *Generator::linearId(Body &K) {
  IRBuilder<> &B = K.builder();
  constexpr Intrinsic::ID Items[] = {Intrinsic::amdgcn_workitem_id_x,
                                     Intrinsic::amdgcn_workitem_id_y,
                                     Intrinsic::amdgcn_workitem_id_z};
  constexpr Intrinsic::ID Groups[] = {Intrinsic::amdgcn_workgroup_id_x,
                                      Intrinsic::amdgcn_workgroup_id_y,
                                      Intrinsic::amdgcn_workgroup_id_z};
  Value *Id = B.getInt32(0);
  for (unsigned Axis = 3; Axis-- != 0;) {
    if (Grid[Axis] == 1)
      continue;
    Value *Here = B.CreateAdd(
        B.CreateMul(B.CreateIntrinsic(Groups[Axis], ArrayRef<Value *>()),
                    B.getInt32(Group[Axis])),
        B.CreateIntrinsic(Items[Axis], ArrayRef<Value *>()));
    Id = B.CreateAdd(B.CreateMul(Id, B.getInt32(Grid[Axis])), Here);
  }
  return Id;
}

/// Words change hands between work-items; all of a workgroup come by.
void Generator::lds(Body &K, Value *Id) {
  IRBuilder<> &B = K.builder();
  // The size of an array of none comes with the launch.
  HasDynamicLds = D.chance(30);
  auto *Array = ArrayType::get(B.getInt32Ty(), HasDynamicLds ? 0 : LdsWords);
  auto *Shared =
      new GlobalVariable(M, Array, false,
                         HasDynamicLds ? GlobalValue::ExternalLinkage
                                       : GlobalValue::InternalLinkage,
                         HasDynamicLds ? nullptr : PoisonValue::get(Array),
                         "shared", nullptr, GlobalValue::NotThreadLocal, 3);
  if (HasDynamicLds)
    Shared->setAlignment(Align(4u << D.below(3)));
  Value *Local =
      B.CreateIntrinsic(Intrinsic::amdgcn_workitem_id_x, ArrayRef<Value *>());
  auto at = [&](Value *Index) {
    return B.CreateGEP(B.getInt32Ty(), Shared,
                       B.CreateAnd(Index, LdsWords - 1));
  };
  auto barrier = [&] {
    const SyncScope::ID Scope = Context.getOrInsertSyncScopeID("workgroup");
    B.CreateFence(AtomicOrdering::Release, Scope);
    B.CreateIntrinsic(Intrinsic::amdgcn_s_barrier, ArrayRef<Value *>());
    B.CreateFence(AtomicOrdering::Acquire, Scope);
  };
  // With one axis and at most LdsWords in a workgroup, each has a word.
  B.CreateStore(B.CreateXor(Id, D.bits()), at(Local));
  barrier();
  Value *Sum = B.CreateAdd(K.any(), B.CreateLoad(B.getInt32Ty(), at(Local)));
  B.CreateStore(Sum, K.pick());
  barrier();
  B.CreateAtomicRMW(AtomicRMWInst::Add, at(B.CreateAnd(K.any(), 7)), K.any(),
                    MaybeAlign(4), AtomicOrdering::Monotonic,
                    Context.getOrInsertSyncScopeID("workgroup"));
  barrier();
  B.CreateStore(B.CreateLoad(B.getInt32Ty(), at(Local)), K.pick());
}

/// From few registers, with spills, to all that there are.
void Generator::setResources(Function &F) {
  if (D.chance(40))
    F.addFnAttr("amdgpu-num-vgpr", std::to_string(D.between(3, 32) * 8));
  if (D.chance(20))
    F.addFnAttr("amdgpu-num-sgpr", std::to_string(D.between(5, 12) * 8));
}

bool Generator::hasFullWaves() const {
  return Group == std::array<uint32_t, 3>{64, 1, 1} && Grid == Group;
}

void Generator::addKernel() {
  Type *Ptr = PointerType::get(Context, 1);
  auto *FT = FunctionType::get(Type::getVoidTy(Context),
                               {Ptr, Ptr, Type::getInt32Ty(Context)}, false);
  auto *F = Function::Create(FT, GlobalValue::ExternalLinkage, "k", M);
  F->setCallingConv(CallingConv::AMDGPU_KERNEL);
  F->setVisibility(GlobalValue::ProtectedVisibility);
  describe(*F);
  setResources(*F);
  Body K(D, *F, Functions);
  IRBuilder<> &B = K.builder();
  Type *I32 = B.getInt32Ty();
  Value *Id = linearId(K);
  K.Input = F->getArg(1);
  Value *First = B.CreateLoad(
      I32, B.CreateGEP(I32, K.Input, B.CreateAnd(Id, InputWords - 1)));
  Value *Slot = B.CreateGEP(I32, F->getArg(0),
                            B.CreateAdd(B.CreateMul(Id, B.getInt32(SlotWords)),
                                        B.getInt32(SlotWords)));
  K.Own = B.CreateConstGEP1_32(I32, Slot, 2);
  const unsigned Pressure =
      D.chance(20) ? D.between(40, 260) : D.between(3, 30);
  K.addVariables(Pressure, {Id, First, F->getArg(2)});
  compute(K, Id);
  finishKernel(K, *F, Slot);
}

void Generator::compute(Body &K, Value *Id) {
  IRBuilder<> &B = K.builder();
  if (D.chance(10))
    B.CreateIntrinsic(Intrinsic::set_rounding, {}, {B.getInt32(D.below(4))});
  const StringRef P = T.Processor;
  const bool HasMatrices = P.starts_with("gfx9") && P != "gfx906";
  auto matrix = [&] {
    if (HasMatrices && hasFullWaves() && D.chance(60))
      K.matrix(Intrinsic::amdgcn_mfma_i32_4x4x4i8);
  };
  matrix();
  K.statements(D.between(3, 20), 0);
  if (D.chance(8))
    K.dynamicStack();
  if (Grid[1] == 1 && Group[0] <= LdsWords && D.chance(40))
    lds(K, Id);
  matrix();
  if (D.chance(40))
    K.graph(D.between(2, 6));
  K.statements(D.between(0, 6), 0);
}

/// All variables matter at the end, except to those who leave before.
void Generator::finishKernel(Body &K, Function &F, Value *Slot) {
  IRBuilder<> &B = K.builder();
  Type *I32 = B.getInt32Ty();
  if (D.chance(15)) {
    BasicBlock *Out = K.block("leave"), *On = K.block("stay");
    // The same for all lanes, or not.
    Value *Leaves = D.chance(50)
                        ? B.CreateICmpULT(F.getArg(2), B.getInt32(1u << 31))
                        : K.condition();
    B.CreateCondBr(Leaves, Out, On);
    B.SetInsertPoint(Out);
    B.CreateStore(K.any(), Slot);
    B.CreateRetVoid();
    B.SetInsertPoint(On);
  }
  Value *Sum = K.load(0);
  for (unsigned N = 1; N != K.variables(); ++N)
    Sum = B.CreateAdd(B.CreateMul(Sum, B.getInt32(3)), K.load(N));
  if (D.chance(30))
    B.CreateAtomicRMW(AtomicRMWInst::Add, F.getArg(0), Sum, MaybeAlign(4),
                      AtomicOrdering::Monotonic,
                      Context.getOrInsertSyncScopeID("agent"));
  B.CreateStore(Sum, Slot);
  B.CreateStore(K.any(), B.CreateConstGEP1_32(I32, Slot, 1));
  B.CreateRetVoid();
}

/// Variables become registers, in most kernels.
void Generator::promote() {
  if (D.chance(20))
    return;
  PassBuilder Builder;
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Each;
  CGSCCAnalysisManager Graphs;
  ModuleAnalysisManager Modules;
  Builder.registerModuleAnalyses(Modules);
  Builder.registerCGSCCAnalyses(Graphs);
  Builder.registerFunctionAnalyses(Each);
  Builder.registerLoopAnalyses(Loops);
  Builder.crossRegisterProxies(Loops, Each, Graphs, Modules);
  FunctionPassManager Passes;
  Passes.addPass(PromotePass());
  for (Function &F : M)
    if (!F.isDeclaration())
      Passes.run(F, Each);
}

Expected<RandomKernel> Generator::run() {
  constexpr std::array<uint32_t, 3> Shapes[][2] = {
      {{64, 1, 1}, {64, 1, 1}}, {{100, 1, 1}, {64, 1, 1}},
      {{37, 1, 1}, {32, 1, 1}}, {{150, 1, 1}, {100, 1, 1}},
      {{20, 9, 1}, {16, 4, 1}}, {{7, 5, 6}, {4, 4, 4}}};
  const auto &Shape = Shapes[D.below(std::size(Shapes))];
  Grid = Shape[0];
  Group = Shape[1];
  M.setTargetTriple(Triple("amdgcn-amd-amdhsa"));
  // The layout decides where allocas live.
  M.setDataLayout(M.getTargetTriple().computeDataLayout());
  LargestGroup = D.chance(25) ? "1024" : "256";
  Denormals = D.chance(25) ? "preserve-sign,preserve-sign" : "";
  addFunctions();
  addKernel();
  promote();
  RandomKernel Result;
  raw_string_ostream OS(Result.Source);
  M.print(OS, nullptr);
  constexpr CodeGenOptLevel Levels[] = {
      CodeGenOptLevel::None, CodeGenOptLevel::Default, CodeGenOptLevel::Default,
      CodeGenOptLevel::Aggressive};
  const CodeGenOptLevel Level = Levels[D.below(4)];
  const unsigned Version = D.between(4, 6);
  const bool Optimise = D.chance(25);
  Expected<Bytes> Built = compileModule(T, M, Version, Level, Optimise);
  if (!Built)
    return Built.takeError();
  auto Object = CodeObject::create(*Built);
  if (!Object)
    return Object.takeError();
  Result.Object = std::move(*Object);
  const KernelInfo &Kernel = Result.Object->kernels().front();
  if (Kernel.Descriptor.usesDynamicStack())
    Result.Launch.Scratch = Kernel.Metadata.PrivateSegmentSize + 16384;
  if (HasDynamicLds)
    Result.Launch.DynamicLds = LdsWords * 4;
  std::vector<uint32_t> Input(InputWords);
  for (uint32_t &Word : Input)
    Word = D.chance(20) ? D.below(4) : D.bits();
  Result.Launch.Grid = Grid;
  Result.Launch.Workgroup = Group;
  Result.Launch.Arguments.words((Grid[0] * Grid[1] * Grid[2] + 1) * SlotWords)
      .buffer(Input)
      .value(D.bits());
  return Result;
}

} // namespace

Expected<RandomKernel> randomIRKernel(const EngineTarget &T, uint64_t Seed) {
  return Generator(T, Seed).run();
}

} // namespace luthier::test
