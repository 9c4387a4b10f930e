// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one compiler leaves in a store, another takes: as in two processes, but
// for where the variables are.
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "PayloadRun.h"
#include "hook/HookCompilers.h"
#include "hook/PayloadArchive.h"
#include "luthier/IntrinsicLowering.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class MemoryStore : public PayloadStore {
public:
  std::optional<std::vector<uint8_t>> find(const PayloadKey &Key) override {
    auto Found = Kept.find(Key);
    return Found == Kept.end() ? std::nullopt : std::optional(Found->second);
  }
  void keep(const PayloadKey &Key, StringRef, ArrayRef<uint8_t> B) override {
    Kept[Key] = B.vec();
  }
  std::map<PayloadKey, std::vector<uint8_t>> Kept;
};

class PayloadStores : public ::testing::TestWithParam<EngineTarget> {
protected:
  struct Outcome {
    Expected<std::vector<Payload>> Payloads;
    PayloadCounts Counts;
  };
  /// By a compiler of its own, as for another kernel or in another process.
  Outcome compile(const PayloadABI &ABI, std::vector<uint64_t> Constants = {}) {
    auto Compiler = PayloadCompiler::create(*Run.MC, Run.Hooks,
                                            Run.Target.WaveSize, &Store);
    if (!Compiler)
      return {Compiler.takeError(), {}};
    PayloadVariant Variant{{&Run.Hooks, "hook"}, {}};
    for (uint64_t Bits : Constants)
      Variant.Arguments.push_back(Bits);
    if (auto Needs = (*Compiler)->needs(Variant); !Needs)
      return {Needs.takeError(), (*Compiler)->counts()};
    auto Payloads = (*Compiler)->compile(Variant, ABI);
    return {std::move(Payloads), (*Compiler)->counts()};
  }
  /// How many payloads were compiled; fails where that is refused.
  unsigned compilations(const PayloadABI &ABI,
                        std::vector<uint64_t> Constants = {}) {
    Outcome O = compile(ABI, Constants);
    EXPECT_TRUE(bool(O.Payloads)) << toString(O.Payloads.takeError());
    EXPECT_EQ(O.Counts.Compiled + O.Counts.Found, 1u);
    return O.Counts.Compiled;
  }
  void store(const std::string &Number) {
    Run.parseHooks("define void @hook(i32 %x) #0 {\n  %v = add i32 %x, " +
                   Number + "\n  call void @store(i32 %v)\n  ret void\n}");
  }
  void storeToArgument() {
    Run.parseHooks(R"(
define void @hook(ptr addrspace(1) %p) #0 {
  store i32 77, ptr addrspace(1) %p
  ret void
})");
  }
  PayloadRun Run{GetParam()};
  MemoryStore Store;
};
INSTANTIATE_TEST_SUITE_P(Every, PayloadStores,
                         ::testing::ValuesIn(allTargets()), targetName);

TEST_P(PayloadStores, NothingIsCompiledTwice) {
  store("1");
  const PayloadABI ABI = Run.abi();
  Outcome First = compile(ABI, {6}), Second = compile(ABI, {6});
  ASSERT_TRUE(bool(First.Payloads)) << toString(First.Payloads.takeError());
  ASSERT_TRUE(bool(Second.Payloads)) << toString(Second.Payloads.takeError());
  EXPECT_EQ(First.Counts.Compiled, 1u);
  EXPECT_EQ(Second.Counts.Compiled, 0u);
  EXPECT_EQ(Second.Counts.Found, 1u);
  // All of it, not just the code.
  EXPECT_EQ(archive(Second.Payloads), archive(First.Payloads));
  Run.run(Second.Payloads->front(), ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out()[5], 7u);
}

TEST_P(PayloadStores, VariablesMayLieElsewhereTheNextTime) {
  store("1");
  const PayloadABI ABI = Run.abi();
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  const uint64_t Elsewhere = Run.allocate(1 << 16);
  Run.Hooks.Variables["Out"] = Elsewhere;
  Outcome Second = compile(ABI, {6});
  ASSERT_TRUE(bool(Second.Payloads)) << toString(Second.Payloads.takeError());
  EXPECT_EQ(Second.Counts.Compiled, 0u);
  Run.run(Second.Payloads->front(), ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.read<uint32_t>(Elsewhere, 6)[5], 7u);
  EXPECT_EQ(Run.out()[5], 0u);
}

