// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadArchive.h"
#include "luthier/Refusal.h"
#include "llvm/Support/BLAKE3.h"

using namespace llvm;

namespace luthier {
namespace {

/// For writing and for reading.
template <typename T, typename Structure>
concept Is = std::is_same_v<std::remove_const_t<T>, Structure>;

} // namespace

// Structured bindings name all fields: one more and this does not compile.
template <Is<Fixup> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Offset, Kind, Variable, Addend] = Value;
  A(Offset, Kind, Variable, Addend);
}

template <Is<PayloadLiteral> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Offset, Index] = Value;
  A(Offset, Index);
}

template <Is<LiteralSum::Term> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Index, IsWide, IsSigned, Factor] = Value;
  A(Index, IsWide, IsSigned, Factor);
}

template <Is<LiteralSum> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Symbol, Constant, Terms] = Value;
  A(Symbol, Constant, Terms);
}

static void visitFields(ArgumentSlot &Slot, ArchiveReader &R) {
  auto &[IsVector, Index, Dwords, IsLiteral] = Slot;
  R(IsVector, Index, Dwords, IsLiteral);
}

template <Is<CounterAddition> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Counter, IsLow, Number, Literal] = Value;
  A(Counter, IsLow, Number, Literal);
}

template <Is<LineEntry> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Offset, File, Line, HookFile, HookLine] = Value;
  A(Offset, File, Line, HookFile, HookLine);
}

template <Is<Payload> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Code, ClobbersSCC, ClobbersVCC, ClobbersM0, WritesEXEC, UsesSCC,
         UsesVCC, UsesEXEC, UsesM0, UsesMODE, UsesFloat, UsesState, WritesState,
         UsesWorkItemIds, ReadsApplication, WritesApplication, ActsOnWave,
         NeedsDistance, SkipsWithoutLanes, ComparesIntoEXEC, StoresWide,
         SGPREnd, VGPREnd, SGPRs, VGPRs, AGPRs, Masks, ReadByVectors,
         VectorsReadVCC, Reads, Writes, StackSize, StackAlign, StateValues,
         Fixups, Literals, LiteralSums, OnlyAdds, Lines] = Value;
  A(Code, ClobbersSCC, ClobbersVCC, ClobbersM0, WritesEXEC, UsesSCC, UsesVCC,
    UsesEXEC, UsesM0, UsesMODE, UsesFloat, UsesState, WritesState,
    UsesWorkItemIds, ReadsApplication, WritesApplication, ActsOnWave,
    NeedsDistance, SkipsWithoutLanes, ComparesIntoEXEC, StoresWide, SGPREnd,
    VGPREnd, SGPRs, VGPRs, AGPRs, Masks, ReadByVectors, VectorsReadVCC, Reads,
    Writes, StackSize, StackAlign, StateValues, Fixups, Literals, LiteralSums,
    OnlyAdds, Lines);
}

template <Is<HookNeeds> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[StateValues, State, WorkItemIds, FirstWorkItem, Stack, Float,
         HiddenArguments, LdsBytes, LdsAlign, Numbers, Accumulators,
         LaneCounters, Named] = Value;
  A(StateValues, State, WorkItemIds, FirstWorkItem, Stack, Float,
    HiddenArguments, LdsBytes, LdsAlign, Numbers.Bits, Accumulators,
    LaneCounters, Named);
}

template <Is<NamedFacts::Counter> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Variable, Offset] = Value;
  A(Variable, Offset);
}

template <Is<NamedFacts> T, typename Archive>
static void visitFields(T &Value, Archive &A) {
  auto &[Needs, Counters, Shared] = Value;
  A(Needs, Counters, Shared);
}

void visitFields(const ArgumentSlot &Slot, ArchiveWriter &W) {
  const auto &[IsVector, Index, Dwords, IsLiteral] = Slot;
  W(IsVector, Index, Dwords, IsLiteral);
}

