// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hooks get implicit arguments that the kernel itself is not given: they are
// added to its kernel arguments, whatever code object versions the two are of.
#include "ChangedDescriptor.h"
#include "EngineTest.h"
#include "rewrite/plan/KernargGrowth.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

/// Takes nothing but its two arguments.
std::string kernel(const std::string &Parameters) {
  return "declare i32 @llvm.amdgcn.workitem.id.x()\n"
         "define amdgpu_kernel void @k(" +
         Parameters + R"() #1 {
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %v = mul i32 %l, %n
  %at = getelementptr i32, ptr addrspace(1) %p, i32 %l
  store i32 %v, ptr addrspace(1) %at
  ret void
}
attributes #1 = { "amdgpu-no-implicitarg-ptr" "amdgpu-implicitarg-num-bytes"="0" "amdgpu-no-hostcall-ptr" "amdgpu-no-heap-ptr" "amdgpu-no-multigrid-sync-arg" "amdgpu-no-default-queue" "amdgpu-no-completion-action" "amdgpu-no-queue-ptr" }
)";
}
const std::string Plain = "ptr addrspace(1) %p, i32 %n",
                  Preloading = "ptr addrspace(1) inreg %p, i32 inreg %n";

struct Field {
  unsigned Offset, Bytes;
  uint64_t Value; ///< In the launch below.
};

/// A hook of \p Version that writes down what it finds at each offset.
std::string hookReading(ArrayRef<Field> Fields, unsigned Version) {
  std::string IR = "declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()\n"
                   "define void @h() #0 {\n"
                   "%i = call ptr addrspace(4) "
                   "@llvm.amdgcn.implicitarg.ptr()\n";
  for (unsigned N = 0; N < Fields.size(); ++N) {
    const std::string I = std::to_string(N),
                      Bits = std::to_string(8 * Fields[N].Bytes);
    IR += "%a" + I + " = getelementptr i8, ptr addrspace(4) %i, i64 " +
          std::to_string(Fields[N].Offset) + "\n%v" + I + " = load i" + Bits +
          ", ptr addrspace(4) %a" + I + "\n";
    if (Fields[N].Bytes < 8)
      IR += "%w" + I + " = zext i" + Bits + " %v" + I + " to i64\n";
    IR += "%t" + I + " = getelementptr i64, ptr addrspace(1) @Counters, i32 " +
          I + "\nstore i64 %" + (Fields[N].Bytes < 8 ? "w" : "v") + I +
          ", ptr addrspace(1) %t" + I + "\n";
  }
  return IR +
         "ret void\n}\n!llvm.module.flags = !{!0}\n!0 = !{i32 1, "
         "!\"amdhsa_code_object_version\", i32 " +
         std::to_string(Version) + "}\n";
}

constexpr Field Version5[] = {{0, 4, 3},
                              {4, 4, 2},
                              {8, 4, 2}, // Complete groups.
                              {12, 2, 8},
                              {14, 2, 4},
                              {16, 2, 2}, // Their sizes.
                              {18, 2, 1},
                              {20, 2, 1},
                              {22, 2, 1}, // What is left.
                              {0, 8, 3 | 2ull << 32},
                              {40, 8, 0},
                              {64, 2, 3}, // Two at once.
                              {88, 8, 0},
                              {104, 8, 0},
                              {112, 8, 0},
                              {120, 4, 96}};
constexpr Field Version4[] = {{0, 8, 0},  {8, 8, 0},  {16, 8, 0},
                              {32, 8, 0}, {40, 8, 0}, {48, 8, 0}};

class HiddenArguments : public EngineTest {
protected:
  KernelLaunch launch() const {
    KernelLaunch Launch{{25, 9, 5}, {8, 4, 2}};
    Launch.DynamicLds = 96;
    Launch.Arguments.words(8).value(uint32_t(5));
    return Launch;
  }
  void expectFields(const Object &K, ArrayRef<Field> Fields, unsigned Version) {
    setHooks(hookReading(Fields, Version));
    Judgement J = expectUnchanged(K, launch(), everywhere("h"));
    if (!J.Problem.empty())
      return;
    for (unsigned N = 0; N < Fields.size(); ++N)
      EXPECT_EQ(J.counters()[N], Fields[N].Value) << Fields[N].Offset;
    const KernargGrowth &Growth = J.Instrumented.Kernarg;
    EXPECT_GE(Growth.OldSize, 12u);
    // All that the application is sure to have there.
    EXPECT_LE(Growth.OldSize, K->kernels().front().Metadata.KernargSegmentSize);
    auto New = CodeObject::create(J.Instrumented.CodeObject);
    ASSERT_TRUE(bool(New)) << toString(New.takeError());
    const KernelInfo &Info = (*New)->kernels().front();
    EXPECT_EQ(Info.Descriptor.raw().kernarg_size, Growth.NewSize);
    EXPECT_EQ(Info.Metadata.KernargSegmentSize, Growth.NewSize);
    const KernargLayout Layout = kernargLayout(Info);
    EXPECT_EQ(Layout.ExplicitSize, 12u);
    for (const KernargGrowth::Argument &A : Growth.Added)
      EXPECT_EQ(Layout.Hidden.at(A.Kind), A.Offset);
  }
};