TEST_P(PayloadStores, SoMayThoseThatArgumentsPointTo) {
  storeToArgument();
  const PayloadABI ABI = Run.abi();
  uint64_t Managed = Run.allocate(1 << 16);
  Run.Hooks.HostVariables = {{"Managed", 0x1000, 1 << 16, Managed}};
  Run.Hooks.ManagedStorage["Managed"] = Managed;
  EXPECT_EQ(compilations(ABI, {Managed + 5000}), 1u);
  Managed = Run.allocate(1 << 16);
  Run.Hooks.HostVariables[0].Device = Managed;
  Run.Hooks.ManagedStorage["Managed"] = Managed;
  Outcome Second = compile(ABI, {Managed + 5000});
  ASSERT_TRUE(bool(Second.Payloads)) << toString(Second.Payloads.takeError());
  EXPECT_EQ(Second.Counts.Compiled, 0u);
  Run.run(Second.Payloads->front(), ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.read<uint32_t>(Managed + 5000, 1)[0], 77u);
  // Another place in it is another payload.
  EXPECT_EQ(compilations(ABI, {Managed + 5004}), 1u);
}

/// As where the tool's code is not on the device before somebody asks.
class LatePlaces : public VariablePlaces {
public:
  explicit LatePlaces(std::map<std::string, uint64_t> All)
      : All(std::move(All)) {}
  Expected<uint64_t> find(StringRef Name) override {
    ++Finds;
    if (!Problem.empty())
      return createStringError(Problem);
    ArePlaced = true;
    return All.at(Name.str());
  }
  std::optional<uint64_t> findPlaced(StringRef Name) override {
    return ArePlaced ? std::optional(All.at(Name.str())) : std::nullopt;
  }

  std::map<std::string, uint64_t> All;
  std::string Problem;
  bool ArePlaced = false;
  unsigned Finds = 0;
};

TEST_P(PayloadStores, VariablesArePlacedWhenAPayloadNeedsThem) {
  store("1");
  const PayloadABI ABI = Run.abi();
  auto Places = std::make_shared<LatePlaces>(
      std::map<std::string, uint64_t>{{"Out", Run.Out}});
  Run.Hooks.Variables["Out"] = 0x40; // As linked.
  Run.Hooks.Places = Places;
  Places->Problem = "there is no room";
  Outcome Failed = compile(ABI, {6});
  ASSERT_FALSE(bool(Failed.Payloads));
  EXPECT_EQ(toString(Failed.Payloads.takeError()), "there is no room");
  Places->Problem.clear();
  Outcome Second = compile(ABI, {6});
  ASSERT_TRUE(bool(Second.Payloads)) << toString(Second.Payloads.takeError());
  EXPECT_EQ(Second.Counts.Compiled, 0u) << "the failure is not the payload's";
  EXPECT_EQ(Places->Finds, 2u);
  Run.run(Second.Payloads->front(), ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out()[5], 7u);
}

TEST_P(PayloadStores, ManagedVariablesNeedNoPlaces) {
  Run.parseHooks(R"(
@Cell = external addrspace(1) global ptr addrspace(1)
define void @hook() #0 {
  %p = load ptr addrspace(1), ptr addrspace(1) @Cell
  store i32 77, ptr addrspace(1) %p
  ret void
})");
  auto Places = std::make_shared<LatePlaces>(
      std::map<std::string, uint64_t>{{"Cell", 0x40}});
  Run.Hooks.Variables["Cell"] = 0x40;
  Run.Hooks.ManagedStorage["Cell"] = Run.Out;
  Run.Hooks.Places = Places;
  const PayloadABI ABI = Run.abi();
  Outcome Only = compile(ABI);
  ASSERT_TRUE(bool(Only.Payloads)) << toString(Only.Payloads.takeError());
  EXPECT_EQ(Places->Finds, 0u);
  Run.run(Only.Payloads->front(), ABI, Run.initialState(ABI));
  EXPECT_EQ(Run.out()[0], 77u);
}

