// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effective addresses of what goes between memory and LDS without registers:
// memory is the first access, LDS the second.
#include "AddressCases.h"

namespace luthier::test {
namespace {

using Space = MemorySpace;

class BypassAddressTest : public AddressTest {
protected:
  /// A buffer that is Data, with v4 as v1; LDS from 0x100 on.
  const std::string Setup =
      "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 0x3ff00\n"
      "s_mov_b32 s11, " +
      std::string(generation() == 10 ? "0x30000000" : "0") +
      "\nv_mov_b32_e32 v4, v1\ns_mov_b32 m0, 0x100\n";

  /// What has arrived in LDS is read back, to be compared with both sides.
  static void addLoad(std::vector<AddressCase> &Cases, std::string Instruction,
                      Space From, const std::string &Setup, unsigned Bytes,
                      unsigned LdsOffset) {
    AddressCase Memory = load(From, std::move(Instruction), Bytes, Setup);
    const std::string Read = Bytes == 1   ? "ds_read_u8"
                             : Bytes == 2 ? "ds_read_u16"
                                          : "ds_read_b32";
    const unsigned PerLane = Bytes < 4 ? 4 : Bytes;
    Memory.Post =
        "v_mul_u32_u24_e32 v6, " + std::to_string(PerLane) + ", v0\n" + Read +
        " v10, v6 offset:" + std::to_string(LdsOffset) + "\nwait_all\n";
    AddressCase Local = Memory;
    Local.Access = 1;
    Local.Space = Space::LDS;
    Local.Flags = WritesMemory;
    Local.Bytes = PerLane;
    Local.IsStore = true;
    // All of the dword that arrives, whatever was loaded.
    const size_t Name = Local.Post.find(Read);
    Local.Post.replace(Name, Read.size(), "ds_read_b32");
    Cases.push_back(Memory);
    Cases.push_back(Local);
  }
  bool isMi300() const { return isAnyOf({"gfx942", "gfx950"}); }
};

class BypassLoadsTest : public BypassAddressTest {};
INSTANTIATE_TEST_SUITE_P(Targets, BypassLoadsTest,
                         ::testing::ValuesIn(targetsOf({"gfx906", "gfx908",
                                                        "gfx90a", "gfx942",
                                                        "gfx950", "gfx1030"})),
                         targetName);
class BypassScratchLoadsTest : public BypassAddressTest {};
INSTANTIATE_TEST_SUITE_P(Targets, BypassScratchLoadsTest,
                         ::testing::ValuesIn(targetsOf({"gfx942", "gfx950"})),
                         targetName);
class BypassStoresTest : public BypassAddressTest {};
INSTANTIATE_TEST_SUITE_P(
    Targets, BypassStoresTest,
    ::testing::ValuesIn(targetsOf({"gfx906", "gfx908", "gfx90a"})), targetName);

TEST_P(BypassLoadsTest, BufferLoads) {
  std::vector<AddressCase> Cases;
  const struct {
    const char *Name;
    unsigned Bytes;
  } Kinds[] = {
      {"dword", 4}, {"ubyte", 1}, {"sbyte", 1}, {"ushort", 2}, {"sshort", 2}};
  unsigned Offset = 8;
  for (const auto &Kind : Kinds) {
    addLoad(Cases,
            std::string("buffer_load_") + Kind.Name +
                " v4, s[8:11], 0 offen offset:" + std::to_string(Offset) +
                " lds",
            Space::Buffer, Setup, Kind.Bytes, 0x100 + Offset);
    Offset += 4;
  }
  addLoad(Cases, "buffer_load_dword v4, s[8:11], s12 offen offset:4 lds",
          Space::Buffer, Setup + "s_mov_b32 s12, 0x340\n", 4, 0x104);
  // One component of 32 bits.
  const std::string Format = generation() == 9 ? "0x24fac" : "0x30014fac";
  addLoad(Cases, "buffer_load_format_x v4, s[8:11], 0 offen offset:12 lds",
          Space::Buffer, Setup + "s_mov_b32 s11, " + Format, 4, 0x10c);
  if (isAnyOf({"gfx950"})) {
    addLoad(Cases, "buffer_load_dwordx3 v4, s[8:11], 0 offen lds",
            Space::Buffer, Setup, 12, 0x100);
    addLoad(Cases, "buffer_load_dwordx4 v4, s[8:11], 0 offen offset:16 lds",
            Space::Buffer, Setup, 16, 0x110);
  }
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

TEST_P(BypassLoadsTest, GlobalLoads) {
  std::vector<AddressCase> Cases;
  auto add = [&](const std::string &Kind, const std::string &Operands,
                 unsigned Bytes, uint64_t Offset) {
    addLoad(Cases,
            isMi300() ? "global_load_lds_" + Kind + " " + Operands
                      : "global_load_" + Kind + " " + Operands + " lds",
            Space::Global, Setup, Bytes, Offset);
  };
  add("dword", "v1, s[4:5] offset:16", 4, 0x110);
  add("ushort", "v[2:3], off offset:4", 2, 0x104);
  add("sshort", "v1, s[4:5]", 2, 0x100);
  add("ubyte", "v1, s[4:5] offset:8", 1, 0x108);
  add("sbyte", "v[2:3], off offset:12", 1, 0x10c);
  if (isAnyOf({"gfx950"})) {
    add("dwordx3", "v[2:3], off", 12, 0x100);
    add("dwordx4", "v1, s[4:5]", 16, 0x100);
  }
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

TEST_P(BypassScratchLoadsTest, ScratchLoads) {
  Scratch = 256;
  // Each lane has other words on its stack.
  const std::string Filled =
      Setup +
      std::string("v_and_b32_e32 v4, 7, v0\nv_lshlrev_b32_e32 v4, 4, v4\n"
                  "s_mov_b32 s12, 32\n"
                  "scratch_store_dwordx4 v4, v[12:15], off\n"
                  "scratch_store_dwordx4 v4, v[12:15], off offset:32\n"
                  "scratch_store_dwordx4 off, v[12:15], s12 offset:16\n"
                  "wait_all\n");
  std::vector<AddressCase> Cases;
  addLoad(Cases, "scratch_load_lds_dword v4, off offset:4", Space::Scratch,
          Filled, 4, 0x104);
  addLoad(Cases, "scratch_load_lds_dword off, s12 offset:20", Space::Scratch,
          Filled, 4, 0x114);
  addLoad(Cases, "scratch_load_lds_dword v4, s12 offset:8", Space::Scratch,
          Filled, 4, 0x108);
  addLoad(Cases, "scratch_load_lds_ubyte v4, off", Space::Scratch, Filled, 1,
          0x100);
  addLoad(Cases, "scratch_load_lds_sbyte v4, off offset:12", Space::Scratch,
          Filled, 1, 0x10c);
  addLoad(Cases, "scratch_load_lds_ushort v4, s12", Space::Scratch, Filled, 2,
          0x100);
  addLoad(Cases, "scratch_load_lds_sshort off, s12 offset:24", Space::Scratch,
          Filled, 2, 0x118);
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

/// From LDS to memory, where it is read back.
TEST_P(BypassStoresTest, BufferStores) {
  // Records of 16 bytes, by lane, so that lanes differ without a register.
  const std::string Added =
      Setup + std::string("s_or_b32 s9, s5, 0x100000\n"
                          "s_mov_b32 s11, 0x800000\ns_mov_b32 s12, 0x200\n");
  std::vector<AddressCase> Cases;
  auto both = [&](const std::string &Instruction, unsigned MemoryOffset,
                  unsigned LdsOffset) {
    AddressCase Local = load(Space::LDS, Instruction, 4,
                             Added + "v_mul_u32_u24_e32 v6, 4, v0\n");
    Local.Access = 1;
    Local.Post = "v_lshlrev_b32_e32 v5, 4, v0\n"
                 "global_load_dword v10, v5, s[4:5] offset:" +
                 std::to_string(MemoryOffset) + "\nwait_all\n";
    AddressCase Memory =
        store(Space::Buffer, Instruction, 4,
              Added +
                  "v_mul_u32_u24_e32 v6, 4, v0\nds_read_b32 v10, v6 "
                  "offset:" +
                  std::to_string(LdsOffset) + "\nwait_all\n");
    Memory.Value = "v10";
    Cases.push_back(Memory);
    Cases.push_back(Local);
  };
  both("buffer_store_lds_dword s[8:11], 0 offset:8 lds", 8, 0x108);
  both("buffer_store_lds_dword s[8:11], s12 offset:4 lds", 0x204, 0x104);
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

} // namespace
} // namespace luthier::test
