// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar loads, stores and atomics.
#include "AtomicUpdate.h"
#include "Trial.h"
#include <algorithm>

namespace luthier::test {

namespace {

constexpr unsigned BaseReg = 4, BufferReg = 8, OffsetReg = 12, DataReg = 16;

enum class Place { Direct, Buffer, Scratch };

/// One instruction's address.
struct Access {
  Place Where;
  std::string Text;
  int64_t Immediate;
  bool HasRegister;
  unsigned Bytes;
  /// Unit of alignment.
  unsigned Unit;
};

/// Puts the access at a random place inside memory, or across a buffer's end.
void prepare(const Access &A, TrialState &S, RandomSource &Random) {
  // Scratch is the second half of memory.
  uint64_t First = TrialState::MemorySize / 2;
  uint64_t Limit = TrialState::MemorySize - 256;
  uint64_t Target = First + Random() % (Limit - First);
  Target -= Target % A.Unit;
  // Low bits are dropped where the unit is larger.
  uint64_t Stray = A.Unit >= 4 ? Random() % 4 : 0;
  // Blocks of scratch are counted, whatever the number.
  uint64_t Step = A.Where == Place::Scratch ? 1 : 4;
  uint64_t Register = A.HasRegister ? Random() % 64 * Step : 0;
  uint64_t Scale = A.Where == Place::Scratch ? 64 : 1;
  if (A.Where == Place::Scratch)
    Stray = 0;
  S.S[OffsetReg] = uint32_t(Register);
  uint64_t Base = S.MemoryBase + Target - uint64_t(A.Immediate & ~int64_t(3)) -
                  Register * Scale;
  if (A.Unit < 4)
    Base = S.MemoryBase + Target - uint64_t(A.Immediate) - Register;
  S.setS64(BaseReg, Base + Stray);
  if (A.Unit < 4) // the base itself counts dwords
    S.setS64(BaseReg, Base & ~uint64_t(3));
  // A buffer of bytes, or of records; it may end inside the access.
  uint64_t Begin = S.MemoryBase + (Random() % 64) * 4;
  unsigned Stride = Random() % 2 ? 0 : 16;
  uint64_t Size = uint64_t(A.Immediate) + Register + Random() % (A.Bytes + 16);
  S.S[BufferReg] = uint32_t(Begin);
  S.S[BufferReg + 1] = uint32_t(Begin >> 32) | Stride << 16;
  S.S[BufferReg + 2] = uint32_t(Stride ? Size / Stride : Size);
  S.S[BufferReg + 3] = uint32_t(Random()) & 0x0fffffff;
}

/// Device address, and whether \p Bytes there exist.
struct Located {
  uint64_t Address;
  bool Exists;
};
Located locate(const Access &A, const TrialState &S, unsigned Extra,
               unsigned Bytes) {
  int64_t Offset = A.Immediate + (A.HasRegister ? S.S[OffsetReg] : 0);
  Offset -= Offset % int64_t(A.Unit);
  if (A.Where == Place::Scratch) {
    uint64_t Blocks = A.HasRegister ? uint64_t(S.S[OffsetReg]) * 64 : 0;
    return {S.s64(BaseReg) + uint64_t(A.Immediate & ~int64_t(3)) + Blocks +
                Extra,
            true};
  }
  if (A.Where == Place::Direct)
    return {(S.s64(BaseReg) & ~uint64_t(3)) + uint64_t(Offset) + Extra, true};
  uint64_t Base = S.S[BufferReg] | uint64_t(S.S[BufferReg + 1] & 0xffff) << 32;
  uint64_t Stride = S.S[BufferReg + 1] >> 16 & 0x3fff;
  uint64_t Size = uint64_t(S.S[BufferReg + 2]) * (Stride ? Stride : 1);
  uint64_t At = uint64_t(Offset) + Extra;
  return {Base + At, At + Bytes <= Size};
}

std::vector<Access> accesses(Place Where, unsigned Bytes, unsigned Unit,
                             RandomSource &Random) {
  std::vector<Access> All;
  std::string Base = Where == Place::Buffer ? "s[8:11]" : "s[4:5]";
  auto Imm = int64_t(Random() % 256);
  if (Where == Place::Scratch)
    Imm &= ~int64_t(3);
  std::string Number = std::to_string(Imm);
  All.push_back({Where, Base + ", " + Number, Imm, false, Bytes, Unit});
  All.push_back({Where, Base + ", s12", 0, true, Bytes, Unit});
  All.push_back(
      {Where, Base + ", s12 offset:" + Number, Imm, true, Bytes, Unit});
  return All;
}

struct Load {
  const char *Names;
  unsigned Dwords;
};
constexpr Load Loads[] = {{"dword|b32", 1},    {"dwordx2|b64", 2},
                          {"b96", 3},          {"dwordx4|b128", 4},
                          {"dwordx8|b256", 8}, {"dwordx16|b512", 16}};
constexpr Load Stores[] = {{"dword", 1}, {"dwordx2", 2}, {"dwordx4", 4}};

const char *prefix(Place Where) {
  switch (Where) {
  case Place::Direct:
    return "s_";
  case Place::Buffer:
    return "s_buffer_";
  default:
    return "s_scratch_";
  }
}

void addLoads(std::vector<Trial> &Trials, Place Where, RandomSource &Random) {
  for (const Load &L : Loads)
    for (const std::string &Suffix : spellings(L.Names))
      for (const Access &A : accesses(Where, L.Dwords * 4, 4, Random)) {
        std::string Name = prefix(Where) + ("load_" + Suffix);
        Trials.push_back(
            {Name,
             Name + " " + registerText('s', DataReg, L.Dwords) + ", " + A.Text,
             [=](TrialState &S, RandomSource &R) { prepare(A, S, R); },
             [=](TrialState &S) {
               for (unsigned N = 0; N != L.Dwords; ++N) {
                 Located At = locate(A, S, 4 * N, 4);
                 S.S[DataReg + N] =
                     At.Exists ? uint32_t(S.read(At.Address, 4)) : 0;
               }
             }});
      }
}

void addNarrow(std::vector<Trial> &Trials, Place Where, RandomSource &Random) {
  for (unsigned Bytes : {1u, 2u})
    for (bool Signed : {false, true})
      for (const Access &A : accesses(Where, Bytes, Bytes, Random)) {
        std::string Name = prefix(Where) + std::string("load_") +
                           (Signed ? "i" : "u") + std::to_string(8 * Bytes);
        Trials.push_back(
            {Name, Name + " s16, " + A.Text,
             [=](TrialState &S, RandomSource &R) { prepare(A, S, R); },
             [=](TrialState &S) {
               Located At = locate(A, S, 0, Bytes);
               auto Value = At.Exists ? uint32_t(S.read(At.Address, Bytes)) : 0;
               unsigned Shift = 32 - 8 * Bytes;
               S.S[DataReg] =
                   Signed ? uint32_t(int32_t(Value << Shift) >> Shift) : Value;
             }});
      }
}

void addStores(std::vector<Trial> &Trials, Place Where, RandomSource &Random) {
  for (const Load &L : Stores)
    for (const Access &A : accesses(Where, L.Dwords * 4, 4, Random)) {
      std::string Name = prefix(Where) + ("store_" + std::string(L.Names));
      Trials.push_back(
          {Name,
           Name + " " + registerText('s', DataReg, L.Dwords) + ", " + A.Text,
           [=](TrialState &S, RandomSource &R) { prepare(A, S, R); },
           [=](TrialState &S) {
             for (unsigned N = 0; N != L.Dwords; ++N)
               if (Located At = locate(A, S, 4 * N, 4); At.Exists)
                 S.write(At.Address, S.S[DataReg + N], 4);
           }});
    }
}

void addScratchLoads(std::vector<Trial> &Trials, RandomSource &Random) {
  for (const Load &L : Stores)
    for (const Access &A : accesses(Place::Scratch, L.Dwords * 4, 4, Random)) {
      std::string Name = "s_scratch_load_" + std::string(L.Names);
      Trials.push_back(
          {Name,
           Name + " " + registerText('s', DataReg, L.Dwords) + ", " + A.Text,
           [=](TrialState &S, RandomSource &R) { prepare(A, S, R); },
           [=](TrialState &S) {
             for (unsigned N = 0; N != L.Dwords; ++N)
               S.S[DataReg + N] =
                   uint32_t(S.read(locate(A, S, 4 * N, 4).Address, 4));
           }});
    }
}

void addAtomics(std::vector<Trial> &Trials, Place Where, RandomSource &Random) {
  for (const AtomicUpdate &U : atomicUpdates()) {
    if (!U.Memory || U.F)
      continue;
    std::string Name =
        prefix(Where) + ("atomic_" + spellings(U.Memory).front());
    for (bool Returns : {false, true})
      for (Access A : accesses(Where, U.Bytes, 4, Random)) {
        A.Immediate -= A.Immediate % 8;
        if (auto At = A.Text.find("offset:"); At != std::string::npos)
          A.Text.replace(At + 7, std::string::npos,
                         std::to_string(A.Immediate));
        else if (!A.HasRegister)
          A.Text.replace(A.Text.find(", ") + 2, std::string::npos,
                         std::to_string(A.Immediate));
        unsigned Dwords = U.Bytes / 4 * U.NumData;
        Trials.push_back(
            {Name,
             Name + " " + registerText('s', DataReg, Dwords) + ", " + A.Text +
                 (Returns ? " glc" : ""),
             [=, &U](TrialState &S, RandomSource &R) {
               prepare(A, S, R);
               for (unsigned Reg : {OffsetReg, BaseReg, BufferReg})
                 S.S[Reg] &= ~7u;
               // Memory there may not be next to the base any more.
               Located At = locate(A, S, 0, U.Bytes);
               AtomicValues V = atomicValues(U, R);
               S.write(At.Address, V.Old, U.Bytes);
               S.setS64(DataReg, V.Data);
               S.setS64(DataReg + U.Bytes / 4, V.Second);
             },
             [=, &U](TrialState &S) {
               Located At = locate(A, S, 0, U.Bytes);
               uint64_t Mask = U.Bytes == 8 ? ~uint64_t(0) : 0xffffffff;
               uint64_t Old = At.Exists ? S.read(At.Address, U.Bytes) : 0;
               if (At.Exists)
                 S.write(At.Address,
                         U.Apply(Old, S.s64(DataReg) & Mask,
                                 S.s64(DataReg + U.Bytes / 4) & Mask),
                         U.Bytes);
               if (!Returns)
                 return;
               S.S[DataReg] = uint32_t(Old);
               if (U.Bytes == 8)
                 S.S[DataReg + 1] = uint32_t(Old >> 32);
             }});
      }
  }
}

} // namespace

std::vector<Trial> scalarMemoryTrials(const TargetTraits &,
                                      RandomSource &Random) {
  std::vector<Trial> Trials;
  for (Place Where : {Place::Direct, Place::Buffer}) {
    addLoads(Trials, Where, Random);
    addNarrow(Trials, Where, Random);
    addStores(Trials, Where, Random);
    addAtomics(Trials, Where, Random);
  }
  addScratchLoads(Trials, Random);
  addStores(Trials, Place::Scratch, Random);
  return Trials;
}

} // namespace luthier::test