/// Of host code, the variable's address has been asked for before it is used.
TEST_P(PayloadStores, PlacedVariablesThatArgumentsPointToMayLieElsewhere) {
  storeToArgument();
  const PayloadABI ABI = Run.abi();
  Run.Hooks.HostVariables = {{"Own", 0x1000, 1 << 16, std::nullopt}};
  Run.Hooks.Variables["Own"] = 0x40;
  unsigned Compiled = 0;
  for (unsigned I = 0; I < 2; ++I) {
    const uint64_t Here = Run.allocate(1 << 16);
    auto Places = std::make_shared<LatePlaces>(
        std::map<std::string, uint64_t>{{"Own", Here}});
    Run.Hooks.Places = Places;
    auto Address = Run.Hooks.deviceAddress(0x1000 + 5000);
    ASSERT_TRUE(bool(Address)) << toString(Address.takeError());
    EXPECT_EQ(*Address, Here + 5000);
    EXPECT_EQ(Places->Finds, 1u);
    Outcome O = compile(ABI, {*Address});
    ASSERT_TRUE(bool(O.Payloads)) << toString(O.Payloads.takeError());
    Compiled += O.Counts.Compiled;
    Run.run(O.Payloads->front(), ABI, Run.initialState(ABI));
    EXPECT_EQ(Run.read<uint32_t>(Here + 5000, 1)[0], 77u);
  }
  EXPECT_EQ(Compiled, 1u);
}

TEST_P(PayloadStores, ModulesInDifferentPlacesHaveCompilersOfTheirOwn) {
  store("1");
  HookCompilers All;
  auto compilerOf = [&](const HookModule &Module) {
    auto Found = All.find(*Run.MC, Module, Run.Target.WaveSize, &Store);
    EXPECT_TRUE(bool(Found)) << toString(Found.takeError());
    return Found ? Found->get() : nullptr;
  };
  HookModule First = Run.Hooks, Second = Run.Hooks;
  EXPECT_EQ(compilerOf(First), compilerOf(Second));
  First.Places = std::make_shared<LatePlaces>(
      std::map<std::string, uint64_t>{{"Out", Run.Out}});
  Second.Places = std::make_shared<LatePlaces>(
      std::map<std::string, uint64_t>{{"Out", Run.Out + 64}});
  PayloadCompiler *OfFirst = compilerOf(First), *OfSecond = compilerOf(Second);
  EXPECT_NE(OfFirst, OfSecond);
  EXPECT_EQ(compilerOf(First), OfFirst);
  EXPECT_EQ(compilerOf(Second), OfSecond);
  // Nothing of theirs lies anywhere.
  First.Variables.clear();
  Second.Variables.clear();
  EXPECT_EQ(compilerOf(First), compilerOf(Second));
}

/// Where nothing is loaded, those of variables begin in the same way.
TEST_P(PayloadStores, AnyNumberMayBeAnInputOfAComputedArgument) {
  Run.parseHooks(R"(
define void @hook(i64 %x) #0 {
  call void @llvm.amdgcn.s.sleep(i32 1)
  ret void
}
declare void @llvm.amdgcn.s.sleep(i32)
)");
  Run.Hooks.SymbolicVariables = true;
  auto Compiler =
      PayloadCompiler::create(*Run.MC, Run.Hooks, Run.Target.WaveSize, &Store);
  ASSERT_TRUE(bool(Compiler)) << toString(Compiler.takeError());
  ComputedArgument Sum{ArgumentForm::Global, 0, {}};
  for (uint64_t Input : {uint64_t(0xa5) << 56, uint64_t(1), uint64_t(2)})
    Sum.Inputs.push_back(Input);
  const PayloadVariant Variant{{&Run.Hooks, "hook"}, {Sum}};
  auto Needs = (*Compiler)->needs(Variant);
  ASSERT_TRUE(bool(Needs)) << toString(Needs.takeError());
  auto Payloads = (*Compiler)->compile(Variant, Run.abi());
  EXPECT_TRUE(bool(Payloads)) << toString(Payloads.takeError());
}

TEST_P(PayloadStores, WhateverMattersLeadsToAnotherPayload) {
  store("1");
  const PayloadABI ABI = Run.abi();
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  EXPECT_EQ(compilations(ABI, {7}), 1u) << "a constant";
  PayloadABI Other = ABI;
  --Other.VGPRLimit;
  EXPECT_EQ(compilations(Other, {6}), 1u) << "the registers";
  store("2");
  EXPECT_EQ(compilations(ABI, {6}), 1u) << "the hook";
  Run.Hooks.ManagedStorage["Other"] = 0x10000;
  EXPECT_EQ(compilations(ABI, {6}), 1u) << "which variables are managed";
  Run.Hooks.ToolName = "other";
  EXPECT_EQ(compilations(ABI, {6}), 1u) << "the tool";
  EXPECT_EQ(compilations(ABI, {6}), 0u);
}

