// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/CodeTracer.h"
#include "MCTargetDesc/AMDGPUMCTargetDesc.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace luthier {
namespace {

/// Where in a list an encoding is that was decoded before: code repeats itself,
/// and LLVM looks through many tables for each instruction.
class DecodedEncodings {
public:
  void reserve(size_t Count) {
    Short.reserve(Count);
    Long.reserve(Count);
  }
  /// Of the first instruction of \p Code. The first dword says whether an
  /// instruction has one or more, the first two whether it has more than two,
  /// but for what isKept() leaves out.
  std::optional<unsigned> find(ArrayRef<uint8_t> Code) const {
    if (!isKept(Code))
      return std::nullopt;
    if (auto It = Short.find(firstDword(Code)); It != Short.end())
      return It->second;
    if (auto It = Long.find(keyOf(Code)); It != Long.end())
      return It->second;
    return std::nullopt;
  }
  /// \p Code begins with the instruction number \p Index, of \p Size bytes.
  void add(ArrayRef<uint8_t> Code, unsigned Size, unsigned Index) {
    if (!isKept(Code))
      return;
    if (Size == 4)
      Short.try_emplace(firstDword(Code), Index);
    else if (Size == 8)
      Long.try_emplace(keyOf(Code), Index);
  }

private:
  static uint64_t firstDword(ArrayRef<uint8_t> Code) {
    return support::endian::read32le(Code.data());
  }
  static bool isKept(ArrayRef<uint8_t> Code) {
    // DenseMap has two keys for itself, which begin with 32 set bits. No
    // instruction does.
    if (Code.size() < 8 || firstDword(Code) == UINT32_MAX)
      return false;
    // v_mfma_ld_scale of gfx950, which is one instruction with the matrix
    // operation behind it, if there is one.
    constexpr uint64_t LoadScale = 0xd3ac;
    return firstDword(Code) >> 16 != LoadScale;
  }
  static uint64_t keyOf(ArrayRef<uint8_t> Code) {
    return firstDword(Code) << 32 | support::endian::read32le(&Code[4]);
  }
  DenseMap<uint64_t, unsigned> Short, Long;
};

class CodeTracer {
public:
  CodeTracer(const CodeObject &Object, const amdgpu::MCTarget &Target,
             const CodeExtent &Extent, const KnownJumps &Jumps)
      : Object(Object), Target(Target), Extent(Extent), Jumps(Jumps),
        Decode(Target) {}

  Expected<std::vector<DecodedInstruction>> run() {
    // Encodings take four or eight bytes, most of them. A symbol may have any
    // size.
    const uint64_t Bytes = Extent.End - std::min(Extent.Begin, Extent.End);
    const uint64_t About = std::min<uint64_t>(Bytes, Object.bytes().size()) / 6;
    Code.reserve(About);
    Known.reserve(About);
    Decoded.reserve(About / 2);
    if (Error E = follow(Extent.Entry))
      return std::move(E);
    for (DecodedInstruction &D : Code)
      D.IsReached = true;
    sortByAddress(Code);
    addGaps();
    return std::move(Code);
  }

private:
  using Instructions = std::vector<DecodedInstruction>;

  unsigned opcodeOf(const DecodedInstruction &D) const {
    return Target.opcodes().pseudoOpcode(D.Inst.getOpcode());
  }
  const MCInstrDesc &descOf(const DecodedInstruction &D) const {
    return Target.instructions().get(opcodeOf(D));
  }
  bool isDirectBranch(const DecodedInstruction &D) const {
    return descOf(D).isBranch() && !descOf(D).isIndirectBranch() &&
           D.Inst.getNumOperands() == 1 && D.Inst.getOperand(0).isImm();
  }
  bool runsOn(const DecodedInstruction &D) const {
    return !descOf(D).isBarrier() && opcodeOf(D) != AMDGPU::S_CODE_END;
  }

  /// Of a function that does not return, as the compiler leaves it: padding
  /// follows, and then another function. The trap handler ends the wave
  /// (AMDGPUUsage, "Trap Handler ABI").
  bool isLastTrap(const DecodedInstruction &D) const {
    constexpr int64_t Abort = 2;
    return opcodeOf(D) == AMDGPU::S_TRAP && D.end() == Extent.End &&
           D.Inst.getOperand(0).getImm() == Abort;
  }

  Expected<DecodedInstruction> decodeAt(uint64_t Address);
  Error follow(uint64_t Entry);
  void addGaps();
  Instructions decodeGap(uint64_t Begin, uint64_t End);
  static void sortByAddress(Instructions &List);

