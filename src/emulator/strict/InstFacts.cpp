// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/InstFacts.h"
#include "SIDefines.h"
#include "emulator/core/Wave.h"
#include "emulator/strict/HazardClasses.h"
#include "emulator/strict/MatrixRows.h"
#include "llvm/ADT/StringMap.h"

namespace luthier::emulator::strict {

// Tables here are never destroyed: ROCr copies memory with kernels while the
// process ends.

namespace {

namespace flags = llvm::SIInstrFlags;

/// In the last column of UndefinedRules.def.
enum RuleFlag : uint8_t { KeepsResult = 0x40, WithinLane = 0x80 };

struct RuleRow {
  const char *Name;
  UndefinedRule Rule;
  uint8_t Column;

  uint8_t control() const { return Column & 0x3f; }
  bool has(RuleFlag F) const { return Column & F; }
};
constexpr RuleRow RuleRows[] = {
#define UNDEFINED(Name, Rule, Control) {Name, UndefinedRule::Rule, Control},
#include "emulator/strict/UndefinedRules.def"
};

const RuleRow *findRule(llvm::StringRef Name) {
  static const auto &Rows = *[] {
    auto *Map = new llvm::StringMap<const RuleRow *>;
    for (const RuleRow &Row : RuleRows)
      Map->try_emplace(Row.Name, &Row);
    return Map;
  }();
  return Rows.lookup(Name);
}

} // namespace

Handler handlerOf(llvm::StringRef Name) {
  static const auto &Handlers = *[] {
    auto *Map = new llvm::StringMap<Handler>;
    for (std::span<const Operation> Table : operationSet().Tables)
      for (const Operation &Op : Table)
        Map->try_emplace(Op.Name, Op.Fn);
    return Map;
  }();
  return Handlers.lookup(Name);
}

InstFacts::InstFacts(const Target &T, const Inst &I)
    : Info(*I.Info), Op(*Info.Operation) {
  auto Sort = [&](const std::vector<RegisterRange> &From, auto &Vectors,
                  auto &Scalars, bool &Exec, bool &Scc) {
    for (const RegisterRange &R : From) {
      if (R.File == RegisterFile::Vector)
        Vectors.push_back({R.First, R.Count});
      else if (R.First == sreg::Exec || R.First == sreg::Exec + 1)
        Exec = true;
      else if (R.First < sreg::Null || R.First == sreg::Scc) {
        Scc |= R.First == sreg::Scc;
        Scalars.push_back({R.First, R.Count});
      }
    }
  };
  Sort(Info.Reads, VectorReads, ScalarReads, ReadsExec, ReadsScc);
  Sort(Info.Writes, VectorWrites, ScalarWrites, WritesExec, WritesScc);
  auto IsM0 = [](const Span &S) { return S.First == sreg::M0; };
  // Other operations of the local data share needed M0 before generation 9,
  // and are still described so.
  if ((Info.Flags & flags::DS) && !Op.has(trait::UsesM0))
    llvm::erase_if(ScalarReads, IsM0);
  ReadsM0 = llvm::any_of(ScalarReads, IsM0);
  for (const auto *Ranges : {&VectorReads, &VectorWrites})
    for (Span S : *Ranges)
      Vectors |= summary(S);
  for (const auto *Ranges : {&ScalarReads, &ScalarWrites})
    for (Span S : *Ranges)
      Scalars |= summary(S);
  classify(T);
  classifyHazards(T, I);
  MovesScratch = (Form == Shape::Flat || Form == Shape::Buffer) &&
                 Loads != Stores && !BypassesRegisters;
  MayMakeStray = IsLaneRead || IgnoresExec || IsRelative || MovesScratch;
}

/// The unit that an instruction goes to, and what it does there.
Shape InstFacts::shapeOf() const {
  const uint64_t Flags = Info.Flags;
  if (Info.IsBranch)
    return Shape::Branch;
  if (Op.has(trait::Message))
    return Shape::Message;
  if (Flags & flags::SMRD)
    return Shape::ScalarMemory;
  if (Flags & flags::SALU)
    return Flags & flags::SOPP ? Shape::Nothing : Shape::Scalar;
  if (Flags & flags::FLAT)
    return Shape::Flat;
  if (Flags & (flags::MUBUF | flags::MTBUF))
    return Shape::Buffer;
  if (Op.Access == MemoryAccess::GlobalSync ||
      Op.Access == MemoryAccess::Nothing)
    return Shape::Nothing;
  if (Op.Space == MemorySpace::Lds && Op.Access != MemoryAccess::LanePermute)
    return Shape::Lds;
  return Op.Matrix.Rows ? Shape::Matrix : Shape::Vector;
}

void InstFacts::classify(const Target &T) {
  const RuleRow *Row = findRule(Info.Mnemonic);
  if (Row) {
    Rule = Row->Rule;
    Control = Row->control();
  }
  uint64_t Flags = Info.Flags;
  Form = shapeOf();
  IsLaneRead = Op.has(trait::LaneToScalar);
  IgnoresExec = Form == Shape::Matrix || Op.has(trait::ScalarToLane);
  IsSdwa = Flags & flags::SDWA;
  BeginsClause = Op.has(trait::Clause);
  IsLdsDirect = Flags & flags::LDSDIR;
  ReadsLdsDirect = Info.ReadsLdsDirect;
  CrossesLanes = (Flags & flags::DPP) || Rule == UndefinedRule::Move ||
                 Op.has(trait::ReadsInactive);
  // A lane mask, or EXEC, is all that it writes: no lane's value, and not what
  // the scalar forms of transcendental operations write.
  IsCompare = (Flags & flags::VALU) && !(Flags & flags::TRANS) &&
              VectorWrites.empty() && (WritesExec || !ScalarWrites.empty()) &&
              !Op.has(trait::LaneToScalar);
  if (Form == Shape::Vector)
    for (const Span &S : ScalarWrites)
      WritesMask |= S.First != sreg::Scc && !VectorWrites.empty();
  IsRelative = Op.has(trait::Relative);
  IsWait = Op.Waits != WaitKind::None;
  IsCounted = (Flags & (flags::FLAT | flags::MUBUF | flags::MTBUF | flags::DS |
                        flags::LDSDIR | flags::SMRD)) ||
              Op.has(trait::MessageReply);
  constexpr UndefinedRule BitRules[] = {
      UndefinedRule::Copy,   UndefinedRule::Move, UndefinedRule::And,
      UndefinedRule::AndNot, UndefinedRule::Or,   UndefinedRule::OrNot,
      UndefinedRule::Xor};
  ConditionIsNonZero =
      Form == Shape::Scalar && WritesScc && llvm::is_contained(BitRules, Rule);
  // Saving EXEC is what reads it as a scalar.
  SavesExec = Form == Shape::Scalar && WritesExec && ReadsExec;
  KeepsDestination = Row && Row->has(KeepsResult);
  const bool MovesBits =
      Rule == UndefinedRule::Move || Rule == UndefinedRule::Permute;
  if (Form == Shape::Vector)
    IsPlain = !(Flags & flags::DPP) && (!MovesBits || Row->has(WithinLane));
  else if (Form == Shape::Scalar)
    IsPlain = !MovesBits && !(Flags & flags::SOPK) &&
              Rule != UndefinedRule::Select && Rule != UndefinedRule::BitSet;
  classifyMemory();
  classifyCounters(T);
}

void InstFacts::classifyCounters(const Target &T) {
  const uint64_t Flags = Info.Flags;
  const bool IsGeneric = (Flags & flags::FLAT) &&
                         !(Flags & (flags::FlatGlobal | flags::FlatScratch));
  auto By = [&](Counter C) -> bool & { return CountedBy[unsigned(C)]; };
  if ((Flags & (flags::FLAT | flags::MUBUF | flags::MTBUF)) &&
      Op.Access != MemoryAccess::Invalidate) {
    // Where stores have a counter of their own, it covers no register.
    bool Returns = !VectorWrites.empty() || BypassesRegisters;
    By(Counter::Memory) = Returns || T.Waits == WaitLayout::Gfx9;
    By(Counter::Lds) = IsGeneric;
    // Since generation 10, generic accesses are back in order as well.
    IsOrdered = !IsGeneric || T.Waits != WaitLayout::Gfx9;
  } else if (Flags & flags::DS) {
    By(Counter::Lds) = true;
    IsOrdered = true;
  } else if (Flags & flags::LDSDIR) {
    By(Counter::Export) = true;
    IsOrdered = true;
  } else if ((Flags & flags::SMRD) || Op.has(trait::MessageReply)) {
    By(Counter::Scalar) = true;
  }
}

/// VCCZ, EXECZ or SCCZ.
static bool readsZeroFlag(const Inst &I) {
  return llvm::any_of(I.Src, [](const Operand &O) {
    return O.Kind == Source::Special && O.Reg != sreg::LdsDirect;
  });
}

void InstFacts::classifyHazards(const Target &T, const Inst &I) {
  using namespace hazard;
  uint64_t Flags = Info.Flags;
  HazardFamily = T.Hazards;
  uint32_t C = 0;
  if (Form == Shape::Matrix) {
    C |= hazard::Matrix;
    Matrix = matrixHazard(HazardFamily, Op.Matrix);
  } else if (Flags & flags::VALU || Form == Shape::Vector) {
    bool ToVcc = llvm::any_of(
        ScalarWrites, [](Span S) { return S.First / 2 == sreg::Vcc / 2; });
    C |= Valu;
    C |= ScalarWrites.empty() ? 0 : ValuToScalar;
    C |= VectorWrites.empty() ? 0 : ValuToVector;
    C |= WritesExec ? ValuToExec | ValuToVccOrExec : 0;
    C |= ToVcc ? ValuToVccOrExec : 0;
    C |= (Flags & flags::DPP) ? Dpp : 0;
    C |= Op.has(trait::LaneToScalar) ? LaneRead | LaneAccess : 0;
    C |= Op.has(trait::ScalarToLane) ? LaneAccess : 0;
    C |= Op.has(trait::SelectsLane) ? LaneSelect : 0;
    C |= Op.has(trait::MaskIsVcc) ? DivFmas : 0;
    C |= Flags & flags::TRANS ? Trans : ValuNotTrans;
    C |= Flags & flags::IsDOT ? Dot : 0;
    C |= Op.has(trait::SwapsRows) ? RowSwap : 0;
    C |= readsZeroFlag(I) ? ZeroFlag : 0;
    // Half results that leave the upper half alone are forwarded as they are.
    const bool IsPartial =
        IsSdwa ? I.DstSelect != Part::Dword : I.DstSelect == Part::Word1;
    C |= IsPartial ? PartialResult : 0;
  }
  if (Flags & (flags::MUBUF | flags::MTBUF | flags::FLAT))
    C |= Vmem | (Stores && !Loads ? WideStore : 0);
  if (Flags & flags::DS)
    C = Lds;
  C |= IsLdsDirect ? hazard::LdsDirect : 0;
  C |= Op.has(trait::SetRegister) ? SetReg : 0;
  C |= Op.has(trait::GetRegister) ? GetReg : 0;
  C |= Op.has(trait::Nop) ? hazard::Nop : 0;
  C |= Op.leavesFunction() ? Call : 0;
  bool ToM0 =
      llvm::any_of(ScalarWrites, [](Span S) { return S.First == sreg::M0; });
  C |= (Flags & flags::SALU) && ToM0 ? SaluToM0 : 0;
  bool UsesM0 = Op.has(trait::TakesM0) || BypassesRegisters ||
                ((Flags & flags::DS) && ReadsM0) || ReadsLdsDirect;
  C |= UsesM0 ? hazard::ReadsM0 : 0;
  HazardClasses = C;
  HazardProducers = producersOf(HazardFamily, C);
}

/// "or" with the operands and the width of an atomic operation.
static const char *atomicOr(const OperationFacts &Op, bool Returns) {
  const bool IsWide = Op.Bytes == 8;
  switch (Op.Space) {
  case MemorySpace::Lds:
    if (Returns)
      return IsWide ? "ds_or_rtn_b64" : "ds_or_rtn_b32";
    return IsWide ? "ds_or_b64" : "ds_or_b32";
  case MemorySpace::Flat:
    return IsWide ? "flat_atomic_or_x2" : "flat_atomic_or";
  case MemorySpace::Global:
    return IsWide ? "global_atomic_or_x2" : "global_atomic_or";
  case MemorySpace::Buffer:
    return IsWide ? "buffer_atomic_or_x2" : "buffer_atomic_or";
  case MemorySpace::Scalar:
    return IsWide ? "s_atomic_or_x2" : "s_atomic_or";
  case MemorySpace::ScalarBuffer:
    return IsWide ? "s_buffer_atomic_or_x2" : "s_buffer_atomic_or";
  case MemorySpace::Scratch:
  case MemorySpace::None:
    break;
  }
  return "";
}

void InstFacts::classifyMemory() {
  if (Form != Shape::ScalarMemory && Form != Shape::Flat &&
      Form != Shape::Buffer && Form != Shape::Lds)
    return;
  Loads = Info.MayLoad;
  Stores = Info.MayStore;
  BypassesRegisters =
      Op.Access == MemoryAccess::ToLds || Op.Access == MemoryAccess::FromLds;
  if (Op.Access == MemoryAccess::Store && Op.Bytes && Op.Bytes < 4)
    StoredBits = (1u << 8 * Op.Bytes) - 1;
  if (Op.has(trait::HighHalf))
    StoredBits <<= 16;
  if (!isAtomic(Op.Access))
    return;
  Loads = Stores = true;
  Swaps = Op.Access == MemoryAccess::Swap;
  HasComparand = Op.Access == MemoryAccess::CompareSwap;
  AtomicOr = handlerOf(atomicOr(Op, !VectorWrites.empty()));
}

} // namespace luthier::emulator::strict