TEST_P(HiddenArguments, AreAddedForHooksOfEitherVersion) {
  for (unsigned Version : {4, 5, 6}) {
    SCOPED_TRACE(Version);
    Object K = fromIR(kernel(Plain), Version);
    ASSERT_TRUE(kernargLayout(K->kernels().front()).Hidden.empty());
    expectFields(K, Version5, 500);
    expectFields(K, Version4, 400);
  }
}

TEST_P(HiddenArguments, AreAddedWhereArgumentsArePreloaded) {
  expectFields(fromIR(kernel(Preloading)), Version5, 500);
}

/// What the descriptor says of preloading counts where hardware does it alone.
TEST_P(HiddenArguments, AreNotBehindWhatNobodyPreloads) {
  const Object K = withChangedDescriptor(
      *fromIR(kernel(Plain)),
      [](amdhsa::kernel_descriptor_t &D) { D.kernarg_preload = 0xffff; });
  const StringRef P = target().Processor;
  if (P != "gfx90a" && P != "gfx942" && P != "gfx950")
    return expectFields(K, Version5, 500);
  // There it begins at a second entry, which this kernel lacks.
  setHooks(hookReading(Version5, 500));
  Options.RunAlone = false;
  expectRefused(K, launch(), everywhere("h"),
                RefusalReason::UndecodableInstruction);
}

TEST_P(HiddenArguments, OfHipAloneAreRefusedByName) {
  const std::pair<unsigned, const char *> Unknown[] = {
      {72, "hidden_printf_buffer"},
      {80, "hidden_hostcall_buffer"},
      {96, "hidden_heap_v1"}};
  for (auto [Offset, Name] : Unknown) {
    setHooks(hookReading({{Offset, 8, 0}}, 500));
    Judgement J = judge(target(), fromIR(kernel(Plain)), launch(), Hooks,
                        everywhere("h"), Options);
    EXPECT_EQ(J.Refused, RefusalReason::UnsupportedHook);
    EXPECT_NE(J.Problem.find(Name), std::string::npos) << J.Problem;
  }
}

TEST_P(HiddenArguments, MayBeOneOfSeveral) {
  // As blockDim.x of version 5, of a group that is cut off; and a choice
  // between addresses rather than distances, of two steps.
  setHooks(R"(
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.workgroup.id.x()
define void @h() #0 {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %g = call i32 @llvm.amdgcn.workgroup.id.x()
  %count = load i32, ptr addrspace(4) %i
  %whole = icmp ult i32 %g, %count
  %n = select i1 %whole, i64 6, i64 9
  %a = getelementptr i16, ptr addrspace(4) %i, i64 %n
  %v = load i16, ptr addrspace(4) %a
  %w = zext i16 %v to i64
  %at = getelementptr i64, ptr addrspace(1) @Counters, i32 %g
  store i64 %w, ptr addrspace(1) %at
  %i4 = getelementptr i8, ptr addrspace(4) %i, i64 4
  %p = select i1 %whole, ptr addrspace(4) %i, ptr addrspace(4) %i4
  %p8 = getelementptr i8, ptr addrspace(4) %p, i64 12
  %low = icmp eq i32 %g, 0
  %q = select i1 %low, ptr addrspace(4) %i, ptr addrspace(4) %p8
  %cast = addrspacecast ptr addrspace(4) %q to ptr
  %b = load i16, ptr %cast
  %c = zext i16 %b to i64
  %bt = getelementptr i64, ptr addrspace(1) %at, i32 4
  store i64 %c, ptr addrspace(1) %bt
  ret void
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"amdhsa_code_object_version", i32 500})");
  Judgement J =
      expectUnchanged(fromIR(kernel(Plain)), launch(), everywhere("h"));
  if (!J.Problem.empty())
    return;
  std::vector<uint64_t> Sizes = J.counters();
  Sizes.resize(8);
  EXPECT_EQ(Sizes, (std::vector<uint64_t>{8, 8, 8, 1, 3, 8, 8, 2}));
}

