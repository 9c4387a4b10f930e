// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic modules as far as they go without a device, made from LLVM IR.
#include "FakeHsa.h"
#include "codeobject/DeviceVariables.h"
#include "luthier/Refusal.h"
#include "runtime/ModuleImages.h"
#include "runtime/SourceCompiler.h"
#include "runtime/ToolModules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <gtest/gtest.h>
#include <malloc.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

constexpr hsa_agent_t Agent = {1};
constexpr StringLiteral Target = "target triple = \"amdgcn-amd-amdhsa\"\n";
constexpr StringLiteral HooksText = R"(
@Count = external addrspace(1) global i64
@Cell = external addrspace(1) global ptr addrspace(1)
@Table = external addrspace(1) constant [2 x i32]
define void @count(i32 %By) #0 {
  store i64 1, ptr addrspace(1) @Count
  %To = load ptr addrspace(1), ptr addrspace(1) @Cell, !invariant.load !0
  %Entry = load i64, ptr addrspace(1) @Table
  store i64 %Entry, ptr addrspace(1) %To
  ret void
}
define void @another() #0 { ret void }
define void @helper() { ret void }
attributes #0 = { "luthier_hook" "target-cpu"="gfx90a" }
!0 = !{}
)";
constexpr StringLiteral DeviceText = R"(
@Shared.managed = protected addrspace(1) externally_initialized global i64 9
@Shared = protected addrspace(1) externally_initialized global ptr addrspace(1) null
@Own = protected addrspace(1) externally_initialized global [3 x i32] [i32 1, i32 2, i32 3]
@__hip_cuid_c0ffee = addrspace(1) global i8 0
define void @count() "target-cpu"="gfx90a" { ret void }
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 400}
)";

std::unique_ptr<Module> parse(LLVMContext &Context, const Twine &Text) {
  SMDiagnostic Problem;
  auto M = parseAssemblyString(Text.str(), Problem, Context);
  EXPECT_TRUE(M) << Problem.getMessage().str();
  return M;
}

std::vector<uint8_t> written(const Module &M) {
  SmallVector<char, 0> Bytes;
  raw_svector_ostream OS(Bytes);
  WriteBitcodeToFile(M, OS);
  return {Bytes.begin(), Bytes.end()};
}

std::vector<uint8_t> bitcode(const Twine &Text) {
  LLVMContext Context;
  return written(*parse(Context, Text));
}

