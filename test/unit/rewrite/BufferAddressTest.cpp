// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Effective addresses of buffer instructions, through descriptors of all kinds.
#include "AddressCases.h"
#include "SIDefines.h"
#include <random>

namespace luthier::test {
namespace {

using Space = MemorySpace;

/// How a buffer's descriptor is made of its base in s[4:5].
struct Descriptor {
  unsigned Stride = 0;
  bool IsSwizzled = false;
  unsigned ElementCode = 1;     ///< 2 << code bytes; always 4 before gfx11.
  unsigned IndexStrideCode = 0; ///< 8 << code records.
  bool AddsLane = false;
  bool HasFormat = false; ///< 32 bits, unsigned.
};

/// An element of unsigned components, as each generation numbers it, and how a
/// typed instruction names it.
struct Element {
  const char *Widths;
  unsigned Gfx9, Gfx10, Gfx11;
  unsigned Bytes;
};
namespace amdgpu = llvm::AMDGPU;
#define ELEMENT(Widths, Bytes)                                                 \
  Element {                                                                    \
    #Widths, amdgpu::MTBUFFormat::DFMT_##Widths,                               \
        amdgpu::UfmtGFX10::UFMT_##Widths##_UINT,                               \
        amdgpu::UfmtGFX11::UFMT_##Widths##_UINT, Bytes                         \
  }

class BufferAddressTest : public AddressTest {
protected:
  /// What instructions without a format of their own find in the descriptor.
  std::string setTyped(const Element &E) const {
    const unsigned Gen = generation();
    const uint32_t Word3 = Gen == 9    ? 4u << 12 | E.Gfx9 << 15 | 0xfac
                           : Gen == 10 ? E.Gfx10 << 12 | 3u << 28 | 0xfac
                                       : E.Gfx11 << 12 | 3u << 28 | 0xfac;
    return set({}) + "s_mov_b32 s11, " + std::to_string(Word3) + "\n";
  }
  std::string named(const Element &E) const {
    const std::string Widths = E.Widths;
    return generation() == 9
               ? " format:[BUF_DATA_FORMAT_" + Widths + ",BUF_NUM_FORMAT_UINT]"
               : " format:[BUF_FMT_" + Widths + "_UINT]";
  }
  /// Loads and stores of \p E in v[10:13], which come from or are compared with
  /// the element as it is in memory. Join makes its first dword, in v10, of
  /// what has arrived; Split makes data of v12 to v15, in v[20:23].
  void addTyped(std::vector<AddressCase> &Cases, const Element &E,
                const char *Components, unsigned Registers, const char *Join,
                const char *Split, bool IsHalf = false) const;