TEST_P(HiddenArguments, AreReadAtFixedPlacesOnly) {
  setHooks(R"(
declare ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
declare i32 @llvm.amdgcn.workitem.id.x()
define void @h() #0 {
  %i = call ptr addrspace(4) @llvm.amdgcn.implicitarg.ptr()
  %l = call i32 @llvm.amdgcn.workitem.id.x()
  %a = getelementptr i64, ptr addrspace(4) %i, i32 %l
  %v = load i64, ptr addrspace(4) %a
  store i64 %v, ptr addrspace(1) @Counters
  ret void
})");
  expectRefused(fromIR(kernel(Plain)), launch(), everywhere("h"),
                RefusalReason::UnsupportedHook);
}

INSTANTIATE_TEST_SUITE_P(Targets, HiddenArguments,
                         ::testing::ValuesIn(allTargets()), targetName);

/// The layout alone.
class KernargGrowthTest : public ::testing::Test {
protected:
  KernargGrowthTest() {
    Layout.ExplicitSize = 12;
    Kernel.Metadata.KernargSegmentSize = 12;
  }
  Expected<KernargGrowth> grow(unsigned Version, HiddenArgument Kind,
                               bool Offline = false) {
    return growKernarg(Layout, Kernel, Version, hiddenBit(Kind), Offline);
  }
  void expectAt(Expected<KernargGrowth> Growth, unsigned Offset,
                unsigned Size) {
    ASSERT_TRUE(bool(Growth)) << toString(Growth.takeError());
    ASSERT_EQ(Growth->Added.size(), 1u);
    EXPECT_EQ(Growth->Added[0].Offset, Offset);
    EXPECT_EQ(Growth->NewSize, Size);
  }
  void expectRefused(Expected<KernargGrowth> Growth, StringRef Why) {
    ASSERT_FALSE(bool(Growth));
    const std::string Text = toString(Growth.takeError());
    EXPECT_NE(Text.find(Why), std::string::npos) << Text;
  }
  KernargLayout Layout;
  KernelInfo Kernel{
      "k", 0, 0, 0, KernelDescriptor(amdhsa::kernel_descriptor_t{}), {}};
};

TEST_F(KernargGrowthTest, UsesTheVersionsOwnPlaces) {
  expectAt(grow(5, HiddenArgument::GroupSizeX), 16 + 12, 32);
  expectAt(grow(4, HiddenArgument::MultigridSync), 16 + 48, 72);
  // What is there stays there.
  EXPECT_EQ(Layout.Hidden.at(HiddenArgument::GroupSizeX), 28u);
}

TEST_F(KernargGrowthTest, PutsTheRestBehindAll) {
  expectAt(grow(4, HiddenArgument::GroupSizeX), 16 + 56 + 12, 88);
  // Somebody else's place.
  Layout.Hidden[HiddenArgument::PrintfBuffer] = 16 + 32;
  expectAt(grow(4, HiddenArgument::DefaultQueue), 88 + 104, 200);
  // Larger than it says in its list.
  Kernel.Metadata.KernargSegmentSize = 1000;
  expectAt(grow(4, HiddenArgument::GroupSizeY), 1000 + 14, 1016);
}

TEST_F(KernargGrowthTest, KeepsWhatHardwareWouldPreload) {
  Layout.ExplicitSize = Kernel.Metadata.KernargSegmentSize = 0;
  Layout.PreloadedEnd = 456;
  auto Growth = grow(5, HiddenArgument::GroupSizeX);
  ASSERT_TRUE(bool(Growth)) << toString(Growth.takeError());
  EXPECT_EQ(Growth->OldSize, 456u);
  EXPECT_GE(Growth->Added[0].Offset, 456u);
}

TEST_F(KernargGrowthTest, DoesNotGuessWhereUnknownArgumentsEnd) {
  Layout = {};
  expectAt(grow(5, HiddenArgument::GroupSizeX), 256 + 12, 272);
  Kernel.Metadata.KernargSegmentSize = 0;
  Layout = {};
  Kernel.Descriptor.raw().kernel_code_properties |=
      amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR;
  expectRefused(grow(5, HiddenArgument::GroupSizeX), "how large");
}

