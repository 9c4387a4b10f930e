// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on the local data share.
#include "AtomicUpdate.h"
#include "MemoryElement.h"

namespace luthier::test {

namespace {

constexpr unsigned AddressReg = 2, Data0Reg = 16, Data1Reg = 24, ResultReg = 64;
/// Bytes for each lane.
constexpr unsigned LaneSpace = 128;

using Preparation = std::function<void(TrialState &, RandomSource &)>;

/// Each lane has a place of its own.
Preparation separate(unsigned Offset, unsigned Bytes, unsigned Alignment) {
  return [=](TrialState &S, RandomSource &Random) {
    std::array<unsigned, 64> Order = shuffled(Random);
    for (unsigned L = 0; L != 64; ++L) {
      auto InLane = unsigned(Random() % (LaneSpace - Bytes + 1));
      S.V[AddressReg][L] =
          1024 + Order[L] * LaneSpace + InLane / Alignment * Alignment - Offset;
    }
  };
}
std::string offsetText(unsigned Offset) {
  return Offset ? " offset:" + std::to_string(Offset) : "";
}

void addAccesses(std::vector<Trial> &Trials, RandomSource &Random) {
  struct Named {
    const char *Load, *Store;
    MemoryElement E;
  };
  const Named All[] = {
      {"read_u8|load_u8", nullptr, {"", 1, 1}},
      {"read_i8|load_i8", nullptr, {"", 1, 1, true}},
      {"read_u16|load_u16", nullptr, {"", 2, 1}},
      {"read_i16|load_i16", nullptr, {"", 2, 1, true}},
      {"read_u8_d16|load_u8_d16", nullptr, {"", 1, 1, false, Part::Low}},
      {"read_i8_d16|load_i8_d16", nullptr, {"", 1, 1, true, Part::Low}},
      {"read_u16_d16|load_u16_d16", nullptr, {"", 2, 1, false, Part::Low}},
      {"read_u8_d16_hi|load_u8_d16_hi",
       "write_b8_d16_hi|store_b8_d16_hi",
       {"", 1, 1, false, Part::High}},
      {"read_i8_d16_hi|load_i8_d16_hi", nullptr, {"", 1, 1, true, Part::High}},
      {"read_u16_d16_hi|load_u16_d16_hi",
       "write_b16_d16_hi|store_b16_d16_hi",
       {"", 2, 1, false, Part::High}},
      {nullptr, "write_b8|store_b8", {"", 1, 1}},
      {nullptr, "write_b16|store_b16", {"", 2, 1}},
      {"read_b32|load_b32", "write_b32|store_b32", {"", 4, 1}},
      {"read_b64|load_b64", "write_b64|store_b64", {"", 4, 2}},
      {"read_b96|load_b96", "write_b96|store_b96", {"", 4, 3}},
      {"read_b128|load_b128", "write_b128|store_b128", {"", 4, 4}},
  };
  for (const Named &Each : All) {
    MemoryElement E = Each.E;
    for (unsigned Offset : {0u, unsigned(Random() % 1000)}) {
      Preparation Prepare = separate(Offset, E.size(), E.Bytes);
      for (const std::string &Name : spellings(Each.Load ? Each.Load : ""))
        Trials.push_back(
            {"ds_" + Name,
             "ds_" + Name + " " + registerText('v', ResultReg, E.dwords()) +
                 ", v2" + offsetText(Offset),
             Prepare, [=](TrialState &S) {
               for (unsigned L = 0; L != S.T->WaveSize; ++L)
                 for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N) {
                   uint32_t &To = S.V[ResultReg + N][L];
                   To = loaded(
                       E,
                       uint32_t(S.readLds(
                           S.V[AddressReg][L] + Offset + N * E.Bytes, E.Bytes)),
                       To, *S.T);
                 }
             }});
      for (const std::string &Name : spellings(Each.Store ? Each.Store : ""))
        Trials.push_back(
            {"ds_" + Name,
             "ds_" + Name + " v2, " + registerText('v', Data0Reg, E.dwords()) +
                 offsetText(Offset),
             Prepare, [=](TrialState &S) {
               for (unsigned L = 0; L != S.T->WaveSize; ++L)
                 for (unsigned N = 0; S.isActive(L) && N != E.Count; ++N)
                   S.writeLds(S.V[AddressReg][L] + Offset + N * E.Bytes,
                              stored(E, S.V[Data0Reg + N][L]), E.Bytes);
             }});
    }
  }
}

enum class Pair { Read, Write, Exchange };

/// Two elements, whose offsets count elements or 64 of them.
void addPairs(std::vector<Trial> &Trials, RandomSource &Random) {
  struct Named {
    Pair Kind;
    const char *Plain, *Strided, *Suffix;
  };
  const Named All[] = {
      {Pair::Read, "read2_|load_2addr_", "read2st64_|load_2addr_stride64_", ""},
      {Pair::Write, "write2_|store_2addr_", "write2st64_|store_2addr_stride64_",
       ""},
      {Pair::Exchange, "wrxchg2_rtn_|storexchg_2addr_rtn_",
       "wrxchg2st64_rtn_|storexchg_2addr_stride64_rtn_", ""},
  };
  for (const Named &Each : All)
    for (unsigned Bytes : {4u, 8u})
      for (bool Strided : {false, true})
        for (std::string Name :
             spellings(Strided ? Each.Strided : Each.Plain)) {
          Name = "ds_" + Name + "b" + std::to_string(8 * Bytes);
          unsigned Unit = Strided ? 64 * Bytes : Bytes;
          unsigned First = unsigned(Random() % 8), Second = 15 - First;
          unsigned Dwords = Bytes / 4;
          std::string Line = Name + " ";
          if (Each.Kind != Pair::Write)
            Line += registerText('v', ResultReg, 2 * Dwords) + ", ";
          Line += "v2";
          if (Each.Kind != Pair::Read)
            Line += ", " + registerText('v', Data0Reg, Dwords) + ", " +
                    registerText('v', Data1Reg, Dwords);
          Line += " offset0:" + std::to_string(First) +
                  " offset1:" + std::to_string(Second);
          Pair Kind = Each.Kind;
          Trials.push_back(
              {Name, Line,
               [=](TrialState &S, RandomSource &R) {
                 std::array<unsigned, 64> Order = shuffled(R);
                 for (unsigned L = 0; L != 64; ++L)
                   S.V[AddressReg][L] =
                       Order[L] * (Strided ? Bytes : 16 * Bytes);
               },
               [=](TrialState &S) {
                 for (unsigned L = 0; L != S.T->WaveSize; ++L) {
                   if (!S.isActive(L))
                     continue;
                   uint32_t A = S.V[AddressReg][L] + First * Unit;
                   uint32_t B = S.V[AddressReg][L] + Second * Unit;
                   uint64_t OldA = S.readLds(A, Bytes);
                   uint64_t OldB = S.readLds(B, Bytes);
                   if (Kind != Pair::Read) {
                     S.writeLds(A, S.lane(Data0Reg, L, Bytes), Bytes);
                     S.writeLds(B, S.lane(Data1Reg, L, Bytes), Bytes);
                   }
                   if (Kind != Pair::Write) {
                     S.setLane(ResultReg, L, OldA, Bytes);
                     S.setLane(ResultReg + Dwords, L, OldB, Bytes);
                   }
                 }
               }});
        }
}

/// Lanes with an address that no workgroup has read zero and write nothing.
void addAbsentLanes(std::vector<Trial> &Trials) {
  constexpr uint32_t Nowhere = 0xf00000;
  auto IsAbsent = [](unsigned L) { return L % 3 == 1; };
  auto Prepare = [=](TrialState &S, RandomSource &Random) {
    separate(0, 16, 8)(S, Random);
    for (unsigned L = 0; L != 64; ++L)
      if (IsAbsent(L))
        S.V[AddressReg][L] = Nowhere + 16 * L;
  };
  auto Add = [&](const char *Names, const std::string &Operands, auto Expect) {
    for (const std::string &Name : spellings(Names))
      Trials.push_back({"ds_" + Name, "ds_" + Name + " " + Operands, Prepare,
                        [=](TrialState &S) {
                          for (unsigned L = 0; L != S.T->WaveSize; ++L)
                            if (S.isActive(L))
                              Expect(S, L);
                        }});
  };
  auto Read = [=](TrialState &S, unsigned L, unsigned Offset) {
    return IsAbsent(L) ? 0 : S.readLds(S.V[AddressReg][L] + Offset, 4);
  };
  auto Write = [=](TrialState &S, unsigned L, unsigned Offset, uint32_t Value) {
    if (!IsAbsent(L))
      S.writeLds(S.V[AddressReg][L] + Offset, Value, 4);
  };
  Add("read_b32|load_b32", "v64, v2", [=](TrialState &S, unsigned L) {
    S.setLane(ResultReg, L, Read(S, L, 0), 4);
  });
  Add("write_b32|store_b32", "v2, v16",
      [=](TrialState &S, unsigned L) { Write(S, L, 0, S.V[Data0Reg][L]); });
  Add("read2_b32|load_2addr_b32", "v[64:65], v2 offset0:0 offset1:2",
      [=](TrialState &S, unsigned L) {
        S.setLane(ResultReg, L, Read(S, L, 0), 4);
        S.setLane(ResultReg + 1, L, Read(S, L, 8), 4);
      });
  Add("add_rtn_u32", "v64, v2, v16", [=](TrialState &S, unsigned L) {
    const uint32_t Old = Read(S, L, 0);
    Write(S, L, 0, Old + S.V[Data0Reg][L]);
    S.setLane(ResultReg, L, Old, 4);
  });
}

void addAtomics(std::vector<Trial> &Trials, const TargetTraits &T,
                RandomSource &Random) {
  for (const AtomicUpdate &U : atomicUpdates()) {
    if (!U.Lds || T.Generation > U.LastGeneration)
      continue;
    unsigned Dwords = U.Bytes / 4;
    for (const std::string &Stem : spellings(U.Lds))
      for (bool Returns : {false, true}) {
        std::string Name =
            "ds_" + Stem + (Returns ? "_rtn_" : "_") + std::string(U.LdsSuffix);
        unsigned Offset = unsigned(Random() % 100) * 8;
        std::string Line = Name + " ";
        if (Returns)
          Line += registerText('v', ResultReg, Dwords) + ", ";
        Line += "v2, " + registerText('v', Data0Reg, Dwords);
        if (U.NumData > 1)
          Line += ", " + registerText('v', Data1Reg, Dwords);
        Trials.push_back(
            {Name, Line + offsetText(Offset),
             [=, &U](TrialState &S, RandomSource &R) {
               separate(Offset, U.Bytes, 8)(S, R);
               for (unsigned L = 0; L != 64; ++L) {
                 AtomicValues V = atomicValues(U, R);
                 S.writeLds(S.V[AddressReg][L] + Offset, V.Old, U.Bytes);
                 S.setLane(Data0Reg, L, V.Data, U.Bytes);
                 S.setLane(Data1Reg, L, V.Second, U.Bytes);
               }
             },
             [=, &U](TrialState &S) {
               for (unsigned L = 0; L != S.T->WaveSize; ++L) {
                 if (!S.isActive(L))
                   continue;
                 uint32_t At = S.V[AddressReg][L] + Offset;
                 uint64_t Old = S.readLds(At, U.Bytes);
                 S.writeLds(At,
                            U.Apply(Old, S.lane(Data0Reg, L, U.Bytes),
                                    S.lane(Data1Reg, L, U.Bytes)),
                            U.Bytes);
                 if (Returns)
                   S.setLane(ResultReg, L, Old, U.Bytes);
               }
             }});
      }
    if (U.NumData > 1 || std::string(U.Lds).find("pk_") == 0)
      continue;
    // Both operands in LDS, a fixed number of dwords apart.
    std::string Stem = spellings(U.Lds).front();
    std::string Name =
        "ds_" + (Stem == "wrxchg" ? "write" : Stem) + "_src2_" + U.LdsSuffix;
    for (int Distance : {2, -2}) {
      unsigned Offset = unsigned(Distance) & 0x7fff;
      Trials.push_back(
          {Name, Name + " v2" + offsetText(Offset),
           [=, &U](TrialState &S, RandomSource &R) {
             std::array<unsigned, 64> Order = shuffled(R);
             for (unsigned L = 0; L != 64; ++L) {
               AtomicValues V = atomicValues(U, R);
               S.V[AddressReg][L] = 1024 + Order[L] * 32;
               S.writeLds(S.V[AddressReg][L], V.Old, U.Bytes);
               S.writeLds(S.V[AddressReg][L] + unsigned(4 * Distance), V.Data,
                          U.Bytes);
             }
           },
           [=, &U](TrialState &S) {
             for (unsigned L = 0; L != S.T->WaveSize; ++L) {
               if (!S.isActive(L))
                 continue;
               uint32_t At = S.V[AddressReg][L];
               uint64_t Data = S.readLds(At + unsigned(4 * Distance), U.Bytes);
               S.writeLds(At, U.Apply(S.readLds(At, U.Bytes), Data, 0),
                          U.Bytes);
             }
           }});
    }
  }
}

/// Rows of 16 lanes hold square matrices that take turns; each is transposed.
void addTransposed(std::vector<Trial> &Trials) {
  struct Named {
    const char *Name;
    unsigned Bits, Dwords;
  };
  for (Named Each :
       {Named{"ds_read_b64_tr_b16", 16, 2}, Named{"ds_read_b64_tr_b8", 8, 2},
        Named{"ds_read_b64_tr_b4", 4, 2}, Named{"ds_read_b96_tr_b6", 6, 3}}) {
    unsigned Bits = Each.Bits, Dwords = Each.Dwords;
    Trials.push_back(
        {Each.Name,
         Each.Name + (" " + registerText('v', ResultReg, Dwords)) +
             ", v2 offset:24",
         [=](TrialState &S, RandomSource &R) {
           separate(24, 12, 4)(S, R);
           S.setS64(TrialState::Exec, S.laneMask());
         },
         [=](TrialState &S) {
           unsigned Side = 32 * Dwords / Bits, Matrices = 16 / Side;
           for (unsigned Row = 0; Row != 64; Row += 16)
             for (unsigned M = 0; M != Matrices; ++M)
               for (unsigned X = 0; X != Side; ++X)
                 for (unsigned Y = 0; Y != Side; ++Y) {
                   uint32_t From = S.V[AddressReg][Row + X * Matrices + M] + 24;
                   unsigned To = Row + M * Side + Y;
                   for (unsigned B = 0; B != Bits; ++B) {
                     unsigned Source = Y * Bits + B, Target = X * Bits + B;
                     uint32_t Bit =
                         S.readLds(From + Source / 8, 1) >> Source % 8 & 1;
                     uint32_t &Reg = S.V[ResultReg + Target / 32][To];
                     Reg = (Reg & ~(1u << Target % 32)) | Bit << Target % 32;
                   }
                 }
         }});
  }
}

/// Addressed by M0 and the lane's number.
void addByLane(std::vector<Trial> &Trials) {
  auto Prepare = [](TrialState &S, RandomSource &R) {
    S.S[TrialState::M0] = uint32_t(R() % 2048 * 4) | uint32_t(R()) << 16;
  };
  auto At = [](const TrialState &S, unsigned L) {
    return (S.S[TrialState::M0] & 0xffff) + 20 + 4 * L;
  };
  for (const char *Name : {"ds_read_addtid_b32", "ds_load_addtid_b32"})
    Trials.push_back({Name, Name + std::string(" v64 offset:20"), Prepare,
                      [=](TrialState &S) {
                        for (unsigned L = 0; L != S.T->WaveSize; ++L)
                          if (S.isActive(L))
                            S.V[ResultReg][L] =
                                uint32_t(S.readLds(At(S, L), 4));
                      }});
  for (const char *Name : {"ds_write_addtid_b32", "ds_store_addtid_b32"})
    Trials.push_back({Name, Name + std::string(" v16 offset:20"), Prepare,
                      [=](TrialState &S) {
                        for (unsigned L = 0; L != S.T->WaveSize; ++L)
                          if (S.isActive(L))
                            S.writeLds(At(S, L), S.V[Data0Reg][L], 4);
                      }});
  for (bool Append : {true, false}) {
    std::string Name = Append ? "ds_append" : "ds_consume";
    Trials.push_back(
        {Name, Name + " v64 offset:20", Prepare, [=](TrialState &S) {
           if (!S.exec())
             return;
           uint32_t Place = (S.S[TrialState::M0] & 0xffff) + 20;
           auto Old = uint32_t(S.readLds(Place, 4));
           auto Count = uint32_t(__builtin_popcountll(S.exec()));
           S.writeLds(Place, Append ? Old + Count : Old - Count, 4);
           for (unsigned L = 0; L != S.T->WaveSize; ++L)
             if (S.isActive(L))
               S.V[ResultReg][L] = Old;
         }});
  }
}

/// A value of LDS in one of the types that M0 can name, extended to a dword.
struct DirectType {
  unsigned Number, Bytes;
  bool IsSigned;
};
constexpr DirectType DirectTypes[] = {
    {0, 1, false}, {1, 2, false}, {2, 4, false}, {4, 1, true}, {5, 2, true}};

Preparation pointingTo(const DirectType &D) {
  return [=](TrialState &S, RandomSource &R) {
    S.S[TrialState::M0] =
        uint32_t(R() % 2048 * 4) | D.Number << 16 | uint32_t(R()) << 19;
  };
}
uint32_t direct(const TrialState &S, const DirectType &D) {
  const unsigned Shift = 32 - 8 * D.Bytes;
  const uint32_t Bits =
      uint32_t(S.readLds(S.S[TrialState::M0] & 0xffff, D.Bytes)) << Shift;
  return D.IsSigned ? uint32_t(int32_t(Bits) >> Shift) : Bits >> Shift;
}

/// One value for all lanes: as a load, which writes whole quads, and as the
/// first source of arithmetic.
void addDirect(std::vector<Trial> &Trials, const TargetTraits &T) {
  for (const DirectType &D : DirectTypes) {
    for (const char *Name : {"lds_direct_load", "ds_direct_load"})
      Trials.push_back(
          {Name, Name + std::string(" v64"), pointingTo(D), [=](TrialState &S) {
             for (unsigned L = 0; L != S.T->WaveSize; ++L)
               if (S.exec() >> (L & ~3u) & 0xf)
                 S.V[ResultReg][L] = direct(S, D);
           }});
    struct Named {
      const char *Name, *Line;
      uint32_t (*Apply)(uint32_t Direct, uint32_t Data);
    };
    const Named Sources[] = {
        {"v_mov_b32", "v_mov_b32_e32 v64, src_lds_direct",
         [](uint32_t A, uint32_t) { return A; }},
        {"v_xor_b32", "v_xor_b32_e64 v64, src_lds_direct, v16",
         [](uint32_t A, uint32_t B) { return A ^ B; }},
        {"v_mul_lo_u32", "v_mul_lo_u32 v64, src_lds_direct, v16",
         [](uint32_t A, uint32_t B) { return A * B; }},
        {"v_max_i16", "v_max_i16 v64, src_lds_direct, v16",
         [](uint32_t A, uint32_t B) {
           return uint32_t(uint16_t(std::max(int16_t(A), int16_t(B))));
         }},
        {"v_pk_add_u16", "v_pk_add_u16 v64, src_lds_direct, v16",
         [](uint32_t A, uint32_t B) {
           return ((A >> 16) + (B >> 16)) << 16 | ((A + B) & 0xffff);
         }},
    };
    for (const Named &Each : Sources)
      Trials.push_back(
          {Each.Name, Each.Line, pointingTo(D), [=](TrialState &S) {
             for (unsigned L = 0; L != S.T->WaveSize; ++L) {
               if (!S.isActive(L))
                 continue;
               uint32_t &To = S.V[ResultReg][L];
               const uint32_t New = Each.Apply(direct(S, D), S.V[Data0Reg][L]);
               const bool KeepsHigh = std::string(Each.Name) == "v_max_i16" &&
                                      S.T->Generation >= 10;
               To = KeepsHigh ? (To & 0xffff0000) | (New & 0xffff) : New;
             }
           }});
    for (const char *Line : {"v_readfirstlane_b32 s20, src_lds_direct",
                             "v_readlane_b32 s20, src_lds_direct, s21"})
      Trials.push_back(
          {std::string(Line).substr(0, std::string(Line).find(' ')), Line,
           pointingTo(D), [=](TrialState &S) { S.S[20] = direct(S, D); }});
  }
  const std::string Load =
      T.Generation == 12 ? "ds_direct_load" : "lds_direct_load";
  auto faulting = [&](std::string Line, uint32_t M0, const char *Fault) {
    Trials.push_back({Line.substr(0, Line.find(' ')), Line,
                      [=](TrialState &S, RandomSource &) {
                        S.S[TrialState::M0] = M0;
                        S.setS64(TrialState::Exec, S.laneMask());
                      },
                      [](TrialState &) {}, Fault});
  };
  for (const std::string &Line :
       {Load + " v64", std::string("v_mov_b32_e32 v64, src_lds_direct")}) {
    faulting(Line, 0x20006, "misaligned LDS-direct access");
    faulting(Line, 0x24000, "outside the workgroup's LDS");
    faulting(Line, 0x30000, "M0 has no type of an LDS-direct access");
  }
}

/// Lanes that exchange with one another.
unsigned span(const TargetTraits &T) {
  return T.WaveSize == 32 || T.Generation == 10 || T.Generation == 11 ? 32 : 64;
}

void addPermutes(std::vector<Trial> &Trials) {
  constexpr unsigned Offset = 12;
  auto Target = [](const TrialState &S, unsigned L) {
    unsigned Span = span(*S.T);
    return L / Span * Span + (S.V[AddressReg][L] + Offset) / 4 % Span;
  };
  for (bool AnyLane : {false, true}) {
    std::string Name = AnyLane ? "ds_bpermute_fi_b32" : "ds_bpermute_b32";
    Trials.push_back(
        {Name, Name + " v64, v2, v16 offset:12", {}, [=](TrialState &S) {
           for (unsigned L = 0; L != S.T->WaveSize; ++L) {
             unsigned From = Target(S, L);
             bool Seen = AnyLane || S.isActive(From);
             if (S.isActive(L))
               S.V[ResultReg][L] = Seen ? S.V[Data0Reg][From] : 0;
           }
         }});
  }
  Trials.push_back({"ds_permute_b32",
                    "ds_permute_b32 v64, v2, v16 offset:12",
                    {},
                    [=](TrialState &S) {
                      uint32_t Result[64] = {};
                      for (unsigned L = 0; L != S.T->WaveSize; ++L)
                        if (S.isActive(L))
                          Result[Target(S, L)] = S.V[Data0Reg][L];
                      for (unsigned L = 0; L != S.T->WaveSize; ++L)
                        if (S.isActive(L))
                          S.V[ResultReg][L] = Result[L];
                    }});
}

/// The lane that \p L reads under \p Pattern (Vega ISA, "DS_SWIZZLE_B32").
unsigned swizzled(unsigned Pattern, unsigned L) {
  unsigned Half = L / 32 * 32, In = L % 32;
  if (Pattern >= 0xe000) {
    unsigned Mask = Pattern & 31, Reversed = 0;
    for (unsigned B = 0; B != 5; ++B)
      Reversed |= (In >> B & 1) << (4 - B);
    for (unsigned B = 0; B != 5; ++B)
      Reversed >>= Mask >> B & 1;
    return Half | Reversed | (In & Mask);
  }
  if (Pattern >= 0xc000) {
    unsigned Amount = Pattern >> 5 & 31;
    bool Right = Pattern >> 10 & 1;
    return Half + (In + (Right ? 32 - Amount : Amount)) % 32;
  }
  if (Pattern >= 0x8000)
    return L / 4 * 4 + (Pattern >> (2 * (L % 4)) & 3);
  return Half +
         (((In & (Pattern & 31)) | (Pattern >> 5 & 31)) ^ (Pattern >> 10 & 31));
}

void addSwizzles(std::vector<Trial> &Trials, RandomSource &Random) {
  for (unsigned Kind : {0u, 0x4000u, 0x8000u, 0xc000u, 0xe000u}) {
    unsigned Pattern = Kind == 0xe000   ? Kind | unsigned(Random() % 32)
                       : Kind == 0xc000 ? Kind | unsigned(Random() % 64) << 5
                       : Kind == 0x8000 ? Kind | unsigned(Random() % 256)
                                        : unsigned(Random() % 0x8000);
    Trials.push_back({"ds_swizzle_b32",
                      "ds_swizzle_b32 v64, v16" + offsetText(Pattern),
                      {},
                      [=](TrialState &S) {
                        for (unsigned L = 0; L != S.T->WaveSize; ++L) {
                          unsigned From = swizzled(Pattern, L);
                          if (S.isActive(L))
                            S.V[ResultReg][L] =
                                S.isActive(From) ? S.V[Data0Reg][From] : 0;
                        }
                      }});
  }
}

} // namespace

std::vector<Trial> ldsTrials(const TargetTraits &T, RandomSource &Random) {
  std::vector<Trial> Trials;
  addAccesses(Trials, Random);
  addPairs(Trials, Random);
  addAbsentLanes(Trials);
  addAtomics(Trials, T, Random);
  addTransposed(Trials);
  addByLane(Trials);
  addDirect(Trials, T);
  addPermutes(Trials);
  addSwizzles(Trials, Random);
  return Trials;
}

} // namespace luthier::test