  std::string set(const Descriptor &D) const {
    const unsigned Gen = generation();
    uint32_t Word1 = D.Stride << 16;
    if (D.IsSwizzled)
      Word1 |= Gen >= 11 ? D.ElementCode << 30 : 1u << 31;
    uint32_t Word3 = D.IndexStrideCode << 21 | unsigned(D.AddsLane) << 23;
    if (D.HasFormat) {
      Word3 |= 0xfac; // Components in order.
      Word3 |= Gen == 9 ? 4u << 12 | 4u << 15 : 20u << 12;
    }
    // Later generations say how ranges are checked: in bytes.
    if (Gen >= 10)
      Word3 |= 3u << 28;
    auto number = [](uint32_t N) { return std::to_string(N) + "\n"; };
    return "s_mov_b32 s8, s4\ns_or_b32 s9, s5, " + number(Word1) +
           "s_mov_b32 s10, 0x3ff00\ns_mov_b32 s11, " + number(Word3);
  }
  /// The descriptor, then v4 = v0 * IndexScale and v5 = v1 + Plus (with v4 =
  /// v1 + Plus if only an offset is used).
  static std::string indices(bool Index, bool Offset) {
    std::string Text;
    if (Index)
      Text += "v_mul_u32_u24_e32 v4, 3, v0\n";
    if (Offset)
      Text += std::string("v_and_b32_e32 ") + (Index ? "v5" : "v4") +
              ", 0x3c, v9\n";
    return Text;
  }
  static std::string addressing(bool Index, bool Offset) {
    if (Index && Offset)
      return "v[4:5]";
    return Index || Offset ? "v4" : "off";
  }
  static std::string enables(bool Index, bool Offset) {
    return std::string(Index ? " idxen" : "") + (Offset ? " offen" : "");
  }
  /// No offset in a register.
  std::string noOffset() const { return generation() == 12 ? "null" : "0"; }
};

TEST_P(BufferAddressTest, EveryAddressing) {
  std::vector<AddressCase> Cases;
  for (bool IsSwizzled : {false, true})
    for (bool Index : {false, true})
      for (bool Offset : {false, true})
        for (bool InRegister : {false, true}) {
          Descriptor D;
          D.Stride = 64;
          D.IsSwizzled = IsSwizzled;
          D.IndexStrideCode = Index ? 1 : 3;
          const std::string Setup =
              set(D) + "s_mov_b32 s12, 0x1000\n" + indices(Index, Offset);
          Cases.push_back(load(
              Space::Buffer,
              "buffer_load_dword v10, " + addressing(Index, Offset) +
                  ", s[8:11], " + (InRegister ? "s12" : noOffset()) +
                  enables(Index, Offset) + " offset:" + (Offset ? "0" : "12"),
              4, Setup));
        }
  Cases.push_back(load(Space::Buffer,
                       "buffer_load_dword v10, off, s[8:11], m0 offset:4", 4,
                       set({}) + "s_mov_b32 m0, 0x340\n"));
  if (generation() < 12)
    Cases.push_back(load(Space::Buffer,
                         "buffer_load_dword v10, off, s[8:11], 64 offset:4", 4,
                         set({})));
  else
    Cases.push_back(load(Space::Buffer,
                         "buffer_load_dword v10, off, s[8:11], null "
                         "offset:70000",
                         4, set({})));
  expectFound(Cases);
}

TEST_P(BufferAddressTest, EverySize) {
  const std::string Setup = set({}) + "v_mov_b32_e32 v4, v1\n";
  const std::string At = ", v4, s[8:11], " + noOffset() + " offen offset:";
  const bool HasLaterNames = generation() >= 11;
  auto named = [&](const char *Old, const char *New) {
    return std::string(HasLaterNames ? New : Old);
  };
  expectFound({
      load(Space::Buffer, "buffer_load_ubyte v10" + At + "3", 1, Setup),
      load(Space::Buffer, "buffer_load_sbyte v10" + At + "5", 1, Setup),
      load(Space::Buffer, "buffer_load_ushort v10" + At + "6", 2, Setup),
      load(Space::Buffer, "buffer_load_sshort v10" + At + "8", 2, Setup),
      load(Space::Buffer,
           named("buffer_load_short_d16 v10", "buffer_load_d16_b16 v10") + At +
               "4",
           2, Setup),
      load(Space::Buffer, "buffer_load_dwordx2 v[10:11]" + At + "8", 8, Setup),
      load(Space::Buffer, "buffer_load_dwordx3 v[10:12]" + At + "8", 12, Setup),
      load(Space::Buffer, "buffer_load_dwordx4 v[10:13]" + At + "16", 16,
           Setup),
      store(Space::Buffer, "buffer_store_byte v12" + At + "1", 1, Setup),
      store(Space::Buffer, "buffer_store_short v12" + At + "2", 2, Setup),
      store(Space::Buffer, "buffer_store_dword v12" + At + "4", 4, Setup),
      store(Space::Buffer, "buffer_store_dwordx4 v[12:15]" + At + "0", 16,
            Setup),
  });
}

TEST_P(BufferAddressTest, AtomicOperations) {
  const std::string Setup = set({}) + "v_mov_b32_e32 v4, v1\n";
  const std::string At =
      ", v4, s[8:11], " + noOffset() + " offen offset:8" + returning();
  // They return into the register of the data.
  auto old = [](AddressCase C, const char *Data) {
    C.Value = Data;
    return C;
  };
  expectFound({
      old(atomic(Space::Buffer, "buffer_atomic_add v12" + At, 4, Setup), "v12"),
      old(atomic(Space::Buffer, "buffer_atomic_swap v13" + At, 4, Setup),
          "v13"),
      old(atomic(Space::Buffer, "buffer_atomic_umax_x2 v[14:15]" + At, 8,
                 Setup),
          "v14"),
      old(atomic(Space::Buffer, "buffer_atomic_cmpswap v[12:13]" + At, 4,
                 Setup),
          "v12"),
  });
}

TEST_P(BufferAddressTest, LanesAdded) {
  Descriptor D;
  D.Stride = 20;
  D.AddsLane = true;
  Descriptor Wide = D;
  Wide.Stride = 36;
  expectFound({
      load(Space::Buffer,
           "buffer_load_dword v10, off, s[8:11], " + noOffset() + " offset:4",
           4, set(D)),
      load(Space::Buffer,
           "buffer_load_dword v10, v4, s[8:11], s12 idxen offset:8", 4,
           set(Wide) + "s_mov_b32 s12, 64\n" + indices(true, false)),
  });
  if (generation() != 9)
    return;
  // The data format is part of the stride then: lanes are 64 KiB apart.
  D.HasFormat = true;
  expectFound(
      {load(Space::Buffer, "buffer_load_dword v10, off, s[8:11], 0 offset:4", 4,
            set(D))},
      0x6);
}

TEST_P(BufferAddressTest, Typed) {
  Descriptor D;
  D.HasFormat = true;
  const std::string Setup = set(D) + "v_mov_b32_e32 v4, v1\n";
  const std::string At = ", v4, s[8:11], " + noOffset();
  const std::string Format =
      generation() == 9 ? " format:[BUF_DATA_FORMAT_32,BUF_NUM_FORMAT_UINT]"
                        : " format:[BUF_FMT_32_UINT]";
  const std::string Pair =
      generation() == 9 ? " format:[BUF_DATA_FORMAT_32_32,BUF_NUM_FORMAT_UINT]"
                        : " format:[BUF_FMT_32_32_UINT]";
  expectFound({
      load(Space::Buffer, "buffer_load_format_x v10" + At + " offen offset:4",
           4, Setup),
      store(Space::Buffer, "buffer_store_format_x v12" + At + " offen offset:8",
            4, Setup),
      load(Space::Buffer,
           "tbuffer_load_format_x v10" + At + Format + " offen offset:12", 4,
           Setup),
      load(Space::Buffer,
           "tbuffer_load_format_xy v[10:11]" + At + Pair + " offen offset:16",
           8, Setup),
      store(Space::Buffer,
            "tbuffer_store_format_x v12" + At + Format + " offen", 4, Setup),
  });
}

void BufferAddressTest::addTyped(std::vector<AddressCase> &Cases,
                                 const Element &E, const char *Components,
                                 unsigned Registers, const char *Join,
                                 const char *Split, bool IsHalf) const {
  auto tuple = [&](unsigned First) {
    return Registers == 1 ? "v" + std::to_string(First)
                          : "v[" + std::to_string(First) + ":" +
                                std::to_string(First + Registers - 1) + "]";
  };
  const std::string Format = !IsHalf              ? "format_"
                             : generation() >= 11 ? "d16_format_"
                                                  : "format_d16_";
  const std::string At = ", v4, s[8:11], " + noOffset();
  const std::string Setup = setTyped(E) + "v_mov_b32_e32 v4, v1\n";
  for (const bool IsTyped : {false, true}) {
    const std::string Prefix = IsTyped ? "tbuffer_" : "buffer_";
    const std::string End = (IsTyped ? named(E) : "") + " offen offset:16";
    AddressCase Load = load(Space::Buffer,
                            Prefix + "load_" + Format + Components + " " +
                                tuple(10) + At + End,
                            E.Bytes, Setup);
    Load.Post = Join;
    Cases.push_back(Load);
    if (!Split)
      continue;
    Cases.push_back(store(Space::Buffer,
                          Prefix + "store_" + Format + Components + " " +
                              tuple(20) + At + End,
                          E.Bytes, Setup + Split));
  }
}

/// One to four components, in elements of all sizes. The size is the element's,
/// also where an instruction has fewer components.
TEST_P(BufferAddressTest, Components) {
  const char *Copied = "v_mov_b32_e32 v20, v12\nv_mov_b32_e32 v21, v13\n"
                       "v_mov_b32_e32 v22, v14\nv_mov_b32_e32 v23, v15\n";
  const char *Bytes = "v_lshl_or_b32 v10, v11, 8, v10\n"
                      "v_lshl_or_b32 v10, v12, 16, v10\n"
                      "v_lshl_or_b32 v10, v13, 24, v10\n";
  const char *OfBytes = "v_and_b32_e32 v20, 0xff, v12\n"
                        "v_bfe_u32 v21, v12, 8, 8\n"
                        "v_bfe_u32 v22, v12, 16, 8\n"
                        "v_lshrrev_b32_e32 v23, 24, v12\n";
  const char *Shorts = "v_lshl_or_b32 v10, v11, 16, v10\n";
  const char *OfShorts = "v_and_b32_e32 v20, 0xffff, v12\n"
                         "v_lshrrev_b32_e32 v21, 16, v12\n";
  std::vector<AddressCase> Cases;
  addTyped(Cases, ELEMENT(8, 1), "x", 1, "", Copied);
  addTyped(Cases, ELEMENT(16, 2), "x", 1, "", Copied);
  addTyped(Cases, ELEMENT(32, 4), "x", 1, "", Copied);
  addTyped(Cases, ELEMENT(16_16, 4), "xy", 2, Shorts, OfShorts);
  addTyped(Cases, ELEMENT(8_8_8_8, 4), "xyzw", 4, Bytes, OfBytes);
  addTyped(Cases, ELEMENT(32_32, 8), "xy", 2, "", Copied);
  addTyped(Cases, ELEMENT(32_32_32, 12), "xyz", 3, "", Copied);
  addTyped(Cases, ELEMENT(32_32_32_32, 16), "xyzw", 4, "", Copied);
  expectFound(Cases);
  Cases.clear();
  addTyped(Cases, ELEMENT(32_32_32_32, 16), "xy", 2, "", nullptr);
  addTyped(Cases, ELEMENT(32_32, 8), "xyz", 3, "", nullptr);
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

/// Components of 16 bits, two in a register.
TEST_P(BufferAddressTest, HalfComponents) {
  const char *Copied = "v_mov_b32_e32 v20, v12\nv_mov_b32_e32 v21, v13\n";
  std::vector<AddressCase> Cases;
  addTyped(Cases, ELEMENT(16, 2), "x", 1, "", Copied, true);
  addTyped(Cases, ELEMENT(16_16, 4), "xy", 1, "", Copied, true);
  addTyped(Cases, ELEMENT(16_16_16_16, 8), "xyz", 2, "", nullptr, true);
  addTyped(Cases, ELEMENT(16_16_16_16, 8), "xyzw", 2, "", Copied, true);
  const std::string Setup = setTyped(ELEMENT(16, 2)) + "v_mov_b32_e32 v4, v1\n";
  const std::string At = ", v4, s[8:11], " + noOffset() + " offen offset:20";
  const std::string High =
      generation() >= 11 ? "d16_hi_format_x" : "format_d16_hi_x";
  AddressCase Load =
      load(Space::Buffer, "buffer_load_" + High + " v10" + At, 2, Setup);
  Load.Post = "v_lshrrev_b32_e32 v10, 16, v10\n";
  AddressCase Store =
      store(Space::Buffer, "buffer_store_" + High + " v12" + At, 2, Setup);
  Store.Post = "v_lshrrev_b32_e32 v12, 16, v12\n";
  Cases.push_back(Load);
  Cases.push_back(Store);
  expectFound(Cases);
  expectFound(Cases, 0x10);
}

/// Random descriptors and offsets.
TEST_P(BufferAddressTest, Random) {
  constexpr unsigned Seed = 20260;
  SCOPED_TRACE("seed " + std::to_string(Seed));
  std::mt19937 Random(Seed);
  auto below = [&](unsigned N) { return unsigned(Random() % N); };
  for (unsigned Round = 0; Round != 3; ++Round) {
    std::vector<AddressCase> Cases;
    while (Cases.size() != 32) {
      Descriptor D;
      D.Stride = 24 + 4 * below(30);
      D.IsSwizzled = below(2);
      D.IndexStrideCode = below(4);
      D.ElementCode = 1 + below(3);
      const bool Index = below(2), Offset = below(2);
      // Offsets stay within a record; swizzled ones are checked.
      const unsigned Multiplier = 1 + below(7);
      const unsigned OffsetMask = Offset ? 0xc : 0;
      const unsigned Immediate = 4 * below((D.Stride - OffsetMask) / 4 - 1);
      const bool InRegister = below(2);
      std::string Setup =
          set(D) + "s_mov_b32 s12, " + std::to_string(4 * below(1024)) + "\n";
      if (Index)
        Setup +=
            "v_mul_u32_u24_e32 v4, " + std::to_string(Multiplier) + ", v0\n";
      if (Offset)
        Setup += std::string("v_and_b32_e32 ") + (Index ? "v5" : "v4") +
                 ", 12, v9\n";
      Cases.push_back(load(
          Space::Buffer,
          "buffer_load_dword v10, " + addressing(Index, Offset) +
              ", s[8:11], " + (InRegister ? "s12" : noOffset()) +
              enables(Index, Offset) + " offset:" + std::to_string(Immediate),
          4, Setup));
    }
    expectFound(Cases);
  }
}

INSTANTIATE_TEST_SUITE_P(Targets, BufferAddressTest,
                         ::testing::ValuesIn(instrumentedTargets()),
                         targetName);

} // namespace
} // namespace luthier::test
