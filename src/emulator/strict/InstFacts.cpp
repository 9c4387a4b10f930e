// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/InstFacts.h"
#include "SIDefines.h"
#include "emulator/core/Wave.h"
#include "emulator/strict/HazardClasses.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <mutex>

namespace luthier::emulator::strict {

// Tables here are never destroyed: ROCr copies memory with kernels while the
// process ends.

namespace {

namespace flags = llvm::SIInstrFlags;

struct RuleRow {
  const char *Name;
  PoisonRule Rule;
  uint8_t Control;
};
constexpr RuleRow RuleRows[] = {
#define POISON(Name, Rule, Control) {Name, PoisonRule::Rule, Control},
#include "emulator/strict/PoisonRules.def"
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

const InstFacts &factsOfPart(const Target &T, Handler Fn) {
  struct Part {
    InstInfo Info;
    std::unique_ptr<InstFacts> Facts;
  };
  static std::mutex Mutex;
  static auto &Parts = *new std::map<Handler, Part>;
  std::lock_guard Lock(Mutex);
  Part &P = Parts[Fn];
  if (!P.Facts) {
    for (std::span<const Operation> Table : operationSet().Tables)
      for (const Operation &Op : Table)
        if (Op.Fn == Fn)
          P.Info.Mnemonic = Op.Name;
    P.Info.Flags = flags::VALU;
    P.Facts = std::make_unique<InstFacts>(T, P.Info);
  }
  return *P.Facts;
}

InstFacts::InstFacts(const Target &T, const InstInfo &Info) : Info(Info) {
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
  bool ReadsExec = false;
  Sort(Info.Reads, VectorReads, ScalarReads, ReadsExec, ReadsScc);
  Sort(Info.Writes, VectorWrites, ScalarWrites, WritesExec, WritesScc);
  auto IsM0 = [](const Span &S) { return S.First == sreg::M0; };
  // Other operations of the local data share needed M0 before generation 9,
  // and are still described so.
  constexpr llvm::StringRef UsersOfM0[] = {"addtid", "append", "consume",
                                           "ordered", "gws"};
  if ((Info.Flags & flags::DS) && llvm::none_of(UsersOfM0, [&](auto Part) {
        return llvm::StringRef(Info.Mnemonic).contains(Part);
      }))
    llvm::erase_if(ScalarReads, IsM0);
  ReadsM0 = llvm::any_of(ScalarReads, IsM0);
  for (const auto *Ranges : {&VectorReads, &VectorWrites})
    for (Span S : *Ranges)
      Vectors |= summary(S);
  for (const auto *Ranges : {&ScalarReads, &ScalarWrites})
    for (Span S : *Ranges)
      Scalars |= summary(S);
  classify(T);
  classifyHazards(T);
}

/// Operations that only shift or mix what their own lane holds.
static bool movesWithinLane(llvm::StringRef Name) {
  constexpr llvm::StringRef Stems[] = {"v_lshl", "v_lshr",  "v_ashr", "v_bfe",
                                       "v_bfi",  "v_bfrev", "v_align"};
  return llvm::any_of(Stems,
                      [&](llvm::StringRef S) { return Name.starts_with(S); });
}

void InstFacts::classify(const Target &T) {
  llvm::StringRef Name = Info.Mnemonic;
  if (const RuleRow *Row = findRule(Name)) {
    Rule = Row->Rule;
    Control = Row->Control;
  }
  uint64_t Flags = Info.Flags;
  IsCompare = Name.starts_with("v_cmp");
  IsSdwa = Flags & flags::SDWA;
  BeginsClause = Name == "s_clause";
  IsLdsDirect = Flags & flags::LDSDIR;
  ReadsLdsDirect = Info.ReadsLdsDirect;
  CrossesLanes = (Flags & flags::DPP) || Rule == PoisonRule::Move ||
                 Name.starts_with("v_readfirstlane");
  constexpr llvm::StringRef Permutes[] = {"ds_bpermute", "ds_permute",
                                          "ds_swizzle"};
  bool IsPermute = llvm::any_of(
      Permutes, [&](llvm::StringRef P) { return Name.starts_with(P); });
  if (Info.IsBranch)
    Form = Shape::Branch;
  else if (Name.starts_with("s_sendmsg"))
    Form = Shape::Message;
  else if (Flags & flags::SMRD)
    Form = Shape::ScalarMemory;
  else if (Flags & flags::SALU)
    Form = Flags & flags::SOPP ? Shape::Nothing : Shape::Scalar;
  else if (Flags & flags::FLAT)
    Form = Shape::Flat;
  else if (Flags & (flags::MUBUF | flags::MTBUF))
    Form = Shape::Buffer;
  else if (Flags & flags::LDSDIR)
    Form = Shape::Lds;
  else if ((Flags & flags::DS) && !IsPermute)
    Form = Name.starts_with("ds_gws") || Name == "ds_nop" ? Shape::Nothing
                                                          : Shape::Lds;
  else if (Flags & (flags::IsMAI | flags::IsWMMA | flags::IsSWMMAC))
    Form = Name.contains("accvgpr") ? Shape::Vector : Shape::Matrix;
  else
    Form = Shape::Vector;
  if (Form == Shape::Vector)
    for (const Span &S : ScalarWrites)
      WritesMask |= S.First != sreg::Scc && !VectorWrites.empty();
  IsRelative = Name.starts_with("v_movrel") || Name.starts_with("v_swaprel") ||
               Name.starts_with("s_movrel");
  IsWait = Name.starts_with("s_wait");
  IsCounted = (Flags & (flags::FLAT | flags::MUBUF | flags::MTBUF | flags::DS |
                        flags::LDSDIR | flags::SMRD)) ||
              Name.starts_with("s_sendmsg_rtn");
  constexpr PoisonRule BitRules[] = {
      PoisonRule::Copy, PoisonRule::Move,  PoisonRule::And, PoisonRule::AndNot,
      PoisonRule::Or,   PoisonRule::OrNot, PoisonRule::Xor};
  ConditionIsNonZero =
      Form == Shape::Scalar && WritesScc && llvm::is_contained(BitRules, Rule);
  const bool MovesBits =
      Rule == PoisonRule::Move || Rule == PoisonRule::Permute;
  if (Form == Shape::Vector)
    IsPlain = !(Flags & flags::DPP) && (!MovesBits || movesWithinLane(Name));
  else if (Form == Shape::Scalar)
    IsPlain = !MovesBits && !(Flags & flags::SOPK) &&
              Rule != PoisonRule::Select && Rule != PoisonRule::BitSet;
  classifyMemory();
  classifyCounters(T);
}

void InstFacts::classifyCounters(const Target &T) {
  const uint64_t Flags = Info.Flags;
  const llvm::StringRef Name = Info.Mnemonic;
  const bool IsGeneric = (Flags & flags::FLAT) &&
                         !(Flags & (flags::FlatGlobal | flags::FlatScratch));
  const bool IsInvalidation = Name.contains("_inv") || Name.contains("wbinv");
  auto By = [&](Counter C) -> bool & { return CountedBy[unsigned(C)]; };
  if ((Flags & (flags::FLAT | flags::MUBUF | flags::MTBUF)) &&
      !IsInvalidation) {
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
  } else if ((Flags & flags::SMRD) || Name.starts_with("s_sendmsg_rtn")) {
    By(Counter::Scalar) = true;
  }
}

/// By the size of the result, as in "v_mfma_f32_32x32x8f16". Since gfx942, the
/// forms with one block of narrow inputs, which have the larger K, take half.
static unsigned matrixPasses(llvm::StringRef Name, bool IsDouble,
                             bool IsMi300) {
  unsigned K = 0;
  auto Halved = [&](llvm::StringRef Size, unsigned LeastK) {
    llvm::StringRef Rest = Name.split(Size).second;
    return IsMi300 && (Name.contains("xf32") ||
                       (!Rest.consumeInteger(10, K) && K >= LeastK));
  };
  if (IsDouble)
    return Name.contains("_4x4x") ? 4 : 8;
  if (Name.contains("_4x4x"))
    return 2;
  if (Name.contains("_16x16x"))
    return Halved("_16x16x", 8) ? 4 : 8;
  return Halved("_32x32x", 8) ? 8 : 16;
}

void InstFacts::classifyHazards(const Target &T) {
  using namespace hazard;
  llvm::StringRef Name = Info.Mnemonic;
  uint64_t Flags = Info.Flags;
  HazardFamily = familyOf(T.Name);
  uint32_t C = 0;
  if (Form == Shape::Matrix) {
    C |= Matrix;
    IsDoubleMatrix = Name.contains("f64");
    IsXdl =
        !IsDoubleMatrix && (!Name.ends_with("f32") || Name.contains("xf32"));
    Passes = matrixPasses(Name, IsDoubleMatrix, HazardFamily & SinceMi300);
  } else if (Flags & flags::VALU || Form == Shape::Vector) {
    bool ToVcc = llvm::any_of(
        ScalarWrites, [](Span S) { return S.First / 2 == sreg::Vcc / 2; });
    bool IsRead =
        Name.starts_with("v_readlane") || Name.starts_with("v_readfirstlane");
    C |= Valu;
    C |= ScalarWrites.empty() ? 0 : ValuToScalar;
    C |= VectorWrites.empty() ? 0 : ValuToVector;
    C |= WritesExec ? ValuToExec | ValuToVccOrExec : 0;
    C |= ToVcc ? ValuToVccOrExec : 0;
    C |= (Flags & flags::DPP) ? Dpp : 0;
    C |= IsRead ? LaneRead : 0;
    C |= IsRead || Name.starts_with("v_writelane") ? LaneAccess : 0;
    if (Name.starts_with("v_readlane") || Name.starts_with("v_writelane"))
      C |= LaneSelect;
    C |= Name.starts_with("v_div_fmas") ? DivFmas : 0;
    C |= Flags & flags::TRANS ? Trans : ValuNotTrans;
    C |= Flags & flags::IsDOT ? Dot : 0;
    C |= Name == "v_permlane16_swap_b32" || Name == "v_permlane32_swap_b32"
             ? RowSwap
             : 0;
  }
  if (Flags & (flags::MUBUF | flags::MTBUF | flags::FLAT))
    C |= Vmem | (Stores && !Loads ? WideStore : 0);
  if (Flags & flags::DS)
    C = Lds;
  C |= IsLdsDirect ? hazard::LdsDirect : 0;
  C |= Name.starts_with("s_setreg") ? SetReg : 0;
  C |= Name.starts_with("s_getreg") ? GetReg : 0;
  C |= Name == "s_nop" ? Nop : 0;
  constexpr llvm::StringRef Calls[] = {"s_swappc", "s_setpc", "s_call"};
  bool IsCall = llvm::any_of(
      Calls, [&](llvm::StringRef Part) { return Name.starts_with(Part); });
  C |= IsCall ? Call : 0;
  bool ToM0 =
      llvm::any_of(ScalarWrites, [](Span S) { return S.First == sreg::M0; });
  C |= (Flags & flags::SALU) && ToM0 ? SaluToM0 : 0;
  bool UsesM0 = Name.starts_with("s_movrel") || Name == "s_sendmsg" ||
                BypassesRegisters || ((Flags & flags::DS) && ReadsM0) ||
                Name == "s_ttracedata" || ReadsLdsDirect;
  C |= UsesM0 ? hazard::ReadsM0 : 0;
  HazardClasses = C;
  HazardProducers = producersOf(HazardFamily, C);
}

void InstFacts::classifyMemory() {
  if (Form != Shape::ScalarMemory && Form != Shape::Flat &&
      Form != Shape::Buffer && Form != Shape::Lds)
    return;
  llvm::StringRef Name = Info.Mnemonic;
  Loads = Info.MayLoad;
  Stores = Info.MayStore;
  BypassesRegisters = Name.ends_with(" lds") || Name.contains("_lds_");
  if (Name.contains("store_byte") || Name.contains("write_b8"))
    StoredBits = 0xff;
  else if (Name.contains("store_short") || Name.contains("write_b16"))
    StoredBits = 0xffff;
  if (Name.ends_with("d16_hi"))
    StoredBits <<= 16;
  bool IsAtomic =
      Name.contains("atomic") || (Form == Shape::Lds && Loads && Stores);
  if (!IsAtomic || BypassesRegisters)
    return;
  Loads = Stores = true;
  Swaps = Name.contains("swap") || Name.contains("xchg");
  HasComparand = Name.contains("cmpswap") || Name.contains("cmpst");
  Swaps &= !HasComparand && !Name.contains("condxchg");
  bool Wide = Name.ends_with("_x2") || Name.ends_with("64");
  std::string Or;
  if (Form == Shape::Lds)
    Or = std::string("ds_or_") + (VectorWrites.empty() ? "" : "rtn_") +
         (Wide ? "b64" : "b32");
  else
    Or =
        Name.split("_atomic_").first.str() + "_atomic_or" + (Wide ? "_x2" : "");
  AtomicOr = handlerOf(Or);
}

} // namespace luthier::emulator::strict
