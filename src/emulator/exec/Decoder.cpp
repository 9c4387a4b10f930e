// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Decoder.h"
#include "SIDefines.h"
#include "emulator/exec/DecodeMemo.h"
#include "emulator/exec/Disassembler.h"
#include "emulator/exec/InstBuilder.h"
#include "emulator/exec/OperandNames.h"
#include "emulator/exec/RowCheck.h"
#include "emulator/exec/TimingModel.h"
#include "emulator/isa/Operation.h"
#include "emulator/isa/OperationFacts.h"
#include "emulator/isa/Renames.h"
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <pthread.h>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace luthier::emulator {

/// Some tens of megabytes for those with descriptions.
static constexpr size_t MaxRemembered = 1 << 14;

struct Decoder::State {
  explicit State(std::unique_ptr<Disassembler> D);

  /// Both null where there is no such operation, or facts about it are missing.
  struct Row {
    const Operation *Op = nullptr;
    const OperationFacts *Facts = nullptr;
  };
  const Operation *byName(const std::string &Name) const;
  Row find(const llvm::MCInst &MI);
  bool isLoadToLds(const llvm::MCInst &MI) const;
  Status build(const llvm::MCInst &MI, DecodedInst &To, bool WithInfo);
  Status buildDual(const llvm::MCInst &MI, DecodedInst &To,
                   bool WithInfo) const;
  void touchTables();
  int literalSource(std::span<const uint8_t> Instruction,
                    const DecodedInst &New);
  Result decode(std::span<const uint8_t> Bytes, bool WithInfo);
  Result remembered(std::span<const uint8_t> Bytes, bool WithInfo);

  std::mutex Mutex;
  std::unique_ptr<Disassembler> Code;
  std::unordered_map<std::string, const Operation *> ByName;
  std::unordered_map<unsigned, Row> ByOpcode;
  using Memo = DecodeMemo<std::shared_ptr<const DecodedInst>>;
  Memo Plain{MaxRemembered}, Described{MaxRemembered};
};

/// "v_add_f32_e64" and its siblings are one operation.
static std::string canonicalName(std::string Name) {
  // Some mnemonics have a fixed first operand attached.
  Name = Name.substr(0, Name.find(' '));
  // "_e64_dpp" has two.
  for (const char *Suffix : {"_sdwa", "_dpp", "_e32", "_e64"})
    if (Name.ends_with(Suffix))
      Name.resize(Name.size() - std::string(Suffix).size());
  return Name;
}

Decoder::State::State(std::unique_ptr<Disassembler> D) : Code(std::move(D)) {
  for (std::span<const Operation> Table : operationSet().Tables)
    for (const Operation &Op : Table)
      ByName.emplace(Op.Name, &Op);
  touchTables();
}

const Operation *Decoder::State::byName(const std::string &Name) const {
  if (auto Op = ByName.find(Name); Op != ByName.end())
    return Op->second;
  if (auto Op = ByName.find(canonicalMnemonic(Name)); Op != ByName.end())
    return Op->second;
  return nullptr;
}

/// Loads that bypass the registers have no register for data. They share the
/// mnemonic with those that do not bypass them, but for flat ones from gfx940
/// on.
bool Decoder::State::isLoadToLds(const llvm::MCInst &MI) const {
  namespace flags = llvm::SIInstrFlags;
  const llvm::MCInstrDesc &Desc = Code->instructions().get(MI.getOpcode());
  return (Desc.TSFlags & (flags::MUBUF | flags::FLAT)) && Desc.mayLoad() &&
         namedOperand(MI.getOpcode(), OperandName::vdata) < 0 &&
         namedOperand(MI.getOpcode(), OperandName::vdst) < 0;
}

Decoder::State::Row Decoder::State::find(const llvm::MCInst &MI) {
  auto [It, New] = ByOpcode.try_emplace(MI.getOpcode());
  if (!New)
    return It->second;
  const std::string Name = canonicalName(Code->mnemonicOf(MI));
  const Operation *Op = isLoadToLds(MI) ? byName(Name + " lds") : nullptr;
  if (!Op)
    Op = byName(Name);
  if (!Op)
    return {};
  const OperationFacts &Facts = factsOf(Op->Name);
  if (missingFacts(Facts, Code->instructions().get(MI.getOpcode()),
                   Code->registers())
          .empty())
    It->second = {Op, &Facts};
  return It->second;
}

/// LLVM's tables are megabytes that the loader maps but does not read. Without
/// this, a program's first dispatch would pay for bringing them in.
void Decoder::State::touchTables() {
  // A word of each encoding family, by its leading bits.
  static constexpr uint32_t Samples[] = {
      0x7e000280, 0x68000000, 0x7c000000, 0xd1000000, 0xd3800000, 0xd2000000,
      0xbf800000, 0x80000000, 0xbe800000, 0xbf000000, 0xb0000000, 0xc0000000,
      0xd8000000, 0xdc508000, 0xe0500000, 0xe8000000};
  for (uint32_t Word : Samples) {
    const uint32_t Words[Disassembler::MaxDwords] = {Word};
    llvm::MCInst MI;
    if (Code->read({reinterpret_cast<const uint8_t *>(Words), sizeof(Words)},
                   MI))
      find(MI);
  }
}

constexpr std::string_view DualPrefix = "v_dual_";

static bool isDual(std::string_view Mnemonic) {
  return Mnemonic.starts_with(DualPrefix);
}

/// The names of both operations, from "V_DUAL_ADD_F32_e32_X_MOV_B32_e32_gfx11".
static std::optional<std::pair<std::string, std::string>>
dualNames(llvm::StringRef Opcode) {
  auto [First, Second] = Opcode.split("_X_");
  if (!First.consume_front("V_DUAL_") || Second.empty())
    return std::nullopt;
  First.consume_back("_e32");
  Second = Second.take_front(Second.rfind('_'));
  Second.consume_back("_e32");
  return std::pair("v_" + First.lower(), "v_" + Second.lower());
}

/// The operands of both operations follow the two destinations.
Decoder::Status Decoder::State::buildDual(const llvm::MCInst &MI,
                                          DecodedInst &To,
                                          bool WithInfo) const {
  auto Names = dualNames(Code->instructions().getName(MI.getOpcode()));
  const Operation *Whole = byName("v_dual");
  const Operation *Ops[] = {Names ? byName(Names->first) : nullptr,
                            Names ? byName(Names->second) : nullptr};
  if (!Whole || !Ops[0] || !Ops[1])
    return Status::Unsupported;
  auto Dual = std::make_unique<DualInst>();
  unsigned Next = 2;
  for (unsigned N = 0; N != 2; ++N) {
    const OperationFacts &Facts = factsOf(Ops[N]->Name);
    InstBuilder Part(Code->instructions(), Code->registers(), Code->target(),
                     MI, *Ops[N], Facts, Dual->Parts[N].I);
    if (!Part.buildDualPart(N, Next))
      return Status::Undecodable;
    Dual->Parts[N].Fn = Ops[N]->Fn;
    if (!WithInfo)
      continue;
    auto Info = std::make_unique<InstInfo>();
    Info->Mnemonic = Ops[N]->Name;
    Info->Operation = &Facts;
    Info->Flags = llvm::SIInstrFlags::VALU;
    Dual->Parts[N].I.Info = Info.get();
    To.PartInfo[N] = std::move(Info);
  }
  if (Next != MI.getNumOperands())
    return Status::Undecodable;
  joinDual(*Dual, To.I);
  To.Fn = Whole->Fn;
  To.I.Dual = Dual.get();
  To.Dual = std::move(Dual);
  return Status::Ok;
}

Decoder::Status Decoder::State::build(const llvm::MCInst &MI, DecodedInst &To,
                                      bool WithInfo) {
  const llvm::MCInstrDesc &Desc = Code->instructions().get(MI.getOpcode());
  const auto [Op, Facts] = find(MI);
  std::string Name = Op ? Op->Name : canonicalName(Code->mnemonicOf(MI));
  if (!Op && isDual(Name)) {
    if (Status What = buildDual(MI, To, WithInfo); What != Status::Ok)
      return What;
  } else if (!Op) {
    return Status::Unsupported;
  } else {
    InstBuilder Builder(Code->instructions(), Code->registers(), Code->target(),
                        MI, *Op, *Facts, To.I);
    if (!Builder.build())
      return Status::Undecodable;
    To.I.Timing = timingOf(Code->target(), *Op, *Facts, Desc.TSFlags, MI, To.I);
    const bool Saturates = To.I.Clamp && Op->Saturating;
    if (Saturates)
      To.I.Clamp = false;
    To.Fn = Saturates ? Op->Saturating : Op->Fn;
  }
  if (WithInfo)
    To.Info = describe(Code->target(), MI, Desc, Code->registers(), Name,
                       Facts ? *Facts : factsOf({}));
  To.I.Info = To.Info.get();
  return Status::Ok;
}

Decoder::Decoder(std::unique_ptr<State> S) : S(std::move(S)) {}
Decoder::~Decoder() = default;

/// All that a literal might change, but for the values of sources.
static auto detailsOf(const Inst &I) {
  return std::tie(I.Needs, I.Immediate, I.Offset, I.AddressMode, I.DppControl,
                  I.ScalarDst, I.MaskSrc, I.Dwords, I.Counted, I.FloatMode,
                  I.SlowResult, I.Clamp, I.Src[0].Kind, I.Src[1].Kind,
                  I.Src[2].Kind);
}

/// True if \p Word, the first of an instruction's two, announces a literal.
static bool hasLiteral(uint32_t Word) {
  constexpr uint32_t Literal = 0xff;
  const bool IsScalar = Word >> 31;
  if (!IsScalar)
    return (Word & 0x1ff) == Literal;
  return Word >> 30 == 2 &&
         ((Word & 0xff) == Literal || (Word >> 8 & 0xff) == Literal);
}

/// The source of \p New that its second dword is the value of, if another dword
/// there would change nothing else.
int Decoder::State::literalSource(std::span<const uint8_t> Instruction,
                                  const DecodedInst &New) {
  uint32_t Words[2];
  if (Instruction.size() != sizeof(Words) || New.Dual)
    return -1;
  std::memcpy(Words, Instruction.data(), sizeof(Words));
  if (!hasLiteral(Words[0]))
    return -1;
  const uint32_t Literal = Words[1];
  // Another sign, and no inline constant if the first one is.
  Words[1] = ~Literal ^ 0x00abcd00;
  DecodedInst Other;
  Other.I.Dwords = New.I.Dwords;
  llvm::MCInst MI;
  if (Code->read({reinterpret_cast<const uint8_t *>(Words), sizeof(Words)},
                 MI) != sizeof(Words) ||
      build(MI, Other, /*WithInfo=*/false) != Status::Ok ||
      Other.Fn != New.Fn || detailsOf(Other.I) != detailsOf(New.I))
    return -1;
  int Source = -1;
  for (int N = 0; N != 3; ++N) {
    if (Other.I.Src[N].Value == New.I.Src[N].Value)
      continue;
    if (Source >= 0 || New.I.Src[N].Kind != emulator::Source::Constant ||
        New.I.Src[N].Value != Literal || Other.I.Src[N].Value != Words[1])
      return -1;
    Source = N;
  }
  return Source;
}

void Decoder::Result::fill(CodeSlot &Slot) const {
  Slot.I = Inst->I;
  if (Inst->LiteralSource >= 0)
    Slot.I.Src[Inst->LiteralSource].Value = Literal;
  Slot.Fn.store(Inst->Fn);
}

Decoder::Result Decoder::State::decode(std::span<const uint8_t> Bytes,
                                       bool WithInfo) {
  llvm::MCInst MI;
  const uint64_t Size = Code->read(Bytes, MI);
  if (!Size)
    return {Status::Undecodable, nullptr};
  auto New = std::make_shared<DecodedInst>();
  const Status What = build(MI, *New, WithInfo);
  New->I.Dwords = uint8_t(Size / 4);
  if (What != Status::Ok)
    return {What, nullptr};
  New->LiteralSource = literalSource(Bytes.first(Size), *New);
  Result R{What, std::move(New)};
  if (R.Inst->LiteralSource >= 0)
    std::memcpy(&R.Literal, &Bytes[4], sizeof(R.Literal));
  return R;
}

Decoder::Result Decoder::decodeAnew(std::span<const uint8_t> Code,
                                    bool WithInfo) {
  std::lock_guard Lock(S->Mutex);
  return S->decode(Code, WithInfo);
}

Decoder::Result Decoder::decode(std::span<const uint8_t> Code, bool WithInfo) {
  std::lock_guard Lock(S->Mutex);
  return S->remembered(Code, WithInfo);
}

Decoder::Result Decoder::State::remembered(std::span<const uint8_t> Bytes,
                                           bool WithInfo) {
  Memo &Known = WithInfo ? Described : Plain;
  const auto *Found = Known.find(Bytes);
  if (Found && (*Found)->I.Dwords * 4u <= Bytes.size()) {
    Result R{Status::Ok, *Found};
    if (R.Inst->LiteralSource >= 0)
      std::memcpy(&R.Literal, &Bytes[4], sizeof(R.Literal));
    return R;
  }
  Result R = decode(Bytes, WithInfo);
  if (R.What != Status::Ok)
    return R;
  // Other literals share what is remembered for the first dword.
  const bool IsShared = R.Inst->LiteralSource >= 0;
  Known.note(Bytes.first(IsShared ? 4 : R.Inst->I.Dwords * 4u), R.Inst);
  return R;
}

std::string Decoder::print(std::span<const uint8_t> Code, uint64_t PC) {
  std::lock_guard Lock(S->Mutex);
  return S->Code->print(Code, PC);
}

bool Decoder::knows(const std::string &Mnemonic) const {
  if (isDual(Mnemonic))
    return S->byName("v_" + Mnemonic.substr(DualPrefix.size())) != nullptr;
  return S->byName(canonicalName(Mnemonic)) != nullptr;
}

namespace {

/// Never destroyed: threads may decode while the process ends.
struct Registry {
  std::mutex Mutex;
  std::map<std::pair<const Target *, unsigned>, std::unique_ptr<Decoder>> All;

  static Registry &current();
};

std::atomic<Registry *> Current{nullptr};

Registry &Registry::current() {
  // A child may be born while another thread holds one of the locks, so it
  // begins anew.
  static const int Registered =
      pthread_atfork(nullptr, nullptr, [] { Current.store(nullptr); });
  (void)Registered;
  Registry *Known = Current.load();
  if (Known)
    return *Known;
  auto New = std::make_unique<Registry>();
  return Current.compare_exchange_strong(Known, New.get()) ? *New.release()
                                                           : *Known;
}

} // namespace

Decoder *Decoder::get(const Target &T, unsigned WaveSize, std::string &Error) {
  Registry &R = Registry::current();
  std::lock_guard Lock(R.Mutex);
  std::unique_ptr<Decoder> &D = R.All[{&T, WaveSize}];
  if (!D)
    if (auto Code = Disassembler::create(T, WaveSize, Error))
      D.reset(new Decoder(std::make_unique<State>(std::move(Code))));
  return D.get();
}

} // namespace luthier::emulator
