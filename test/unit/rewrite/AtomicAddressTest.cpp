// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Addresses of atomic operations that return nothing, as compilers mostly emit
// them. What is to be in memory is worked out before, from what a plain load
// finds; a hook behind the operation must find just that.
#include "AddressCases.h"

namespace luthier::test {
namespace {

using Space = MemorySpace;

/// Data is in v12, or in v[14:15].
struct Update {
  const char
      *Name;       ///< In instructions other than DS; null where there is none.
  const char *Lds; ///< In DS instructions.
  /// From what was there, in v10 or v[10:11], to the low dword of what will be,
  /// in v10. May change data, for example such that they win a comparison.
  const char *Expect;
  bool IsWide = false, Compares = false;
};

constexpr Update Updates[] = {
    {"add", "add_u32", "vadd v10, v10, v12"},
    {"sub", "sub_u32",
     "v_not_b32_e32 v10, v10\nvadd v10, v10, v12\nv_not_b32_e32 v10, v10"},
    {nullptr, "rsub_u32",
     "v_not_b32_e32 v7, v12\nvadd v10, v7, v10\nv_not_b32_e32 v10, v10"},
    {"smin", "min_i32", "v_min_i32_e32 v10, v10, v12"},
    {"umin", "min_u32", "v_min_u32_e32 v10, v10, v12"},
    {"smax", "max_i32", "v_max_i32_e32 v10, v10, v12"},
    {"umax", "max_u32", "v_max_u32_e32 v10, v10, v12"},
    {"and", "and_b32", "v_and_b32_e32 v10, v10, v12"},
    {"or", "or_b32", "v_or_b32_e32 v10, v10, v12"},
    {"xor", "xor_b32", "v_xor_b32_e32 v10, v10, v12"},
    {"swap", nullptr, "v_mov_b32_e32 v10, v12"},
    {"inc", "inc_u32", "v_mov_b32_e32 v12, -1\nvadd v10, 1, v10"},
    {"dec", "dec_u32", "v_mov_b32_e32 v12, -1\nvadd v10, -1, v10"},
    {"cmpswap", "cmpst_b32", "v_mov_b32_e32 v13, v10\nv_mov_b32_e32 v10, v12",
     false, true},
    {"add_x2", "add_u64", "vadd v10, v10, v14", true},
    {"sub_x2", "sub_u64",
     "v_not_b32_e32 v10, v10\nvadd v10, v10, v14\nv_not_b32_e32 v10, v10",
     true},
    {nullptr, "rsub_u64",
     "v_not_b32_e32 v7, v14\nvadd v10, v7, v10\nv_not_b32_e32 v10, v10", true},
    {"smin_x2", "min_i64", "v_bfrev_b32_e32 v15, 1\nv_mov_b32_e32 v10, v14",
     true},
    {"umin_x2", "min_u64", "v_mov_b32_e32 v15, 0\nv_mov_b32_e32 v10, v14",
     true},
    {"smax_x2", "max_i64", "v_bfrev_b32_e32 v15, -2\nv_mov_b32_e32 v10, v14",
     true},
    {"umax_x2", "max_u64", "v_mov_b32_e32 v15, -1\nv_mov_b32_e32 v10, v14",
     true},
    {"and_x2", "and_b64", "v_and_b32_e32 v10, v10, v14", true},
    {"or_x2", "or_b64", "v_or_b32_e32 v10, v10, v14", true},
    {"xor_x2", "xor_b64", "v_xor_b32_e32 v10, v10, v14", true},
    {"swap_x2", nullptr, "v_mov_b32_e32 v10, v14", true},
    {"inc_x2", "inc_u64",
     "v_mov_b32_e32 v14, -1\nv_mov_b32_e32 v15, -1\nvadd v10, 1, v10", true},
    {"dec_x2", "dec_u64",
     "v_mov_b32_e32 v14, -1\nv_mov_b32_e32 v15, -1\nvadd v10, -1, v10", true},
    {"cmpswap_x2", "cmpst_b64",
     "v_mov_b32_e32 v14, v10\nv_mov_b32_e32 v15, v11\nv_mov_b32_e32 v10, v12",
     true, true},
};

/// Beginnings of processors' names, each behind a space.
using Processors = const char *;
constexpr Processors Everywhere = " gfx";
constexpr Processors SinceMi100 = " gfx908 gfx90a gfx94 gfx95 gfx11 gfx12";
constexpr Processors SinceMi300 = " gfx94 gfx95 gfx11 gfx12";
constexpr Processors PackedMi100 = " gfx908 gfx90a gfx94 gfx95 gfx12";
constexpr Processors PackedMi300 = " gfx94 gfx95 gfx12";
constexpr Processors WithDoubles = " gfx90a gfx94 gfx95";
constexpr Processors Rdna = " gfx10 gfx11 gfx12";

/// Memory is given v6 or v[6:7] before, so that there are no NaNs.
struct FloatUpdate {
  const char *Name, *LastName; ///< The latter on generation 12.
  const char *Lds, *LastLds;
  const char *Numbers, *Expect;
  Processors Global, Flat, Buffer, Local;
  bool IsWide = false;
};

constexpr char Singles[] = "v_cvt_f32_u32_e32 v6, v12\n"
                           "v_cvt_f32_u32_e32 v12, v13\n";
constexpr char Doubles[] = "v_cvt_f64_u32_e32 v[6:7], v12\n"
                           "v_cvt_f64_u32_e32 v[14:15], v13\n";
/// The lane's number twice, whose double is exact.
constexpr char Halves[] = "v_cvt_f32_u32_e32 v6, v0\n"
                          "v_cvt_pkrtz_f16_f32 v6, v6, v6\n"
                          "v_mov_b32_e32 v12, v6\n";
constexpr char ShortSingles[] = "v_cvt_f32_u32_e32 v6, v0\n"
                                "v_lshrrev_b32_e32 v7, 16, v6\n"
                                "v_or_b32_e32 v6, v6, v7\n"
                                "v_mov_b32_e32 v12, v6\n";
constexpr char ShortDouble[] = "v_lshlrev_b32_e32 v10, 16, v10\n"
                               "v_add_f32_e32 v10, v10, v10\n"
                               "v_lshrrev_b32_e32 v7, 16, v10\n"
                               "v_or_b32_e32 v10, v10, v7";

constexpr FloatUpdate FloatUpdates[] = {
    {"add_f32", "add_f32", "add_f32", "add_f32", Singles,
     "v_add_f32_e32 v10, v10, v12", SinceMi100, SinceMi300, SinceMi100,
     Everywhere},
    {"fmin", "min_num_f32", "min_f32", "min_num_f32", Singles,
     "v_min_f32_e32 v10, v10, v12", Rdna, Rdna, Rdna, Everywhere},
    {"fmax", "max_num_f32", "max_f32", "max_num_f32", Singles,
     "v_max_f32_e32 v10, v10, v12", Rdna, Rdna, Rdna, Everywhere},
    {"pk_add_f16", "pk_add_f16", "pk_add_f16", "pk_add_f16", Halves,
     "v_pk_add_f16 v10, v10, v12", PackedMi100, PackedMi300, PackedMi100,
     PackedMi300},
    {"pk_add_bf16", "pk_add_bf16", "pk_add_bf16", "pk_add_bf16", ShortSingles,
     ShortDouble, PackedMi300, PackedMi300, " gfx95 gfx12", PackedMi300},
    {"add_f64", "", "add_f64", "", Doubles,
     "v_add_f64 v[10:11], v[10:11], v[14:15]", WithDoubles, WithDoubles,
     WithDoubles, WithDoubles, true},
    {"min_f64", "", "min_f64", "min_num_f64", Doubles,
     "v_min_f64 v[10:11], v[10:11], v[14:15]", WithDoubles, WithDoubles,
     WithDoubles, Everywhere, true},
    {"max_f64", "", "max_f64", "max_num_f64", Doubles,
     "v_max_f64 v[10:11], v[10:11], v[14:15]", WithDoubles, WithDoubles,
     WithDoubles, Everywhere, true},
};

/// How operations get to a place that is Offset behind v1, in Data or in LDS.
struct Way {
  Space Through;
  bool ToLds;
  unsigned Offset;
  std::string Setup;
  /// Around the name of the update, and around its data.
  std::string Prefix, BeforeData, AfterData;
};

class AtomicAddressTest : public AddressTest {
protected:
  void expectAll(const Way &W);

private:
  bool isAmong(Processors Names) const {
    const std::string All = Names, Mine = std::string(" ") + target().Processor;
    for (size_t Length = 4; Length <= Mine.size(); ++Length)
      if ((All + " ").find(Mine.substr(0, Length) + " ") != std::string::npos)
        return true;
    return false;
  }
  static AddressCase updating(const Way &W, const std::string &Name,
                              const std::string &Data, bool IsWide,
                              const std::string &Setup) {
    AddressCase C =
        atomic(W.Through, W.Prefix + Name + W.BeforeData + Data + W.AfterData,
               IsWide ? 8 : 4, Setup);
    C.IsStore = true;
    return C;
  }
  AddressCase updating(const Way &W, const Update &U) const;
  AddressCase updating(const Way &W, const FloatUpdate &U) const;
  /// The old value, into v[10:11].
  static std::string load(const Way &W) {
    const std::string Offset = " offset:" + std::to_string(W.Offset);
    return (W.ToLds ? "ds_read_b64 v[10:11], v1"
                    : "global_load_dwordx2 v[10:11], v1, s[4:5]") +
           Offset + "\nwait_all\n";
  }
  static std::string fill(const Way &W, bool IsWide) {
    const std::string Offset = " offset:" + std::to_string(W.Offset);
    if (W.ToLds)
      return (IsWide ? "ds_write_b64 v1, v[6:7]" : "ds_write_b32 v1, v6") +
             Offset + "\nwait_all\n";
    return (IsWide ? "global_store_dwordx2 v1, v[6:7], s[4:5]"
                   : "global_store_dword v1, v6, s[4:5]") +
           Offset + "\nwait_all\n";
  }
};

AddressCase AtomicAddressTest::updating(const Way &W, const Update &U) const {
  const bool IsDs = W.Through == Space::LDS;
  std::string Name = IsDs ? U.Lds : U.Name;
  std::string Data = U.IsWide ? "v[14:15]" : "v12";
  if (U.Compares && !IsDs) {
    Data = U.IsWide ? "v[12:15]" : "v[12:13]";
  } else if (U.Compares) {
    const std::string New = U.IsWide ? "v[12:13]" : "v12",
                      Old = U.IsWide ? "v[14:15]" : "v13";
    const bool IsLater = generation() >= 11;
    if (IsLater)
      Name.replace(0, 5, "cmpstore");
    Data = IsLater ? New + ", " + Old : Old + ", " + New;
  }
  return updating(W, Name, Data, U.IsWide, W.Setup + load(W) + U.Expect);
}

AddressCase AtomicAddressTest::updating(const Way &W,
                                        const FloatUpdate &U) const {
  const bool IsLast = generation() == 12;
  const char *Name = W.Through == Space::LDS ? (IsLast ? U.LastLds : U.Lds)
                                             : (IsLast ? U.LastName : U.Name);
  return updating(W, Name, U.IsWide ? "v[14:15]" : "v12", U.IsWide,
                  U.Numbers + W.Setup + fill(W, U.IsWide) + load(W) + U.Expect);
}

void AtomicAddressTest::expectAll(const Way &W) {
  const Space S = W.Through;
  std::vector<AddressCase> Cases;
  for (const Update &U : Updates)
    if (S == Space::LDS ? U.Lds : U.Name)
      Cases.push_back(updating(W, U));
  expectFound(Cases);
  expectFound(Cases, 0x10);
  Cases.clear();
  for (const FloatUpdate &U : FloatUpdates)
    if (isAmong(S == Space::LDS      ? U.Local
                : S == Space::Global ? U.Global
                : S == Space::Flat   ? U.Flat
                                     : U.Buffer))
      Cases.push_back(updating(W, U));
  if (!Cases.empty())
    expectFound(Cases);
}

TEST_P(AtomicAddressTest, Global) {
  expectAll({Space::Global, false, 24, "", "global_atomic_", " v1, ",
             ", s[4:5] offset:24"});
  expectAll({Space::Global, false, 8, "", "global_atomic_", " v[2:3], ",
             ", off offset:8"});
}

TEST_P(AtomicAddressTest, Flat) {
  expectAll({Space::Flat, false, 0, "", "flat_atomic_", " v[2:3], ", ""});
}

/// What is in LDS is reached through its aperture.
TEST_P(AtomicAddressTest, FlatToLds) {
  // Cases use the same SGPR, for which generation 12 must be told to wait.
  const std::string Wait =
      generation() == 12 ? "s_wait_alu depctr_sa_sdst(0)\n" : "";
  expectAll({Space::Flat, true, 0,
             "s_mov_b64 s[10:11], src_shared_base\nv_mov_b32_e32 v4, v1\n" +
                 Wait + "v_mov_b32_e32 v5, s11\n",
             "flat_atomic_", " v[4:5], ", ""});
}

TEST_P(AtomicAddressTest, Buffer) {
  expectAll({Space::Buffer, false, 16,
             "s_mov_b32 s8, s4\ns_mov_b32 s9, s5\ns_mov_b32 s10, 0x3ff00\n"
             "s_mov_b32 s11, " +
                 std::string(generation() >= 10 ? "0x30000000" : "0") +
                 "\nv_mov_b32_e32 v4, v1\n",
             "buffer_atomic_", " ",
             ", v4, s[8:11], " +
                 std::string(generation() == 12 ? "null" : "0") +
                 " offen offset:16"});
}

TEST_P(AtomicAddressTest, Local) {
  expectAll({Space::LDS, true, 40, "", "ds_", " v1, ", " offset:40"});
}

/// Further operations on LDS, with operands of their own.
TEST_P(AtomicAddressTest, LocalOfOtherKinds) {
  auto masked = [](const char *Name, const char *Data, unsigned Bytes,
                   const char *Clear, const char *Set) {
    AddressCase C = atomic(
        Space::LDS, std::string(Name) + " v1, " + Data + " offset:8", Bytes,
        std::string("ds_read_b32 v10, v1 offset:8\nwait_all\n"
                    "v_not_b32_e32 v6, ") +
            Clear + "\nv_and_b32_e32 v10, v10, v6\n" +
            "v_or_b32_e32 v10, v10, " + Set);
    C.IsStore = true;
    return C;
  };
  std::vector<AddressCase> Cases = {
      masked("ds_mskor_b32", "v12, v13", 4, "v12", "v13"),
      masked("ds_mskor_b64", "v[12:13], v[14:15]", 8, "v12", "v14")};
  if (generation() == 12) {
    // More is taken away than there is; what is there is zero then.
    AddressCase Clamped = atomic(Space::LDS, "ds_sub_clamp_u32 v1, v12", 4,
                                 "v_mov_b32_e32 v12, -1\n");
    Clamped.IsStore = true;
    Cases.push_back(Clamped);
  }
  expectFound(Cases);
}

INSTANTIATE_TEST_SUITE_P(Targets, AtomicAddressTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
