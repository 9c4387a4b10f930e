// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effective addresses of all forms of memory instructions, on every target.
#include "AddressCases.h"

namespace luthier::test {
namespace {

using Space = MemorySpace;

TEST_P(AddressTest, Global) {
  const std::string Return = returning();
  std::vector<AddressCase> Cases = {
      load(Space::Global, "global_load_dword v10, v1, s[4:5]", 4),
      load(Space::Global, "global_load_dword v10, v1, s[4:5] offset:20", 4),
      load(Space::Global, "global_load_dword v10, v1, s[4:5] offset:-8", 4,
           "v_or_b32_e32 v1, 0x1000, v1"),
      load(Space::Global, "global_load_dword v10, v[2:3], off", 4),
      load(Space::Global, "global_load_dword v10, v[2:3], off offset:2044", 4),
      load(Space::Global, "global_load_ubyte v10, v1, s[4:5] offset:3", 1),
      load(Space::Global, "global_load_sbyte v10, v[2:3], off offset:1", 1),
      load(Space::Global, "global_load_ushort v10, v1, s[4:5] offset:2", 2),
      load(Space::Global, "global_load_sshort v10, v1, s[4:5] offset:6", 2),
      load(Space::Global, "global_load_dwordx2 v[10:11], v1, s[4:5]", 8),
      load(Space::Global, "global_load_dwordx3 v[10:12], v[2:3], off", 12),
      load(Space::Global, "global_load_dwordx4 v[10:13], v1, s[4:5]", 16),
      load(Space::Global, "global_load_short_d16 v10, v1, s[4:5] offset:4", 2),
      store(Space::Global, "global_store_dword v1, v12, s[4:5] offset:32", 4),
      store(Space::Global, "global_store_byte v1, v12, s[4:5] offset:33", 1),
      store(Space::Global, "global_store_short v[2:3], v12, off offset:34", 2),
      store(Space::Global, "global_store_dwordx2 v1, v[12:13], s[4:5]", 8),
      store(Space::Global, "global_store_dwordx4 v[2:3], v[12:15], off", 16),
      atomic(Space::Global, "global_atomic_add v10, v1, v12, s[4:5]" + Return,
             4),
      atomic(Space::Global,
             "global_atomic_add_x2 v[10:11], v[2:3], v[14:15], off offset:8" +
                 Return,
             8),
      atomic(Space::Global,
             "global_atomic_cmpswap v10, v1, v[12:13], s[4:5]" + Return, 4),
      atomic(Space::Global, "global_atomic_swap v10, v[2:3], v12, off" + Return,
             4),
  };
  if (generation() >= 10)
    Cases.push_back(load(Space::Global,
                         "global_load_dword_addtid v10, s[4:5] offset:8", 4));
  // M0 says which of 32 registers are loaded.
  if (generation() == 12)
    Cases.push_back(load(Space::Global,
                         "global_load_block v[10:41], v[2:3], off offset:4",
                         128, "s_mov_b32 m0, 1"));
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

/// Halves of registers, floating point in memory, and the rarer sizes.
TEST_P(AddressTest, GlobalOfOtherKinds) {
  const std::string Return = returning();
  const std::string High = "v_lshrrev_b32_e32 v10, 16, v10\n";
  AddressCase LoadHigh = load(
      Space::Global, "global_load_short_d16_hi v10, v1, s[4:5] offset:2", 2);
  LoadHigh.Post = High;
  AddressCase LoadHighByte = load(
      Space::Global, "global_load_ubyte_d16_hi v10, v[2:3], off offset:5", 1);
  LoadHighByte.Post = High;
  AddressCase StoreHigh = store(
      Space::Global, "global_store_short_d16_hi v1, v12, s[4:5] offset:2", 2);
  StoreHigh.Post = "v_lshrrev_b32_e32 v12, 16, v12\n";
  AddressCase StoreHighByte = store(
      Space::Global, "global_store_byte_d16_hi v[2:3], v12, off offset:7", 1);
  StoreHighByte.Post = StoreHigh.Post;
  std::vector<AddressCase> Cases = {
      LoadHigh,
      LoadHighByte,
      StoreHigh,
      StoreHighByte,
      load(Space::Global, "global_load_ubyte_d16 v10, v1, s[4:5] offset:9", 1),
      load(Space::Global, "global_load_sbyte_d16 v10, v[2:3], off offset:9", 1),
      store(Space::Global, "global_store_dwordx3 v1, v[12:14], s[4:5] offset:4",
            12),
      atomic(Space::Global, "global_atomic_inc v10, v1, v12, s[4:5]" + Return,
             4),
      atomic(Space::Global,
             "global_atomic_cmpswap_x2 v[10:11], v1, v[12:15], s[4:5]" + Return,
             8),
      atomic(Space::Global,
             "global_atomic_umin_x2 v[10:11], v1, v[14:15], s[4:5]" + Return,
             8),
  };
  if (generation() >= 11)
    Cases.push_back(
        atomic(Space::Global,
               "global_atomic_add_f32 v10, v1, v12, s[4:5]" + Return, 4));
  if (isAnyOf({"gfx90a", "gfx942", "gfx950"})) {
    Cases.push_back(
        atomic(Space::Global,
               "global_atomic_add_f32 v10, v1, v12, s[4:5]" + Return, 4));
    Cases.push_back(atomic(Space::Global,
                           "global_atomic_add_f64 v[10:11], v1, v[14:15], "
                           "s[4:5] offset:8" +
                               Return,
                           8));
    Cases.push_back(
        atomic(Space::Global,
               "global_atomic_pk_add_f16 v10, v1, v12, s[4:5]" + Return, 4));
  }
  if (generation() == 12) {
    Cases.push_back(atomic(
        Space::Global,
        "global_atomic_pk_add_bf16 v10, v1, v12, s[4:5] offset:70000" + Return,
        4));
    Cases.push_back(load(Space::Global,
                         "global_load_b32 v10, v1, s[4:5] offset:100000", 4));
  }
  expectFound(Cases);
}

TEST_P(AddressTest, Flat) {
  // Into other registers for each case: gfx12 must be told to wait otherwise.
  auto toLds = [](const char *Pair, const char *High) {
    return std::string("s_mov_b64 ") + Pair +
           ", src_shared_base\nv_mov_b32_e32 v3, " + High +
           "\nv_mov_b32_e32 v2, v1";
  };
  const std::string ToGlobal = "v_mov_b32_e32 v3, s5\nvadd v2, s4, v1";
  expectFound({
      load(Space::Flat, "flat_load_dword v10, v[2:3]", 4),
      load(Space::Flat, "flat_load_ubyte v10, v[2:3]", 1),
      store(Space::Flat, "flat_store_dwordx2 v[2:3], v[12:13]", 8),
      atomic(Space::Flat, "flat_atomic_add v10, v[2:3], v12" + returning(), 4),
      load(Space::Flat, "flat_load_dword v10, v[2:3]", 4,
           toLds("s[10:11]", "s11")),
      store(Space::Flat, "flat_store_dword v[2:3], v12", 4,
            toLds("s[14:15]", "s15")),
      load(Space::Flat, "flat_load_dwordx4 v[10:13], v[2:3]", 16, ToGlobal),
  });
  if (generation() == 12)
    expectFound({load(Space::Flat, "flat_load_dword v10, v[2:3] offset:-16", 4,
                      "v_or_b32_e32 v2, 0x400, v2")});
  // gfx10 has a bug with offsets that compilers avoid.
  if (generation() != 10)
    expectFound(
        {load(Space::Flat, "flat_load_dword v10, v[2:3] offset:2048", 4)});
}

/// Lanes of one instruction go to memory, to LDS and to the stack.
TEST_P(AddressTest, FlatToEachSegment) {
  Scratch = 256;
  // v2 and v3 by the lane's lowest bits.
  const std::string Spread =
      "s_mov_b64 s[8:9], src_shared_base\ns_mov_b64 s[10:11], "
      "src_private_base\n"
      "v_and_b32_e32 v4, 7, v0\nv_lshlrev_b32_e32 v4, 4, v4\n"
      "vadd v2, s4, v1\nv_mov_b32_e32 v3, s5\n"
      "v_mov_b32_e32 v5, s9\nv_mov_b32_e32 v6, s11\n"
      "v_bfe_i32 v7, v0, 0, 1\nv_bfe_i32 v8, v0, 1, 1\n"
      "v_bfi_b32 v2, v7, v1, v2\nv_bfi_b32 v3, v7, v5, v3\n"
      "v_bfi_b32 v2, v8, v4, v2\nv_bfi_b32 v3, v8, v6, v3\n";
  expectFound({
      store(Space::Flat, "flat_store_dwordx2 v[2:3], v[12:13]", 8, Spread),
      load(Space::Flat, "flat_load_dword v10, v[2:3]", 4),
      store(Space::Flat, "flat_store_byte v[2:3], v12", 1),
      load(Space::Flat, "flat_load_ushort v10, v[2:3]", 2),
  });
}

TEST_P(AddressTest, Scratch) {
  Scratch = 256;
  const std::string V4 = "v_and_b32_e32 v4, 7, v0\nv_lshlrev_b32_e32 v4, 4, v4";
  std::vector<AddressCase> Cases = {
      store(Space::Scratch, "scratch_store_dword v4, v12, off offset:8", 4, V4),
      load(Space::Scratch, "scratch_load_dword v10, v4, off offset:8", 4, V4),
      store(Space::Scratch, "scratch_store_dword off, v12, s12 offset:20", 4,
            "s_mov_b32 s12, 64"),
      load(Space::Scratch, "scratch_load_dword v10, off, s12 offset:-12", 4,
           "s_mov_b32 s12, 96"),
      store(Space::Scratch, "scratch_store_byte v4, v12, off offset:1", 1, V4),
      store(Space::Scratch, "scratch_store_short v4, v12, off offset:2", 2, V4),
      store(Space::Scratch, "scratch_store_dwordx4 v4, v[12:15], off", 16, V4),
      load(Space::Scratch, "scratch_load_dwordx2 v[10:11], v4, off offset:4", 8,
           V4),
  };
  if (generation() > 10 || isAnyOf({"gfx942", "gfx950"})) {
    const std::string Both = V4 + "\ns_mov_b32 s12, 32";
    Cases.push_back(store(
        Space::Scratch, "scratch_store_dword v4, v12, s12 offset:4", 4, Both));
    Cases.push_back(load(Space::Scratch,
                         "scratch_load_dword v10, v4, s12 offset:4", 4, Both));
    Cases.push_back(store(Space::Scratch,
                          "scratch_store_dwordx3 v4, v[12:14], s12", 12, Both));
    Cases.push_back(load(Space::Scratch,
                         "scratch_load_ubyte v10, v4, s12 offset:3", 1, Both));
  }
  if (generation() >= 10 || isAnyOf({"gfx942", "gfx950"}))
    Cases.push_back(store(Space::Scratch,
                          "scratch_store_dword off, v12, off offset:16", 4));
  expectFound(Cases);
  // The last of the cases above leaves these.
  expectFound(Cases, 0x30);
}

TEST_P(AddressTest, Local) {
  auto second = [](AddressCase C, const char *Value) {
    C.Access = 1;
    C.Value = Value;
    return C;
  };
  const AddressCase Read2 =
      load(Space::LDS, "ds_read2_b32 v[10:11], v1 offset0:1 offset1:7", 4);
  const AddressCase Read2St64 =
      load(Space::LDS, "ds_read2st64_b32 v[10:11], v1 offset0:2 offset1:5", 4);
  const AddressCase Read2B64 =
      load(Space::LDS, "ds_read2_b64 v[10:13], v1 offset0:3 offset1:10", 8);
  const AddressCase Write2 =
      store(Space::LDS, "ds_write2_b32 v1, v12, v13 offset0:2 offset1:9", 4);
  const AddressCase Write2St64 =
      store(Space::LDS, "ds_write2st64_b64 v1, v[12:13], v[14:15] offset1:4", 8,
            "s_mov_b32 m0, -1");
  std::vector<AddressCase> Cases = {
      load(Space::LDS, "ds_read_b32 v10, v1", 4),
      load(Space::LDS, "ds_read_b32 v10, v1 offset:4092", 4),
      load(Space::LDS, "ds_read_u8 v10, v1 offset:3", 1),
      load(Space::LDS, "ds_read_i8 v10, v1 offset:5", 1),
      load(Space::LDS, "ds_read_u16 v10, v1 offset:6", 2),
      load(Space::LDS, "ds_read_u16_d16 v10, v1 offset:8", 2),
      load(Space::LDS, "ds_read_b64 v[10:11], v1 offset:8", 8),
      load(Space::LDS, "ds_read_b128 v[10:13], v1 offset:16", 16),
      Read2,
      second(Read2, "v11"),
      Read2St64,
      second(Read2St64, "v11"),
      Read2B64,
      second(Read2B64, "v12"),
      Write2,
      second(Write2, "v13"),
      Write2St64,
      second(Write2St64, "v14"),
      store(Space::LDS, "ds_write_b32 v1, v12 offset:8", 4),
      store(Space::LDS, "ds_write_b8 v1, v12 offset:9", 1),
      store(Space::LDS, "ds_write_b16 v1, v12 offset:10", 2),
      store(Space::LDS, "ds_write_b128 v1, v[12:15]", 16),
      atomic(Space::LDS, "ds_add_rtn_u32 v10, v1, v12 offset:12", 4),
      atomic(Space::LDS, "ds_min_rtn_u64 v[10:11], v1, v[14:15] offset:8", 8),
      atomic(Space::LDS, "ds_cmpst_rtn_b32 v10, v1, v12, v13", 4),
      atomic(Space::LDS, "ds_append v10 offset:16", 4, "s_mov_b32 m0, 0x40"),
      atomic(Space::LDS, "ds_consume v10", 4, "s_mov_b32 m0, 0x84"),
      load(Space::LDS, "ds_read_addtid_b32 v10 offset:24", 4,
           "s_mov_b32 m0, 0x100"),
      store(Space::LDS, "ds_write_addtid_b32 v12", 4, "s_mov_b32 m0, 0x300"),
  };
  if (generation() >= 11)
    for (AddressCase &C : Cases)
      if (auto At = C.Instruction.find("cmpst_"); At != std::string::npos)
        C.Instruction.replace(At, 6, "cmpstore_");
  expectFound(Cases);
}

TEST_P(AddressTest, LocalOfOtherKinds) {
  auto second = [](AddressCase C, const char *Value) {
    C.Access = 1;
    C.Value = Value;
    return C;
  };
  const bool HasLaterNames = generation() >= 11;
  auto named = [&](const char *Old, const char *New) {
    return std::string(HasLaterNames ? New : Old);
  };
  // Both places get what v12 and v13 have, and return what they had.
  const AddressCase Exchange =
      atomic(Space::LDS,
             named("ds_wrxchg2_rtn_b32", "ds_storexchg_2addr_rtn_b32") +
                 " v[10:11], v1, v12, v13 offset0:1 offset1:6",
             4);
  const AddressCase ExchangeFar = atomic(
      Space::LDS,
      named("ds_wrxchg2st64_rtn_b64", "ds_storexchg_2addr_stride64_rtn_b64") +
          " v[16:19], v1, v[12:13], v[14:15] offset0:1 offset1:3",
      8);
  AddressCase ReadHigh =
      load(Space::LDS, "ds_read_u16_d16_hi v10, v1 offset:6", 2);
  ReadHigh.Post = "v_lshrrev_b32_e32 v10, 16, v10\n";
  AddressCase WriteHigh =
      store(Space::LDS, "ds_write_b8_d16_hi v1, v12 offset:5", 1);
  WriteHigh.Post = "v_lshrrev_b32_e32 v12, 16, v12\n";
  AddressCase Masked =
      atomic(Space::LDS, "ds_mskor_rtn_b32 v10, v1, v12, v13 offset:4", 4);
  AddressCase FarFirst = ExchangeFar;
  FarFirst.Value = "v16";
  std::vector<AddressCase> Cases = {
      Exchange,
      second(Exchange, "v11"),
      FarFirst,
      second(ExchangeFar, "v18"),
      store(Space::LDS, "ds_write2_b64 v1, v[12:13], v[14:15] offset1:3", 8),
      ReadHigh,
      WriteHigh,
      Masked,
      load(Space::LDS, "ds_read_b96 v[10:12], v1 offset:16", 12),
      store(Space::LDS, "ds_write_b96 v1, v[12:14]", 12),
      load(Space::LDS, "ds_read_i8_d16 v10, v1 offset:7", 1),
      atomic(Space::LDS, "ds_add_rtn_f32 v10, v1, v12 offset:4", 4),
      atomic(Space::LDS, "ds_inc_rtn_u32 v10, v1, v12", 4),
      atomic(Space::LDS, "ds_condxchg32_rtn_b64 v[10:11], v1, v[14:15]", 8),
      atomic(Space::LDS,
             named("ds_cmpst_rtn_b64", "ds_cmpstore_rtn_b64") +
                 " v[10:11], v1, v[12:13], v[14:15]",
             8),
  };
  if (isAnyOf({"gfx90a", "gfx942", "gfx950"}))
    Cases.push_back(
        atomic(Space::LDS, "ds_add_rtn_f64 v[10:11], v1, v[14:15]", 8));
  if (isAnyOf({"gfx942", "gfx950"}) || generation() == 12)
    Cases.push_back(atomic(Space::LDS, "ds_pk_add_rtn_f16 v10, v1, v12", 4));
  expectFound(Cases);
}

class TransposedAddressTest : public AddressTest {};
INSTANTIATE_TEST_SUITE_P(Targets, TransposedAddressTest,
                         ::testing::ValuesIn(targetsOf({"gfx950"})),
                         targetName);

/// What arrives are parts of several lanes, each from that lane's address.
TEST_P(TransposedAddressTest, LocalTransposed) {
  auto transposed = [](const char *Name, const char *Registers,
                       unsigned Bytes) {
    AddressCase C =
        load(Space::LDS, std::string(Name) + " " + Registers + ", v1 offset:16",
             Bytes);
    C.Post = "ds_read_b32 v10, v1 offset:16\nwait_all\n";
    return C;
  };
  // Whole waves only.
  expectFound({transposed("ds_read_b64_tr_b16", "v[10:11]", 8),
               transposed("ds_read_b64_tr_b8", "v[10:11]", 8),
               transposed("ds_read_b64_tr_b4", "v[10:11]", 8),
               transposed("ds_read_b96_tr_b6", "v[10:12]", 12)},
              ~uint64_t(0));
}

class TwoAddressesTest : public AddressTest {};
INSTANTIATE_TEST_SUITE_P(Targets, TwoAddressesTest,
                         ::testing::ValuesIn(targetsOf({"gfx906", "gfx908"})),
                         targetName);

/// Operations whose second operand is in LDS, too: 3 dwords behind the first,
/// or as many as the upper bits of the address say.
TEST_P(TwoAddressesTest, LocalWithTwoAddresses) {
  const std::string Sum = "ds_read_b32 v10, v1\nds_read_b32 v6, v1 offset:12\n"
                          "wait_all\nvadd v10, v10, v6\n";
  AddressCase First = store(Space::LDS, "ds_add_src2_u32 v1 offset:3", 4, Sum);
  First.Flags = ReadsMemory | WritesMemory | IsAtomic;
  First.Value = "v10";
  AddressCase Second = load(Space::LDS, "ds_add_src2_u32 v1 offset:3", 4,
                            "ds_read_b32 v10, v1 offset:12\nwait_all\n");
  Second.Access = 1;
  const std::string InAddress = Sum + "v_or_b32_e32 v4, 0x60000, v1\n";
  AddressCase Far =
      store(Space::LDS, "ds_add_src2_u32 v4 offset:32768", 4, InAddress);
  Far.Flags = First.Flags;
  Far.Value = "v10";
  AddressCase Write = store(Space::LDS, "ds_write_src2_b32 v1 offset:3", 4,
                            "ds_read_b32 v10, v1 offset:12\nwait_all\n");
  Write.Value = "v10";
  expectFound({First, Second, Far, Write});
}

class LdsDirectAddressTest : public AddressTest {};
INSTANTIATE_TEST_SUITE_P(Targets, LdsDirectAddressTest,
                         ::testing::ValuesIn(targetsOf({"gfx906", "gfx908",
                                                        "gfx1030", "gfx1100",
                                                        "gfx1201"})),
                         targetName);

/// One value for all lanes, whose address and type are in M0.
TEST_P(LdsDirectAddressTest, LdsDirect) {
  const struct {
    unsigned Type, Bytes;
  } Types[] = {{0, 1}, {1, 2}, {2, 4}, {4, 1}, {5, 2}};
  std::vector<AddressCase> Cases;
  unsigned Offset = 0x40;
  for (const auto &T : Types) {
    // What is above type and address does not count.
    const std::string Setup =
        "s_mov_b32 m0, " +
        std::to_string(0xa5 << 24 | T.Type << 16 | (Offset += 0x124)) + "\n";
    auto add = [&](const std::string &Instruction, const char *Value = "v10",
                   const std::string &Wait = "") {
      Cases.push_back(load(Space::LDS, Instruction, T.Bytes, Setup + Wait));
      Cases.back().Value = Value;
    };
    // Loads that wait for nothing are right whatever the hook does with v10.
    if (generation() == 11) {
      add("lds_direct_load v10 wait_vdst:0");
      add("lds_direct_load v10 wait_vdst:15", "v10", "s_waitcnt_depctr 0");
    } else if (generation() == 12) {
      const std::string Wait = "\ns_wait_expcnt 0";
      add("ds_direct_load v10 wait_va_vdst:0 wait_vm_vsrc:0" + Wait);
      add("ds_direct_load v10 wait_va_vdst:15 wait_vm_vsrc:1" + Wait, "v10",
          "s_wait_alu 0");
    } else {
      add("v_mov_b32_e32 v10, src_lds_direct");
      add("v_or_b32_e64 v10, src_lds_direct, 0");
      add("v_readfirstlane_b32 s16, src_lds_direct", "s16");
    }
  }
  expectFound(Cases);
  expectFound(Cases, 0x30);
}

INSTANTIATE_TEST_SUITE_P(Targets, AddressTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
