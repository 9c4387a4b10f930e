// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effective addresses of scalar memory instructions.
#include "AddressCases.h"

namespace luthier::test {
namespace {

using Space = MemorySpace;

class ScalarAddressTest : public AddressTest {
protected:
  static std::string descriptor(const char *Offset) {
    return "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 0x10000\n"
           "s_mov_b32 s11, 0\ns_mov_b32 s12, " +
           std::string(Offset) + "\n";
  }

  /// What is stored, or returned.
  static constexpr char Numbers[] =
      "s_mov_b32 s16, 0x1234567\ns_mov_b32 s17, 0x89abcde\n"
      "s_mov_b32 s18, 0x13572468\ns_mov_b32 s19, 0x2468ace\n"
      "s_mov_b32 s12, 0x48\n";
};

TEST_P(ScalarAddressTest, Loads) {
  auto scalar = [](std::string Instruction, unsigned Bytes,
                   std::string Setup = "") {
    AddressCase C =
        load(Space::Scalar, std::move(Instruction), Bytes, std::move(Setup));
    C.Value = "s16";
    return C;
  };
  const std::string Descriptor = descriptor("0x44");
  std::vector<AddressCase> Cases = {
      scalar("s_load_dword s16, s[4:5], 0x0", 4),
      scalar("s_load_dword s16, s[4:5], 0x124", 4),
      scalar("s_load_dword s16, s[8:9], -0x10", 4,
             "s_add_u32 s8, s4, 0x100\ns_addc_u32 s9, s5, 0"),
      scalar("s_load_dword s16, s[4:5], s12", 4, "s_mov_b32 s12, 0x58"),
      scalar("s_load_dword s16, s[4:5], s12 offset:0x20", 4,
             "s_mov_b32 s12, 0x60"),
      scalar("s_load_dwordx2 s[16:17], s[4:5], 0x30", 8),
      scalar("s_load_dwordx4 s[16:19], s[4:5], 0x40", 16),
      scalar("s_load_dwordx8 s[16:23], s[4:5], 0x80", 32),
      scalar("s_buffer_load_dword s16, s[8:11], 0x14", 4, Descriptor),
      scalar("s_buffer_load_dword s16, s[8:11], s12", 4, Descriptor),
      scalar("s_buffer_load_dwordx2 s[16:17], s[8:11], s12 offset:0x8", 8,
             Descriptor),
  };
  Cases.push_back(scalar("s_load_dword s16, s[4:5], 0x12340", 4));
  Cases.push_back(scalar("s_load_dwordx16 s[32:47], s[4:5], 0x100", 64));
  Cases.back().Value = "s32";
  Cases.push_back(
      scalar("s_buffer_load_dwordx4 s[16:19], s[8:11], 0x40", 16, Descriptor));
  if (generation() == 12) {
    Cases.push_back(scalar("s_load_b96 s[16:18], s[4:5], 0x34", 12));
    Cases.push_back(scalar("s_buffer_load_u16 s16, s[8:11], s12 offset:0x6", 2,
                           Descriptor));
    Cases.push_back(scalar("s_load_b32 s16, s[8:9], -0x1230", 4,
                           "s_add_u32 s8, s4, 0x2000\ns_addc_u32 s9, s5, 0"));
    Cases.push_back(scalar("s_load_u8 s16, s[4:5], 0x31", 1));
    Cases.push_back(scalar("s_load_i16 s16, s[4:5], 0x32", 2));
  } else {
    // What does not fit a dword is dropped, from each part.
    Cases.push_back(
        scalar("s_load_dword s16, s[4:5], s12", 4, "s_mov_b32 s12, 0x5b"));
  }
  expectFound(Cases);
  expectFound(Cases, 0x100);
}

class ScalarStoreAddressTest : public ScalarAddressTest {};
INSTANTIATE_TEST_SUITE_P(Targets, ScalarStoreAddressTest,
                         ::testing::ValuesIn(gfx9Targets()), targetName);
class ScalarScratchAddressTest : public ScalarAddressTest {};
INSTANTIATE_TEST_SUITE_P(
    Targets, ScalarScratchAddressTest,
    ::testing::ValuesIn(targetsOf({"gfx906", "gfx908", "gfx90a"})), targetName);

TEST_P(ScalarStoreAddressTest, Stores) {
  auto stored = [](std::string Instruction, unsigned Bytes,
                   const std::string &Setup) {
    AddressCase C =
        store(Space::Scalar, std::move(Instruction), Bytes, Setup + Numbers);
    C.Value = "s16";
    C.Post = "s_dcache_wb\nwait_all\n";
    return C;
  };
  const std::string Descriptor = descriptor("0");
  const std::vector<AddressCase> Cases = {
      stored("s_store_dword s16, s[4:5], 0x10", 4, ""),
      stored("s_store_dwordx2 s[16:17], s[4:5], s12", 8, ""),
      stored("s_store_dwordx4 s[16:19], s[4:5], 0x60", 16, ""),
      stored("s_buffer_store_dword s16, s[8:11], 0x30", 4, Descriptor),
      stored("s_buffer_store_dwordx2 s[16:17], s[8:11], s12", 8, Descriptor),
      stored("s_buffer_store_dwordx4 s[16:19], s[8:11], 0x80", 16, Descriptor),
  };
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

/// An offset in a register counts 64 bytes there. Only the wave's own scratch
/// may be accessed, whose address later targets keep to themselves.
TEST_P(ScalarScratchAddressTest, ScratchAccesses) {
  Scratch = 256;
  // Three dwords of each lane, next to those of other lanes.
  const std::string Filled = "s_mov_b64 s[8:9], flat_scratch\n"
                             "v_mov_b32_e32 v4, 0\n"
                             "scratch_store_dword v4, v12, off\n"
                             "scratch_store_dword v4, v13, off offset:4\n"
                             "scratch_store_dword v4, v14, off offset:8\n"
                             "wait_all\n";
  auto scalar = [&](AddressCase C, const char *Setup) {
    C.Setup = Filled + Numbers + Setup;
    C.Value = "s16";
    return C;
  };
  const Space S = Space::Scalar;
  expectFound({
      scalar(load(S, "s_scratch_load_dword s16, s[8:9], s12", 4),
             "s_mov_b32 s12, 5\n"),
      scalar(load(S, "s_scratch_load_dwordx2 s[16:17], s[8:9], 0x128", 8), ""),
      scalar(load(S, "s_scratch_load_dwordx4 s[16:19], s[8:9], s12 offset:0x24",
                  16),
             "s_mov_b32 s12, 3\n"),
      scalar(store(S, "s_scratch_store_dword s16, s[8:9], s12", 4),
             "s_mov_b32 s12, 9\n"),
      scalar(store(S, "s_scratch_store_dwordx2 s[16:17], s[8:9], 0x48", 8), ""),
      scalar(store(S,
                   "s_scratch_store_dwordx4 s[16:19], s[8:9], s12 offset:0x34",
                   16),
             "s_mov_b32 s12, 7\n"),
  });
}

/// Those that return find what was there in the register of the data; behind
/// the others, memory holds what is worked out here.
TEST_P(ScalarStoreAddressTest, AtomicOperations) {
  struct Update {
    const char *Name;
    /// From s[20:21], what was there, and s[16:17] to the low dword in s13.
    const char *Expect;
    bool IsWide = false, Compares = false;
  };
  constexpr Update Updates[] = {
      {"add", "s_add_u32 s13, s20, s16"},
      {"sub", "s_sub_u32 s13, s20, s16"},
      {"umin", "s_min_u32 s13, s20, s16"},
      {"smax", "s_max_i32 s13, s20, s16"},
      {"and", "s_and_b32 s13, s20, s16"},
      {"xor", "s_xor_b32 s13, s20, s16"},
      {"swap", "s_mov_b32 s13, s16"},
      {"inc", "s_mov_b32 s16, -1\ns_add_u32 s13, s20, 1"},
      {"cmpswap", "s_mov_b32 s17, s20\ns_mov_b32 s13, s16", false, true},
      {"add_x2", "s_add_u32 s13, s20, s16", true},
      {"or_x2", "s_or_b32 s13, s20, s16", true},
      {"umax_x2", "s_mov_b32 s17, -1\ns_mov_b32 s13, s16", true},
      {"swap_x2", "s_mov_b32 s13, s16", true},
      {"cmpswap_x2", "s_mov_b64 s[18:19], s[20:21]\ns_mov_b32 s13, s16", true,
       true},
  };
  for (const bool IsBuffer : {false, true})
    for (const bool InRegister : {false, true}) {
      std::vector<AddressCase> Cases;
      for (const Update &U : Updates)
        for (const char *Returning : {"", " glc"}) {
          const unsigned Dwords = (U.IsWide ? 2 : 1) * (U.Compares ? 2 : 1);
          const std::string Data =
              Dwords == 1 ? "s16" : "s[16:" + std::to_string(15 + Dwords) + "]";
          const std::string Offset = InRegister ? "s12" : "0x28";
          AddressCase C = atomic(
              Space::Scalar,
              std::string(IsBuffer ? "s_buffer_atomic_" : "s_atomic_") +
                  U.Name + " " + Data + ", " +
                  (IsBuffer ? "s[8:11], " : "s[4:5], ") + Offset + Returning,
              U.IsWide ? 8 : 4,
              descriptor("0") + Numbers + "s_load_dwordx2 s[20:21], s[4:5], " +
                  (InRegister ? "0x48" : "0x28") + "\nwait_all\n" + U.Expect);
          C.IsStore = !*Returning;
          C.Value = C.IsStore ? "s13" : "s16";
          Cases.push_back(C);
        }
      expectFound(Cases);
    }
}

INSTANTIATE_TEST_SUITE_P(Targets, ScalarAddressTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
