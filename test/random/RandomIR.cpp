// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

using namespace llvm;

namespace luthier::test {
namespace {

constexpr unsigned InputWords = 256, SlotWords = 4, LdsWords = 64;

/// Writes one function's body. Variables are allocas, which later either
/// become registers or stay in scratch memory.
class Body {
public:
  Body(Dice &D, Function &F, ArrayRef<Function *> Callees)
      : D(D), F(F), Callees(Callees),
        B(BasicBlock::Create(F.getContext(), "entry", &F)),
        I32(B.getInt32Ty()) {}

  void addVariables(unsigned Count, ArrayRef<Value *> Initial);
  void statements(unsigned Count, unsigned Depth);
  void graph(unsigned NumBlocks);
  Value *any() { return B.CreateLoad(I32, pick()); }
  Value *pick() { return Variables[D.below(Variables.size())]; }
  Value *load(unsigned N) { return B.CreateLoad(I32, Variables[N]); }
  unsigned variables() const { return Variables.size(); }
  IRBuilder<> &builder() { return B; }
  /// A buffer of InputWords words; may be null.
  Value *Input = nullptr;

private:
  Value *operation();
  Value *call();
  void branch(unsigned Depth);
  void loop(unsigned Depth);
  Value *condition();
  BasicBlock *block(const char *Name) {
    return BasicBlock::Create(F.getContext(), Name, &F);
  }