/// As clang makes it of a tool's device code with Luthier's plugin.
std::vector<uint8_t> deviceBitcode() {
  LLVMContext Context;
  auto M = parse(Context, Target + DeviceText);
  Constant *Data = ConstantDataArray::getString(
      Context, toStringRef(bitcode(Target + HooksText)), false);
  auto *Section = new GlobalVariable(
      *M, Data->getType(), true, GlobalValue::PrivateLinkage, Data, "hooks",
      nullptr, GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  Section->setSection(".llvmbc");
  appendToCompilerUsed(*M, {Section});
  return written(*M);
}

void expectFault(Error E, ModuleFault Fault, StringRef Part) {
  ASSERT_TRUE(E.isA<ModuleError>()) << toString(std::move(E));
  handleAllErrors(std::move(E), [&](const ModuleError &M) {
    EXPECT_EQ(M.fault(), Fault);
    EXPECT_TRUE(StringRef(M.message()).contains(Part)) << M.message();
  });
}

class NamedModulesTest : public testing::Test {
protected:
  ToolModules Modules;

  std::shared_ptr<ToolModule> load(ArrayRef<uint8_t> Bytes, StringRef Name) {
    auto Images = readModule(Bytes, Name);
    if (!Images) {
      ADD_FAILURE() << toString(Images.takeError());
      return nullptr;
    }
    return Modules.addDynamic(
        std::move(*ToolModule::makeDynamic(Name, std::move(*Images))));
  }
  std::shared_ptr<ToolModule> hooks(StringRef Name = "hooks.bc") {
    return load(bitcode(Target + HooksText), Name);
  }
};

TEST_F(NamedModulesTest, HooksOfBitcodeGetACodeObjectWithTheirVariables) {
  auto Images = readModule(bitcode(Target + HooksText), "hooks.bc");
  ASSERT_TRUE(bool(Images)) << toString(Images.takeError());
  ASSERT_EQ(Images->size(), 1u);
  EXPECT_EQ(Images->front().Target.str(), "gfx90a");
  auto Object = CodeObject::create(Images->front().Bytes);
  ASSERT_TRUE(bool(Object));
  auto Variables = variablesOf(**Object);
  ASSERT_TRUE(bool(Variables));
  // What constants hold is not known, nor what managed variables are.
  ASSERT_EQ(Variables->size(), 1u);
  EXPECT_EQ(Variables->front().Name, "Count");
  EXPECT_EQ(Variables->front().Size, 8u);
  EXPECT_EQ((*Object)->version(), 4u);
}

TEST_F(NamedModulesTest, ModuleSaysWhatIsInIt) {
  auto Module = load(deviceBitcode(), "/some/where/device.bc");
  ASSERT_TRUE(Module);
  ASSERT_FALSE(Modules.ask(*Module, [](const ToolModule::Contents &All) {
    EXPECT_EQ(join(All.Hooks, " "), "another count");
    EXPECT_EQ(join(All.Targets, " "), "gfx90a");
    EXPECT_EQ(All.Compilation, "c0ffee");
    EXPECT_EQ(All.Variables.at("Own").Size, 12u);
    EXPECT_FALSE(All.Variables.at("Own").IsManaged);
    EXPECT_EQ(All.Variables.at("Shared").Size, 8u);
    EXPECT_TRUE(All.Variables.at("Shared").IsManaged);
    EXPECT_FALSE(All.Variables.count("Shared.managed"));
  }));
}

TEST_F(NamedModulesTest, ManagedVariableHasItsInitialValue) {
  auto Module = load(deviceBitcode(), "device.bc");
  ASSERT_TRUE(Module);
  Expected<void *> Memory = Modules.managed(*Module, "Shared", 8);
  ASSERT_TRUE(bool(Memory)) << toString(Memory.takeError());
  EXPECT_EQ(*static_cast<uint64_t *>(*Memory), 9u);
  expectFault(Modules.managed(*Module, "Own", 12).takeError(),
              ModuleFault::NoVariable, "Own of device.bc is not managed");
  expectFault(Modules.managed(*Module, "Shared", 4).takeError(),
              ModuleFault::WrongSize, "has 8 bytes, not 4");
}

TEST_F(NamedModulesTest, OtherFilesAreNoModules) {
  auto Refused = [](ArrayRef<uint8_t> Bytes, StringRef Part) {
    auto Images = readModule(Bytes, "file");
    ASSERT_FALSE(bool(Images));
    expectFault(Images.takeError(), ModuleFault::NotAModule, Part);
  };
  Refused({}, "neither a code object");
  Refused(arrayRefFromStringRef("int main() {}"), "neither a code object");
  Refused(bitcode(Target + "define void @f() \"target-cpu\"=\"gfx90a\" "
                           "{ ret void }"),
          "it has no hooks");
  Refused(bitcode("target triple = \"x86_64-pc-linux-gnu\"\n"
                  "define void @f() { ret void }"),
          "for x86_64-pc-linux-gnu");
  std::vector<uint8_t> Short = bitcode(Target + HooksText);
  Short.resize(Short.size() / 2);
  Refused(Short, "file is no module");
}

TEST_F(NamedModulesTest, BundleHasOneCodeObjectForEachTarget) {
  const std::vector<uint8_t> Image = bitcode(Target + HooksText);
  const std::string ID = "hipv4-amdgcn-amd-amdhsa--gfx90a";
  auto One = readModule(writeBundle({{ID, Image, true}}), "one");
  ASSERT_TRUE(bool(One)) << toString(One.takeError());
  auto Two = readModule(writeBundle({{ID, Image, true}, {ID, Image, true}}),
                        "two.bundle");
  ASSERT_FALSE(bool(Two));
  expectFault(Two.takeError(), ModuleFault::NotAModule,
              "several code objects for gfx90a");
}

TEST_F(NamedModulesTest, HandlesAreOfOneHookEach) {
  auto First = hooks("first.bc"), Second = hooks("second.bc");
  auto A = Modules.handleOf(*First, "count"),
       Again = Modules.handleOf(*First, "count"),
       B = Modules.handleOf(*Second, "count"),
       C = Modules.handleOf(*First, "another");
  ASSERT_TRUE(A && Again && B && C);
  EXPECT_EQ(*A, *Again);
  EXPECT_NE(*A, *B);
  EXPECT_NE(*A, *C);
  expectFault(Modules.handleOf(*First, "helper").takeError(),
              ModuleFault::NoHook,
              "first.bc has no hook helper; it has another, count");
}

TEST_F(NamedModulesTest, HookOfARemovedModuleIsRefused) {
  auto Module = hooks();
  std::weak_ptr<ToolModule> Memory = Module;
  auto Handle = Modules.handleOf(*Module, "count");
  ASSERT_TRUE(bool(Handle));
  const uint64_t Number = Modules.remove(*Module);
  EXPECT_TRUE(Modules.isHookOf(*Handle, Number));
  EXPECT_TRUE(Module->IsUnloaded);
  Module.reset();
  EXPECT_TRUE(Memory.expired());
  auto Later = hooks();
  EXPECT_NE(*Modules.handleOf(*Later, "count"), *Handle);
  Expected<HookReference> Hook = Modules.resolve(*Handle, Agent);
  ASSERT_FALSE(Hook);
  handleAllErrors(Hook.takeError(), [&](const Refusal &R) {
    EXPECT_EQ(R.reason(), RefusalReason::UnknownHook);
    EXPECT_EQ(R.detail(),
              "hook count is of the module hooks.bc, which is unloaded");
  });
}

TEST_F(NamedModulesTest, ModulesThatComeAndGoLeaveNothing) {
  // Each link leaves something in lld's arenas, so only one.
  auto Images = readModule(bitcode(Target + HooksText), "hooks.bc");
  ASSERT_TRUE(bool(Images)) << toString(Images.takeError());
  auto LoadAndUnload = [&] {
    auto Module = Modules.addDynamic(
        std::move(*ToolModule::makeDynamic("hooks.bc", *Images)));
    EXPECT_TRUE(bool(Modules.handleOf(*Module, "count")));
    Modules.remove(*Module);
  };
  for (int I = 0; I != 10; ++I)
    LoadAndUnload();
  const size_t Before = ::mallinfo2().uordblks;
  for (int I = 0; I != 1000; ++I)
    LoadAndUnload();
  // A pointer for each, in memory that doubles.
  EXPECT_LE(::mallinfo2().uordblks, Before + 2048 * sizeof(void *));
}

TEST_F(NamedModulesTest, VariablesAreCheckedBeforeAnyDeviceIsAsked) {
  auto Module = hooks();
  uint64_t Value = 0;
  expectFault(Modules.read(*Module, "Cuont", Agent, &Value, 8),
              ModuleFault::NoVariable, "it has Cell, Count, Table");
  expectFault(Modules.write(*Module, "Count", Agent, &Value, 4),
              ModuleFault::WrongSize,
              "variable Count of hooks.bc has 8 bytes, not 4");
  EXPECT_EQ(toString(Modules.read(*Module, "Count", Agent, &Value, 8)),
            "the GPU runtime is not running");
  EXPECT_FALSE(Modules.bind(*Module, "Count", Agent, 4096, 8));
}

TEST_F(NamedModulesTest, CodeOfATargetIsFoundWithoutADevice) {
  auto Module = hooks();
  auto Handle = Modules.handleOf(*Module, "count");
  ASSERT_TRUE(bool(Handle));
  auto Here = Modules.resolveOffline(*Handle, *TargetID::parse("gfx90a"));
  ASSERT_TRUE(bool(Here)) << toString(Here.takeError());
  EXPECT_EQ(Here->Function, "count");
  EXPECT_TRUE(Modules.offlineCode(*Here->Module));
  auto Elsewhere = Modules.resolveOffline(*Handle, *TargetID::parse("gfx908"));
  ASSERT_FALSE(bool(Elsewhere));
  EXPECT_EQ(detailOf(Elsewhere.takeError()),
            "hooks.bc is built for gfx90a, not for gfx908");
}

/// As a hook of a module sees the device.
class PlacedModulesTest : public NamedModulesTest {
protected:
  ToolModules &modules() { return Modules; }
  const HookModule &open(ToolModule &Module) {
    auto Handle = Modules.handleOf(Module, "count");
    EXPECT_TRUE(bool(Handle)) << toString(Handle.takeError());
    auto Hook = Modules.resolve(*Handle, Agent);
    EXPECT_TRUE(bool(Hook)) << toString(Hook.takeError());
    return *Hook->Module;
  }
  uint64_t found(const HookModule &Hooks, StringRef Name) {
    auto Found = Hooks.Places->find(Name);
    EXPECT_TRUE(bool(Found)) << toString(Found.takeError());
    return Found ? *Found : 0;
  }

  test::FakeHsa Hsa;
  uint64_t Own = 0, Cell = 0, Memory = 0; ///< As on the device.
  void SetUp() override {
    Hsa.Variables = {{"Own", reinterpret_cast<uint64_t>(&Own)},
                     {"Shared", reinterpret_cast<uint64_t>(&Cell)},
                     {"Shared.managed", reinterpret_cast<uint64_t>(&Memory)}};
  }
};

TEST_F(PlacedModulesTest, CodeIsLoadedOnceForAVariableThatIsNotManaged) {
  auto Module = load(deviceBitcode(), "device.bc");
  const HookModule &Hooks = open(*Module);
  EXPECT_EQ(Hsa.NumLoaded, 0u);
  EXPECT_EQ(Hooks.Places->findPlaced("Own"), std::nullopt);
  for (unsigned I = 0; I < 2; ++I) {
    EXPECT_EQ(found(Hooks, "Own"), reinterpret_cast<uint64_t>(&Own));
    EXPECT_EQ(Hsa.NumLoaded, 1u);
    EXPECT_EQ(Hsa.NumCopies, 0u);
  }
  EXPECT_EQ(Hooks.Places->findPlaced("Own"), reinterpret_cast<uint64_t>(&Own));
}

TEST_F(PlacedModulesTest, CellIsFilledWhenSomebodyAsksForIt) {
  auto Module = load(deviceBitcode(), "device.bc");
  const HookModule &Hooks = open(*Module);
  EXPECT_EQ(found(Hooks, "Own"), reinterpret_cast<uint64_t>(&Own));
  EXPECT_EQ(Hooks.Places->findPlaced("Shared"), std::nullopt);
  EXPECT_EQ(Cell, 0u);
  for (unsigned I = 0; I < 2; ++I) {
    EXPECT_EQ(found(Hooks, "Shared"), reinterpret_cast<uint64_t>(&Cell));
    EXPECT_EQ(Cell, Hooks.ManagedStorage.lookup("Shared"));
    EXPECT_EQ(Hsa.NumCopies, 1u);
  }
  EXPECT_EQ(*reinterpret_cast<const uint64_t *>(Cell), 9u) << "it begins with";
}

TEST_F(PlacedModulesTest, LoadingIsTriedOnceAndSaysOfWhat) {
  auto Module = load(deviceBitcode(), "device.bc");
  const HookModule &Hooks = open(*Module);
  Hsa.LoadStatus = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
  for (unsigned I = 0; I < 2; ++I) {
    auto Found = Hooks.Places->find("Own");
    ASSERT_FALSE(bool(Found));
    EXPECT_TRUE(
        StringRef(toString(Found.takeError())).starts_with("device.bc: "));
    EXPECT_EQ(Hsa.NumLoaded, 1u);
    Hsa.LoadStatus = HSA_STATUS_SUCCESS;
  }
  EXPECT_NE(Hooks.ManagedStorage.lookup("Shared"), 0u) << "needs no code";
}

TEST_F(PlacedModulesTest, NothingIsLoadedForModulesThatAreGone) {
  auto Module = load(deviceBitcode(), "device.bc");
  const std::shared_ptr<VariablePlaces> Places = open(*Module).Places;
  modules().remove(*Module);
  Module.reset();
  auto Found = Places->find("Own");
  ASSERT_FALSE(bool(Found));
  consumeError(Found.takeError());
  EXPECT_EQ(Places->findPlaced("Own"), std::nullopt);
  EXPECT_EQ(Hsa.NumLoaded, 0u);
}

TEST_F(PlacedModulesTest, ANewSessionOfTheRuntimeHasPlacesOfItsOwn) {
  auto Module = load(deviceBitcode(), "device.bc");
  const std::shared_ptr<VariablePlaces> Before = open(*Module).Places;
  EXPECT_TRUE(bool(Before->find("Own")));
  modules().unloaded();
  const HookModule &Hooks = open(*Module);
  EXPECT_NE(Hooks.Places, Before);
  EXPECT_EQ(Hooks.Places->findPlaced("Own"), std::nullopt);
  EXPECT_EQ(found(Hooks, "Own"), reinterpret_cast<uint64_t>(&Own));
  EXPECT_EQ(Hsa.NumLoaded, 2u);
}

TEST_F(PlacedModulesTest, BoundMemoryNeedsNoCode) {
  auto Module = load(deviceBitcode(), "device.bc");
  uint32_t Elsewhere[3] = {};
  const auto Address = reinterpret_cast<uint64_t>(&Elsewhere);
  Error Bound = modules().bind(*Module, "Own", Agent, Address, 12);
  ASSERT_FALSE(bool(Bound)) << toString(std::move(Bound));
  const HookModule &Hooks = open(*Module);
  EXPECT_EQ(found(Hooks, "Own"), Address);
  EXPECT_EQ(Hooks.Places->findPlaced("Own"), Address);
  EXPECT_EQ(Hsa.NumLoaded, 0u);
}

TEST(SourceCompilerTest, SaysWhatIsMissing) {
  expectFault(compileSource("", {}).takeError(), ModuleFault::NoCompiler,
              "there are no devices, and no targets are named");
  // Nothing is installed beside this test.
  expectFault(compileSource("", {.Targets = {"gfx90a"}}).takeError(),
              ModuleFault::NoCompiler, "hook-compiler.cfg");
}

TEST(InstrumentationModuleTest, EmptyOneSaysSo) {
  InstrumentationModule None;
  EXPECT_FALSE(None.isLoaded());
  expectFault(None.hook("count").takeError(), ModuleFault::Unloaded,
              "there is no module");
  expectFault(None.unload(), ModuleFault::Unloaded, "there is no module");
  EXPECT_EQ(None, InstrumentationModule());
}

} // namespace