TEST_P(PayloadStores, ArgumentsOfTheKernelMatterToHooksThatReadThem) {
  store("1");
  const PayloadABI ABI = Run.abi();
  PayloadABI Other = ABI;
  Other.ExplicitKernargSize += 8;
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  EXPECT_EQ(compilations(Other, {6}), 0u);
  Run.parseHooks(R"(
declare ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
define void @hook() #0 {
  %k = call ptr addrspace(4) @llvm.amdgcn.kernarg.segment.ptr()
  %i = ptrtoint ptr addrspace(4) %k to i64
  %v = trunc i64 %i to i32
  call void @store(i32 %v)
  ret void
})");
  EXPECT_EQ(compilations(ABI), 1u);
  EXPECT_EQ(compilations(Other), 1u);
}

TEST_P(PayloadStores, EachTargetHasItsOwn) {
  store("1");
  std::set<PayloadKey> Keys;
  for (const EngineTarget &T : allTargets()) {
    auto MC = amdgpu::MCTarget::get(T.Processor, T.features());
    ASSERT_TRUE(bool(MC)) << toString(MC.takeError());
    MemoryStore Own;
    auto Compiler = PayloadCompiler::create(*MC, Run.Hooks, T.WaveSize, &Own);
    ASSERT_TRUE(bool(Compiler)) << toString(Compiler.takeError());
    PayloadVariant Variant{{&Run.Hooks, "hook"}, {uint64_t(6)}};
    ASSERT_TRUE(bool((*Compiler)->needs(Variant)));
    for (const auto &[Key, Bytes] : Own.Kept)
      EXPECT_TRUE(Keys.insert(Key).second) << T.name();
  }
  EXPECT_EQ(Keys.size(), allTargets().size());
}

TEST_P(PayloadStores, WhatIsDamagedIsCompiledAnewAndReplaced) {
  store("1");
  const PayloadABI ABI = Run.abi();
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  const auto Whole = Store.Kept;
  for (auto &[Key, Bytes] : Store.Kept)
    Bytes.pop_back();
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  EXPECT_EQ(Store.Kept, Whole);
  for (auto &[Key, Bytes] : Store.Kept)
    Bytes.push_back(0);
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  EXPECT_EQ(Store.Kept, Whole);
  for (auto &[Key, Bytes] : Store.Kept)
    Bytes.clear();
  EXPECT_EQ(compilations(ABI, {6}), 1u);
  EXPECT_EQ(compilations(ABI, {6}), 0u);
}

TEST_P(PayloadStores, RefusalsAreResultsToo) {
  Run.parseHooks(R"(
define void @hook(i32 %x) #0 {
  %v = alloca [64 x i32], addrspace(5)
  %p = getelementptr i32, ptr addrspace(5) %v, i32 %x
  store volatile i32 1, ptr addrspace(5) %p
  %l = load volatile i32, ptr addrspace(5) %v
  call void @store(i32 %l)
  ret void
})");
  PayloadABI ABI = Run.abi();
  ABI.StackPointer = MCRegister();
  std::string Texts[2];
  for (unsigned Time : {0, 1}) {
    Outcome O = compile(ABI, {3});
    EXPECT_EQ(O.Counts.Compiled, 1 - Time);
    EXPECT_EQ(O.Counts.Found, Time);
    ASSERT_FALSE(bool(O.Payloads));
    handleAllErrors(O.Payloads.takeError(), [&](const Refusal &R) {
      EXPECT_EQ(R.reason(), RefusalReason::InstrumentationStack);
      Texts[Time] = R.detail();
    });
  }
  EXPECT_EQ(Texts[0], Texts[1]);
  EXPECT_NE(Texts[0], "");
}

TEST_P(PayloadStores, IntrinsicsOfTheToolAreCompiledEachTime) {
  Run.parseHooks(R"(
declare i32 @"mine::number.i32"() #6
attributes #6 = { convergent nounwind memory(inaccessiblemem: readwrite) "luthier_intrinsic"="mine::number" }
define void @hook() #0 {
  %x = call i32 @"mine::number.i32"()
  call void @store(i32 %x)
  ret void
})");
  const PayloadABI ABI = Run.abi();
  for (uint32_t Number : {5, 6}) {
    registerIntrinsic("mine::number",
                      [=](IntrinsicCall &Call) -> Expected<Value *> {
                        return Call.builder().getInt32(Number);
                      });
    Outcome O = compile(ABI);
    registerIntrinsic("mine::number", nullptr);
    ASSERT_TRUE(bool(O.Payloads)) << toString(O.Payloads.takeError());
    EXPECT_EQ(O.Counts.Compiled, 1u);
    Run.run(O.Payloads->front(), ABI, Run.initialState(ABI));
    EXPECT_EQ(Run.out()[5], Number);
  }
  EXPECT_TRUE(Store.Kept.empty());
}

} // namespace