  Dice &D;
  Function &F;
  ArrayRef<Function *> Callees;
  IRBuilder<> B;
  Type *I32;
  SmallVector<Value *> Variables;
};

void Body::addVariables(unsigned Count, ArrayRef<Value *> Initial) {
  for (unsigned N = 0; N != Count; ++N)
    Variables.push_back(B.CreateAlloca(I32, /*AddrSpace=*/5, nullptr));
  for (unsigned N = 0; N != Count; ++N) {
    Value *V = Initial[N % Initial.size()];
    B.CreateStore(N < Initial.size() ? V : B.CreateXor(V, D.bits()),
                  Variables[N]);
  }
}

Value *Body::condition() {
  constexpr CmpInst::Predicate Predicates[] = {
      CmpInst::ICMP_EQ, CmpInst::ICMP_ULT, CmpInst::ICMP_SGT, CmpInst::ICMP_NE};
  Value *A = B.CreateAnd(any(), 15);
  return B.CreateICmp(Predicates[D.below(4)], A, B.getInt32(D.below(16)));
}

Value *Body::call() {
  Function *Callee = Callees[D.below(Callees.size())];
  Value *Target = Callee;
  if (Callees.size() > 1 && D.chance(30))
    Target =
        B.CreateSelect(condition(), Callee, Callees[D.below(Callees.size())]);
  return B.CreateCall(Callee->getFunctionType(), Target,
                      {any(), any(), B.getInt32(D.between(0, 2))});
}

Value *Body::operation() {
  Value *X = any(), *Y = any();
  switch (D.below(Callees.empty() ? 16 : 18)) {
  case 0:
    return B.CreateAdd(X, Y);
  case 1:
    return B.CreateSub(X, Y);
  case 2:
    return B.CreateMul(X, Y);
  case 3:
    return B.CreateXor(X, B.CreateLShr(Y, D.between(1, 31)));
  case 4:
    return B.CreateShl(X, B.CreateAnd(Y, 31));
  case 5:
    return B.CreateAShr(X, B.CreateAnd(Y, 31));
  case 6:
    return B.CreateSelect(condition(), X, Y);
  case 7:
    return B.CreateOr(B.CreateAnd(X, D.bits()), Y);
  case 8: { // A carry through VCC or SCC.
    Type *I64 = B.getInt64Ty();
    Value *Wide =
        B.CreateOr(B.CreateShl(B.CreateZExt(X, I64), 32), B.CreateZExt(Y, I64));
    Wide = B.CreateAdd(Wide, B.CreateMul(B.CreateZExt(any(), I64), Wide));
    return B.CreateTrunc(B.CreateLShr(Wide, 29), I32);
  }
  case 9: {
    Type *Float = B.getFloatTy();
    Value *A = B.CreateUIToFP(B.CreateAnd(X, 0xffff), Float);
    Value *Z = B.CreateUIToFP(B.CreateOr(B.CreateAnd(Y, 0xff), 1), Float);
    return B.CreateFPToUI(B.CreateFDiv(A, Z), I32);
  }
  case 10: {
    Type *Double = B.getDoubleTy();
    Value *A = B.CreateSIToFP(X, Double);
    return B.CreateBitCast(
        B.CreateFPTrunc(B.CreateFAdd(A, B.CreateUIToFP(Y, Double)),
                        B.getFloatTy()),
        I32);
  }
  case 11:
    return B.CreateIntrinsic(Intrinsic::amdgcn_readfirstlane, {I32}, {X});
  case 12: {
    Value *Mask = B.CreateIntrinsic(Intrinsic::amdgcn_ballot, {B.getInt64Ty()},
                                    {condition()});
    return B.CreateTrunc(B.CreateUnaryIntrinsic(Intrinsic::ctpop, Mask), I32);
  }
  case 13:
    return B.CreateURem(X, B.CreateOr(B.CreateAnd(Y, 0xfff), 1));
  case 14:
  case 15:
    if (!Input)
      return B.CreateNot(X);
    return B.CreateLoad(
        I32, B.CreateGEP(I32, Input, B.CreateAnd(X, InputWords - 1)));
  default:
    return call();
  }
}

void Body::branch(unsigned Depth) {
  BasicBlock *Then = block("then"), *Else = block("else"), *End = block("end");
  B.CreateCondBr(condition(), Then, Else);
  B.SetInsertPoint(Then);
  statements(D.between(1, 4), Depth + 1);
  B.CreateBr(End);
  B.SetInsertPoint(Else);
  if (D.chance(60))
    statements(D.between(1, 4), Depth + 1);
  B.CreateBr(End);
  B.SetInsertPoint(End);
}

/// While lanes have turns left, at most five.
void Body::loop(unsigned Depth) {
  BasicBlock *Head = block("head"), *Inner = block("inner"),
             *End = block("end");
  Value *Trips = B.CreateURem(any(), B.getInt32(D.between(1, 6)));
  BasicBlock *Before = B.GetInsertBlock();
  B.CreateBr(Head);
  B.SetInsertPoint(Head);
  PHINode *N = B.CreatePHI(I32, 2);
  N->addIncoming(B.getInt32(0), Before);
  B.CreateCondBr(B.CreateICmpULT(N, Trips), Inner, End);
  B.SetInsertPoint(Inner);
  statements(D.between(1, 5), Depth + 1);
  if (D.chance(25)) {
    BasicBlock *On = block("on");
    B.CreateCondBr(condition(), End, On);
    B.SetInsertPoint(On);
  }
  N->addIncoming(B.CreateAdd(N, B.getInt32(1)), B.GetInsertBlock());
  B.CreateBr(Head);
  B.SetInsertPoint(End);
}

void Body::statements(unsigned Count, unsigned Depth) {
  for (unsigned N = 0; N != Count; ++N) {
    const unsigned What = D.below(10);
    if (What == 0 && Depth < 3)
      branch(Depth);
    else if (What == 1 && Depth < 2)
      loop(Depth);
    else
      B.CreateStore(operation(), pick());
  }
}

/// Blocks with edges to anywhere, loops with several entries among them, until
/// a lane's fuel is used up.
void Body::graph(unsigned NumBlocks) {
  IRBuilder<> Entry(&F.getEntryBlock(), F.getEntryBlock().begin());
  Value *Fuel = Entry.CreateAlloca(I32, /*AddrSpace=*/5, nullptr);
  B.CreateStore(B.getInt32(D.between(4, 16)), Fuel);
  SmallVector<BasicBlock *> Blocks;
  for (unsigned N = 0; N != NumBlocks; ++N)
    Blocks.push_back(block("node"));
  BasicBlock *End = block("out");
  auto anyBlock = [&] { return Blocks[D.below(NumBlocks)]; };
  B.CreateCondBr(condition(), anyBlock(), anyBlock());
  for (BasicBlock *Node : Blocks) {
    B.SetInsertPoint(Node);
    statements(D.between(1, 4), 2);
    Value *Left = B.CreateSub(B.CreateLoad(I32, Fuel), B.getInt32(1));
    B.CreateStore(Left, Fuel);
    BasicBlock *On = block("on");
    B.CreateCondBr(B.CreateICmpEQ(Left, B.getInt32(0)), End, On);
    B.SetInsertPoint(On);
    B.CreateCondBr(condition(), anyBlock(), anyBlock());
  }
  B.SetInsertPoint(End);
}

class Generator {
public:
  Generator(const EngineTarget &T, uint64_t Seed)
      : T(T), D(Seed * 2 + 1), M("random", Context) {}
  Expected<RandomKernel> run();

private:
  void addFunctions();
  void addKernel();
  Value *linearId(Body &K);
  void lds(Body &K, Value *Id);
  void promote();

