// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What payloads wait for.
#include "PayloadRun.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::test;

namespace {

class PayloadWaits : public ::testing::TestWithParam<EngineTarget> {
protected:
  PayloadRun Run{GetParam()};

  /// Instructions of \p Hook that wait for memory operations. Each takes one
  /// word, with the opcode in its upper half.
  unsigned waits(const char *Hook) {
    Run.parseHooks(Hook);
    Run.Hooks.Variables["Variable"] = Run.allocate(64);
    auto P = Run.compile("hook", Run.abi());
    if (!P) {
      ADD_FAILURE() << toString(P.takeError());
      return 0;
    }
    const bool IsGfx12 = StringRef(GetParam().Processor) == "gfx1201";
    unsigned Count = 0;
    for (size_t Byte = 0; Byte < P->Code.size(); Byte += 4) {
      const uint32_t Opcode = support::endian::read32le(&P->Code[Byte]) >> 16;
      Count += IsGfx12 ? Opcode >= 0xbfc0 && Opcode <= 0xbfc9
                       : is_contained({0xbf8c, 0xbbfd, 0xbf89, 0xbc7c}, Opcode);
    }
    return Count;
  }
};
INSTANTIATE_TEST_SUITE_P(Every, PayloadWaits, ::testing::ValuesIn(allTargets()),
                         targetName);

/// There is one wait, for the pointer.
TEST_P(PayloadWaits, AreNotForOperationsWithoutResult) {
  EXPECT_EQ(1u, waits(R"(
@Variable = external addrspace(1) global ptr addrspace(1)
define void @hook() #0 {
  %p = load ptr addrspace(1), ptr addrspace(1) @Variable, !invariant.load !0
  %old = atomicrmw add ptr addrspace(1) %p, i64 7 syncscope("agent") monotonic
  ret void
}
!0 = !{})"));
}

TEST_P(PayloadWaits, AreForResultsThatNobodyUses) {
  EXPECT_LT(0u, waits(R"(
@Variable = external addrspace(1) global i32
define void @hook() #0 {
  %ignored = load volatile i32, ptr addrspace(1) @Variable
  ret void
})"));
}

TEST_P(PayloadWaits, AreForWhatAFenceReleases) {
  EXPECT_LT(0u, waits(R"(
@Variable = external addrspace(1) global i32
define void @hook() #0 {
  store i32 7, ptr addrspace(1) @Variable
  fence syncscope("agent") release
  ret void
})"));
}

} // namespace