void visitFields(const ComputedArgument &Argument, ArchiveWriter &W) {
  const auto &[Form, Detail, Inputs] = Argument;
  W(Form, Detail, Inputs);
}

static void visitFields(const ModuleLayout &Layout, ArchiveWriter &W) {
  const auto &[LdsOffset, FirstAccumulator, FirstLaneCounter, LaunchArguments] =
      Layout;
  W(LdsOffset, FirstAccumulator, FirstLaneCounter, LaunchArguments);
}

void visitFields(const PayloadABI &ABI, ArchiveWriter &W) {
  const auto &[ApplicationSGPRs, ApplicationVGPRs, ApplicationAGPRs, VccSave,
               ExecSave, SccSave, M0Save, FirstArgumentSGPR, FirstArgumentVGPR,
               FirstSGPR, SGPRLimit, FirstVGPR, VGPRLimit, WaveSize, ModeSave,
               StackPointer, FirstCounterSGPR, NumScalarCounters,
               FirstCounterVGPR, NumCounterVGPRs, CountersOnStack, Numbers,
               FirstLaneVGPR, NumLaneCounters, State, WorkItemIds, Kept,
               ExplicitKernargSize, HiddenArguments, Module] = ABI;
  W(ApplicationSGPRs, ApplicationVGPRs, ApplicationAGPRs, VccSave, ExecSave,
    SccSave, M0Save, FirstArgumentSGPR, FirstArgumentVGPR, FirstSGPR, SGPRLimit,
    FirstVGPR, VGPRLimit, WaveSize, ModeSave, StackPointer, FirstCounterSGPR,
    NumScalarCounters, FirstCounterVGPR, NumCounterVGPRs, CountersOnStack,
    Numbers.Bits, FirstLaneVGPR, NumLaneCounters, State, WorkItemIds, Kept,
    ExplicitKernargSize, HiddenArguments);
  visitFields(Module, W);
}

namespace {

template <typename T>
std::optional<std::vector<uint8_t>> archiveResult(Expected<T> &Result) {
  ArchiveWriter W;
  if (Result) {
    W(true, *Result);
    return W.bytes();
  }
  Error E = Result.takeError();
  const bool IsRefusal = E.isA<Refusal>();
  if (IsRefusal)
    E = handleErrors(std::move(E), [&](std::unique_ptr<Refusal> R) {
      W(false, R->reason(), R->detail());
      return Error(std::move(R));
    });
  Result = Expected<T>(std::move(E));
  return IsRefusal ? std::optional(W.bytes()) : std::nullopt;
}

template <typename T>
std::optional<Expected<T>> unarchiveResult(ArrayRef<uint8_t> Bytes) {
  ArchiveReader R(Bytes);
  bool IsResult = false;
  R(IsResult);
  if (IsResult) {
    T Result;
    R(Result);
    if (R.isComplete())
      return Expected<T>(std::move(Result));
    return std::nullopt;
  }
  RefusalReason Reason = {};
  std::string Detail;
  R(Reason, Detail);
  if (R.isComplete())
    return Expected<T>(refuse(Reason, Detail));
  return std::nullopt;
}

} // namespace

std::optional<std::vector<uint8_t>>
archive(Expected<std::vector<Payload>> &Result) {
  return archiveResult(Result);
}

std::optional<std::vector<uint8_t>> archive(Expected<NamedFacts> &Result) {
  return archiveResult(Result);
}

template <>
std::optional<Expected<std::vector<Payload>>>
unarchive(ArrayRef<uint8_t> Bytes) {
  return unarchiveResult<std::vector<Payload>>(Bytes);
}

template <>
std::optional<Expected<NamedFacts>> unarchive(ArrayRef<uint8_t> Bytes) {
  return unarchiveResult<NamedFacts>(Bytes);
}

PayloadKey digestOf(const ArchiveWriter &W) {
  const BLAKE3Result<> Hash = BLAKE3::hash<32>(W.bytes());
  PayloadKey Key;
  llvm::copy(Hash, Key.begin());
  return Key;
}

} // namespace luthier
