// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/OpcodeFacts.h"
#include "SIDefines.h"
#include "amdgpu/OpcodeMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include <atomic>
#include <bit>
#include <utility>
#include <vector>

using namespace llvm;

namespace luthier::amdgpu {
namespace {

struct Row {
  StringLiteral Names; ///< Separated by commas.
  OpcodeFacts Facts;
};

constexpr OpcodeFacts facts(uint32_t Traits, MemoryForm Form,
                            MemoryAccessKind Access, uint8_t Bytes) {
  return {Traits, Form, Access, Bytes, BufferAddress::None, true, true};
}

constexpr Row Rows[] = {
#define LUTHIER_OPERATIONS(Traits, ...)                                        \
  {#__VA_ARGS__, facts(Traits, MemoryForm::None, NoAccess, 0)},
#include "amdgpu/ScalarOperations.def"
#define LUTHIER_OPERATIONS(Traits, ...)                                        \
  {#__VA_ARGS__, facts(Traits, MemoryForm::None, NoAccess, 0)},
#include "amdgpu/VectorOperations.def"
#define LUTHIER_OPERATIONS(Traits, ...)                                        \
  {#__VA_ARGS__, facts(Traits, MemoryForm::None, NoAccess, 0)},
#define LUTHIER_MEMORY(Traits, Form, Access, Bytes, ...)                       \
  {#__VA_ARGS__, facts(Traits, MemoryForm::Form, Access, Bytes)},
#include "amdgpu/MemoryOperations.def"
};

/// Ends of LLVM's names that tell encodings and operands, not operations.
constexpr StringLiteral Endings[] = {
    "e32",   "e64",    "e96",         "sdwa",      "dpp",     "dpp8",
    "t16",   "fake16", "nosdst",      "opsel",     "pseudo",  "inreg",
    "w32",   "w64",    "agpr",        "term",      "exact",   "si",
    "vi",    "ci",     "gfx6",        "gfx7",      "gfx8",    "gfx9",
    "gfx10", "gfx11",  "gfx12",       "gfx90a",    "gfx940",  "gfx950",
    "IMM",   "SGPR",   "OPT",         "alt",       "OFFSET",  "SADDR",
    "SVS",   "ST",     "VE",          "RTN",       "VBUFFER", "M0",
    "OP",    "SEL",    "pad",         "s",         "nop",     "format",
    "ec",    "const",  "sideeffects", "mode",      "gfx80",   "indirect",
    "read",  "write",  "twoaddr",     "threeaddr", "TIED"};

/// The same, of ends that say something, too.
void addEnding(OpcodeFacts &Facts, StringRef Ending) {
  if (Ending == "OFFEN")
    Facts.Address = BufferAddress::Offset;
  else if (Ending == "IDXEN")
    Facts.Address = BufferAddress::Index;
  else if (Ending == "BOTHEN")
    Facts.Address = BufferAddress::Both;
  else if (Ending == "TFE")
    Facts.Traits |= WritesPart;
  else if (Ending == "LDS")
    Facts.Traits |= ThroughLds;
}

bool isEnding(StringRef Part) {
  return is_contained(Endings, Part) ||
         is_contained({"OFFEN", "IDXEN", "BOTHEN", "TFE", "LDS"}, Part);
}

using Table = StringMap<const OpcodeFacts *>;

const Table &rowsByName() {
  // Never destroyed, as threads may still be at work while the process ends.
  static const Table &Result = []() -> Table & {
    auto &ByName = *new Table;
    for (const Row &R : Rows)
      for (StringRef Name : split(R.Names, ','))
        ByName[Name.trim()] = &R.Facts;
    return ByName;
  }();
  return Result;
}

/// Operations with a second name, such as V_CVT_F32_F16V_CVT_F32_F16: the last
/// one is that of the pseudo.
StringRef lastName(StringRef Opcode) {
  for (size_t At = Opcode.rfind("V_"); At && At != StringRef::npos;
       At = Opcode.take_front(At).rfind("V_"))
    if (isDigit(Opcode[At - 1]))
      return Opcode.drop_front(At);
  return Opcode;
}

/// Drops endings until what is left has a row; null if that never is so.
const OpcodeFacts *findRow(StringRef &Name, OpcodeFacts &Endings) {
  for (;;) {
    if (auto It = rowsByName().find(Name); It != rowsByName().end())
      return It->second;
    const auto [Rest, Ending] = Name.rsplit('_');
    if (Ending.empty() || !isEnding(Ending))
      return nullptr;
    addEnding(Endings, Ending);
    Name = Rest;
  }
}

/// V_DUAL_ADD_F32_X_MOV_B32 is V_DUAL_ADD_F32 and V_DUAL_MOV_B32.
std::pair<StringRef, std::string> splitDual(StringRef Name) {
  if (!Name.starts_with("V_DUAL_"))
    return {Name, ""};
  const auto [First, Second] = Name.split("_X_");
  return {First, Second.empty() ? "" : ("V_DUAL_" + Second).str()};
}

bool isImage(uint64_t Flags) {
  return Flags &
         (SIInstrFlags::MIMG | SIInstrFlags::VIMAGE | SIInstrFlags::VSAMPLE);
}

bool isMatrix(uint64_t Flags) {
  return Flags &
         (SIInstrFlags::IsMAI | SIInstrFlags::IsWMMA | SIInstrFlags::IsSWMMAC);
}

OpcodeFacts lookUp(const MCInstrInfo &Instructions, unsigned Opcode) {
  OpcodeFacts Result;
  Result.IsFilled = true;
  auto [First, Second] = splitDual(lastName(Instructions.getName(Opcode)));
  const OpcodeFacts *Row = findRow(First, Result);
  StringRef Rest = Second;
  const OpcodeFacts *SecondRow = Rest.empty() ? Row : findRow(Rest, Result);
  const uint64_t Flags = Instructions.get(Opcode).TSFlags;
  if (Row && SecondRow) {
    Result.IsKnown = true;
    Result.Traits |= Row->Traits | SecondRow->Traits;
    // These encodings read other lanes, or parts.
    if (!(Row->Traits & SecondRow->Traits & WithinLane) ||
        Flags & (SIInstrFlags::DPP | SIInstrFlags::SDWA))
      Result.Traits &= ~uint32_t(WithinLane);
    Result.Form = Row->Form;
    Result.Access = Row->Access;
    Result.Bytes = Row->Bytes;
  } else if (isImage(Flags) || isMatrix(Flags)) {
    Result.IsKnown = true;
    // Whether an atomic one is of floats, its flags do not say.
    Result.Traits = isImage(Flags) ? FloatAtomic : NoTraits;
  } else {
    Result.Traits = Escapes | WritesPart | ReadsAnyLane;
    Result.Form = MemoryForm::Unaddressable;
  }
  return Result;
}

} // namespace

OpcodeFacts opcodeFacts(const MCInstrInfo &Instructions, unsigned Opcode) {
  // Few opcodes occur: each is looked at when it is first seen, by whichever
  // thread.
  static auto &Known =
      *new std::vector<std::atomic<uint64_t>>(Instructions.getNumOpcodes());
  std::atomic<uint64_t> &Entry = Known[Opcode];
  auto Facts =
      std::bit_cast<OpcodeFacts>(Entry.load(std::memory_order_relaxed));
  if (!Facts.IsFilled) {
    Facts = lookUp(Instructions, Opcode);
    Entry.store(std::bit_cast<uint64_t>(Facts), std::memory_order_relaxed);
  }
  return Facts;
}

OpcodeFacts opcodeFacts(const MachineInstr &MI) {
  return opcodeFacts(*MI.getMF()->getSubtarget().getInstrInfo(),
                     MI.getOpcode());
}

bool lacksFacts(const MachineInstr &MI, const OpcodeMap &Opcodes) {
  return !opcodeFacts(MI).IsKnown && Opcodes.realOpcode(MI.getOpcode());
}

StringRef operationName(StringRef Opcode) {
  OpcodeFacts Ignored;
  StringRef Name = splitDual(lastName(Opcode)).first;
  return findRow(Name, Ignored) ? Name : StringRef();
}

} // namespace luthier::amdgpu