  const CodeObject &Object;
  const amdgpu::MCTarget &Target;
  const CodeExtent &Extent;
  const KnownJumps &Jumps;
  Decoder Decode;
  Instructions Code;
  DenseSet<uint64_t> Known; ///< Where instructions of Code begin.
  DecodedEncodings Decoded;
};

/// As the next of Code.
Expected<DecodedInstruction> CodeTracer::decodeAt(uint64_t Address) {
  const std::optional<ArrayRef<uint8_t>> Bytes = Object.code(Address);
  if (!Bytes || Address % 4)
    return Decode.at(Object, Address);
  if (std::optional<unsigned> Same = Decoded.find(*Bytes)) {
    DecodedInstruction D = Code[*Same];
    D.Address = Address;
    return D;
  }
  Expected<DecodedInstruction> D = Decode.at(Object, Address);
  if (D)
    Decoded.add(*Bytes, D->Size, Code.size());
  return D;
}

Error CodeTracer::follow(uint64_t Entry) {
  SmallVector<uint64_t> Pending = {Entry};
  while (!Pending.empty()) {
    uint64_t Address = Pending.pop_back_val();
    // The last instruction ends the wave in all likelihood: what follows it
    // need not be code.
    bool MayEnd = false;
    while (!Known.contains(Address)) {
      Expected<DecodedInstruction> D = decodeAt(Address);
      if (!D) {
        if (!MayEnd || Address < Extent.End)
          return D.takeError();
        consumeError(D.takeError());
        break;
      }
      if (isDirectBranch(*D))
        Pending.push_back(D->target(0));
      if (auto Jump = Jumps.find(Address); Jump != Jumps.end())
        Pending.push_back(Jump->second);
      const bool RunsOn = runsOn(*D) && !isLastTrap(*D);
      MayEnd = descOf(*D).isCall() || opcodeOf(*D) == AMDGPU::S_TRAP;
      Known.insert(Address);
      Address = D->end();
      Code.push_back(std::move(*D));
      if (!RunsOn)
        break;
    }
  }
  return Error::success();
}

/// Instructions are large, so that they move only once.
void CodeTracer::sortByAddress(Instructions &List) {
  auto isBefore = [](const DecodedInstruction &A, const DecodedInstruction &B) {
    return A.Address < B.Address;
  };
  if (is_sorted(List, isBefore))
    return;
  std::vector<DecodedInstruction *> Order;
  Order.reserve(List.size());
  for (DecodedInstruction &D : List)
    Order.push_back(&D);
  llvm::sort(Order,
             [&](const DecodedInstruction *A, const DecodedInstruction *B) {
               return isBefore(*A, *B);
             });
  Instructions Sorted;
  Sorted.reserve(List.size());
  for (DecodedInstruction *D : Order)
    Sorted.push_back(std::move(*D));
  List = std::move(Sorted);
}

/// Nothing if any of it is not code.
CodeTracer::Instructions CodeTracer::decodeGap(uint64_t Begin, uint64_t End) {
  Instructions Gap;
  for (uint64_t Address = Begin; Address < End;) {
    Expected<DecodedInstruction> D = Decode.at(Object, Address);
    if (!D) {
      consumeError(D.takeError());
      return {};
    }
    Address = D->end();
    if (Address > End)
      return {};
    Gap.push_back(std::move(*D));
  }
  return Gap;
}

void CodeTracer::addGaps() {
  SmallVector<Instructions> Gaps;
  uint64_t End = Extent.Begin;
  auto addGap = [&](uint64_t Begin, uint64_t Limit) {
    Limit = std::min(Limit, Extent.End);
    if (Begin < Limit)
      if (Instructions Gap = decodeGap(Begin, Limit); !Gap.empty())
        Gaps.push_back(std::move(Gap));
  };
  for (const DecodedInstruction &D : Code) {
    addGap(End, D.Address);
    End = std::max(End, D.end());
  }
  addGap(End, Extent.End);
  if (Gaps.empty())
    return;

  // Data that looks like code branches anywhere.
  auto setKnown = [&](const Instructions &Gap, bool IsKnown) {
    for (const DecodedInstruction &D : Gap)
      if (IsKnown)
        Known.insert(D.Address);
      else
        Known.erase(D.Address);
  };
  auto staysInside = [&](const Instructions &Gap) {
    return all_of(Gap, [&](const DecodedInstruction &D) {
      return !isDirectBranch(D) || Known.contains(D.target(0));
    });
  };
  for (const Instructions &Gap : Gaps)
    setKnown(Gap, true);
  auto leavingGap = [&] { return find_if_not(Gaps, staysInside); };
  for (auto Gap = leavingGap(); Gap != Gaps.end(); Gap = leavingGap()) {
    setKnown(*Gap, false);
    Gaps.erase(Gap);
  }
  for (Instructions &Gap : Gaps)
    std::move(Gap.begin(), Gap.end(), std::back_inserter(Code));
  sortByAddress(Code);
}

} // namespace

Expected<std::vector<DecodedInstruction>>
traceCode(const CodeObject &Object, const amdgpu::MCTarget &Target,
          const CodeExtent &Extent, const KnownJumps &Jumps) {
  return CodeTracer(Object, Target, Extent, Jumps).run();
}

} // namespace luthier