  const EngineTarget &T;
  Dice D;
  LLVMContext Context;
  Module M;
  SmallVector<Function *> Functions;
  std::array<uint32_t, 3> Grid, Group;
};

/// f(a, b, n): n is how often it may still call itself.
void Generator::addFunctions() {
  Type *I32 = Type::getInt32Ty(Context);
  auto *FT = FunctionType::get(I32, {I32, I32, I32}, false);
  for (unsigned N = D.chance(50) ? D.between(1, 3) : 0; N; --N) {
    auto *F = Function::Create(FT, GlobalValue::InternalLinkage, "f", M);
    F->addFnAttr(Attribute::NoInline);
    F->addFnAttr("amdgpu-flat-work-group-size", "1,256");
    Body K(D, *F, Functions);
    K.addVariables(D.between(2, 8), {F->getArg(0), F->getArg(1)});
    K.statements(D.between(2, 8), 2); // No loops: the kernel has them.
    IRBuilder<> &B = K.builder();
    Value *Result = K.any();
    if (D.chance(40)) {
      auto *Again = BasicBlock::Create(Context, "again", F);
      auto *End = BasicBlock::Create(Context, "end", F);
      BasicBlock *Here = B.GetInsertBlock();
      B.CreateCondBr(B.CreateICmpEQ(F->getArg(2), B.getInt32(0)), End, Again);
      B.SetInsertPoint(Again);
      Value *Deeper = B.CreateCall(
          F, {Result, K.any(), B.CreateSub(F->getArg(2), B.getInt32(1))});
      Value *Sum = B.CreateAdd(Deeper, K.any());
      B.CreateBr(End);
      B.SetInsertPoint(End);
      PHINode *Phi = B.CreatePHI(I32, 2);
      Phi->addIncoming(Result, Here);
      Phi->addIncoming(Sum, Again);
      Result = Phi;
    }
    B.CreateRet(Result);
    Functions.push_back(F);
  }
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
  auto *Array = ArrayType::get(B.getInt32Ty(), LdsWords);
  auto *Shared = new GlobalVariable(
      M, Array, false, GlobalValue::InternalLinkage, PoisonValue::get(Array),
      "shared", nullptr, GlobalValue::NotThreadLocal, 3);
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

void Generator::addKernel() {
  Type *Ptr = PointerType::get(Context, 1);
  auto *FT = FunctionType::get(Type::getVoidTy(Context),
                               {Ptr, Ptr, Type::getInt32Ty(Context)}, false);
  auto *F = Function::Create(FT, GlobalValue::ExternalLinkage, "k", M);
  F->setCallingConv(CallingConv::AMDGPU_KERNEL);
  F->setVisibility(GlobalValue::ProtectedVisibility);
  F->addFnAttr("amdgpu-flat-work-group-size", "1,256");
  // From few registers, with spills, to all that there are.
  if (D.chance(40))
    F->addFnAttr("amdgpu-num-vgpr", std::to_string(D.between(3, 32) * 8));
  if (D.chance(20))
    F->addFnAttr("amdgpu-num-sgpr", std::to_string(D.between(5, 12) * 8));
  Body K(D, *F, Functions);
  IRBuilder<> &B = K.builder();
  Value *Id = linearId(K);
  K.Input = F->getArg(1);
  Value *First = B.CreateLoad(
      B.getInt32Ty(),
      B.CreateGEP(B.getInt32Ty(), K.Input, B.CreateAnd(Id, InputWords - 1)));
  const unsigned Pressure =
      D.chance(20) ? D.between(40, 260) : D.between(3, 30);
  K.addVariables(Pressure, {Id, First, F->getArg(2)});
  K.statements(D.between(3, 20), 0);
  if (Grid[1] == 1 && Group[0] <= LdsWords && D.chance(40))
    lds(K, Id);
  if (D.chance(40))
    K.graph(D.between(2, 6));
  K.statements(D.between(0, 6), 0);
  // All variables matter at the end.
  Value *Sum = K.load(0);
  for (unsigned N = 1; N != K.variables(); ++N)
    Sum = B.CreateAdd(B.CreateMul(Sum, B.getInt32(3)), K.load(N));
  if (D.chance(30))
    B.CreateAtomicRMW(AtomicRMWInst::Add, F->getArg(0), Sum, MaybeAlign(4),
                      AtomicOrdering::Monotonic,
                      Context.getOrInsertSyncScopeID("agent"));
  Value *Slot = B.CreateAdd(B.CreateMul(Id, B.getInt32(SlotWords)),
                            B.getInt32(SlotWords));
  Value *At = B.CreateGEP(B.getInt32Ty(), F->getArg(0), Slot);
  B.CreateStore(Sum, At);
  B.CreateStore(K.any(), B.CreateGEP(B.getInt32Ty(), At, B.getInt32(1)));
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
  addFunctions();
  addKernel();
  promote();
  RandomKernel Result;
  for (const Function &F : M)
    for (const BasicBlock &Block : F)
      for (const Instruction &I : Block)
        if (auto *Call = dyn_cast<CallBase>(&I))
          Result.CallsThroughPointers |= Call->isIndirectCall();
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
    Result.Launch.Scratch = Kernel.Metadata.PrivateSegmentSize + 8192;
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