TEST_F(KernargGrowthTest, PutsAllBehindUnknownArguments) {
  using enum HiddenArgument;
  Kernel.Metadata.KernargSegmentSize = 16;
  Layout = {};
  auto Sizes = growKernarg(Layout, Kernel, 5,
                           hiddenBit(GroupSizeX) | hiddenBit(GroupSizeY),
                           /*Offline=*/false);
  ASSERT_TRUE(bool(Sizes)) << toString(Sizes.takeError());
  ASSERT_EQ(Sizes->Added.size(), 2u);
  EXPECT_EQ(Sizes->Added[0].Offset, 256u + 12);
  EXPECT_EQ(Sizes->Added[1].Offset, 256u + 14);

  Layout = {};
  const uint32_t Wanted = hiddenBit(LaunchValue) | hiddenBit(WavesPerGroup);
  const LaunchShare Shares[] = {{0, Wanted}, {1, Wanted}};
  auto Shared =
      growKernarg(Layout, Kernel, 4, Wanted, /*Offline=*/false, Shares);
  ASSERT_TRUE(bool(Shared)) << toString(Shared.takeError());
  ASSERT_EQ(Shared->Added.size(), 4u);
  for (unsigned N : {0, 1, 2, 3})
    EXPECT_EQ(Shared->Added[N].Offset, Shared->Added[0].Offset +
                                           N / 2 * LaunchArgumentsBytes +
                                           N % 2 * 24);
}

TEST_F(KernargGrowthTest, GivesNothingThatIsThere) {
  Layout.Hidden[HiddenArgument::HostcallBuffer] = 96;
  auto Growth = grow(5, HiddenArgument::HostcallBuffer);
  ASSERT_TRUE(bool(Growth));
  EXPECT_FALSE(Growth->any());
}

TEST_F(KernargGrowthTest, GivesEachToolItsShare) {
  using enum HiddenArgument;
  const uint32_t First = hiddenBit(LaunchValue) | hiddenBit(BlocksX);
  const LaunchShare Shares[] = {
      {1, First}, {2, hiddenBit(LaunchValue) | hiddenBit(GroupMemory)}};
  for (unsigned Version : {4, 5}) {
    auto Growth =
        growKernarg(Layout, Kernel, Version, First, /*Offline=*/false, Shares);
    ASSERT_TRUE(bool(Growth)) << toString(Growth.takeError());
    const unsigned Base = 16 + 256;
    ASSERT_EQ(Growth->Added.size(), 4u);
    const auto &Added = Growth->Added;
    EXPECT_EQ(Added[0].Tool, 1u);
    EXPECT_EQ(Added[1].Kind, BlocksX);
    EXPECT_EQ(Added[1].Offset, Added[0].Offset + 8);
    EXPECT_EQ(Added[0].Offset, Base);
    EXPECT_EQ(Added[2].Kind, LaunchValue);
    EXPECT_EQ(Added[2].Tool, 2u);
    EXPECT_EQ(Added[2].Offset, Added[0].Offset + LaunchArgumentsBytes);
    // Beside it, as the hooks' code has them.
    EXPECT_EQ(Added[3].Offset, Added[2].Offset + 28);
    EXPECT_EQ(Growth->NewSize, Added[3].Offset + 4);
    EXPECT_EQ(Layout.Hidden.at(GroupMemory), Added[0].Offset + 28);
    Layout.Hidden.clear();
  }
}

/// Version 4 has no place for the queue: it gets one where the launch's values
/// would be.
TEST_F(KernargGrowthTest, KeepsLaunchArgumentsTogether) {
  using enum HiddenArgument;
  const uint32_t OfFirst =
      hiddenBit(LaunchValue) | hiddenBit(BlocksX) | hiddenBit(GroupMemory);
  const LaunchShare Shares[] = {{1, OfFirst}, {2, launchArguments()}};
  auto Growth = growKernarg(Layout, Kernel, 4, OfFirst | hiddenBit(QueuePtr),
                            /*Offline=*/false, Shares);
  ASSERT_TRUE(bool(Growth)) << toString(Growth.takeError());
  const unsigned Base = Layout.Hidden.at(LaunchValue);
  EXPECT_EQ(Layout.Hidden.at(BlocksX), Base + 8);
  EXPECT_EQ(Layout.Hidden.at(GroupMemory), Base + 28);
  for (const auto &A : Growth->Added)
    for (const auto &B : Growth->Added)
      EXPECT_TRUE(&A == &B || A.Offset + infoOf(A.Kind).Bytes <= B.Offset ||
                  B.Offset + infoOf(B.Kind).Bytes <= A.Offset)
          << infoOf(A.Kind).ValueKind << " of tool " << A.Tool << " and "
          << infoOf(B.Kind).ValueKind << " of tool " << B.Tool;
}

TEST_F(KernargGrowthTest, AsksHipForWhatItKnowsInFiles) {
  expectAt(grow(4, HiddenArgument::HostcallBuffer, true), 16 + 24, 48);
  expectAt(grow(5, HiddenArgument::Heap, true), 16 + 96, 120);
  expectRefused(grow(4, HiddenArgument::GroupSizeX, true), "version 4");
  expectRefused(grow(5, HiddenArgument::PrintfBuffer, true), "printf");
  expectRefused(grow(5, HiddenArgument::DynamicLdsSize, true), "dynamic_lds");
}

} // namespace
