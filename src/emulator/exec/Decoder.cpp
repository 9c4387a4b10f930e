// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Decoder.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/exec/InstBuilder.h"
#include "emulator/exec/LiteralGuard.h"
#include "emulator/exec/Renames.h"
#include "emulator/exec/ShortCode.h"
#include "emulator/isa/Operation.h"
#include "llvm-c/Target.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace luthier::emulator {

struct Decoder::State {
  const Target *T = nullptr;
  llvm::Triple TT{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembly;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
  std::unique_ptr<llvm::MCInstPrinter> Printer;
  std::unordered_map<std::string, const Operation *> ByName;
  std::unordered_map<unsigned, const Operation *> ByOpcode;

  /// False when \p Bytes do not decode.
  bool disassemble(std::span<const uint8_t> Bytes, uint64_t PC,
                   llvm::MCInst &MI, uint64_t &Size) const;
  const Operation *find(const llvm::MCInst &MI);
  void touchTables();
  const Operation *byName(const std::string &Name) const;
  Result decodeDual(const llvm::MCInst &MI, Inst &I) const;
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

bool Decoder::State::disassemble(std::span<const uint8_t> Bytes, uint64_t PC,
                                 llvm::MCInst &MI, uint64_t &Size) const {
  if (hasMisplacedLiteral(Bytes, T->Generation))
    return false;
  // The disassembler expects to find a literal that the code announces.
  uint8_t Padded[4 * CodePage::NumExits] = {};
  std::memcpy(Padded, Bytes.data(), std::min(Bytes.size(), sizeof(Padded)));
  auto Decoded = llvm::MCDisassembler::Fail;
  uint32_t First;
  std::memcpy(&First, Padded, sizeof(First));
  if (mayEndHere(First))
    Decoded = Disassembler->getInstruction(
        MI, Size, llvm::ArrayRef(Padded, sizeof(First)), PC, llvm::nulls());
  if (Decoded == llvm::MCDisassembler::Fail)
    Decoded = Disassembler->getInstruction(MI, Size, Padded, PC, llvm::nulls());
  // A soft failure is valid code that no assembler would write.
  return Decoded != llvm::MCDisassembler::Fail && Size % 4 == 0 && Size != 0 &&
         Size <= Bytes.size();
}

const Operation *Decoder::State::byName(const std::string &Name) const {
  if (auto Op = ByName.find(Name); Op != ByName.end())
    return Op->second;
  if (auto Op = ByName.find(canonicalMnemonic(Name)); Op != ByName.end())
    return Op->second;
  return nullptr;
}

const Operation *Decoder::State::find(const llvm::MCInst &MI) {
  auto [It, New] = ByOpcode.try_emplace(MI.getOpcode(), nullptr);
  if (!New)
    return It->second;
  std::string Name = canonicalName(Printer->getMnemonic(MI).first);
  // Loads that bypass the registers share the mnemonic with those that do not.
  if (Instructions->getName(MI.getOpcode()).contains("_LDS_") &&
      Name.starts_with("buffer_load_"))
    Name += " lds";
  It->second = byName(Name);
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
    const uint32_t Words[] = {Word, 0, 0, 0, 0};
    llvm::MCInst MI;
    uint64_t Size = 0;
    if (disassemble({reinterpret_cast<const uint8_t *>(Words), sizeof(Words)},
                    0, MI, Size))
      find(MI);
  }
}

constexpr std::string_view DualPrefix = "v_dual_";

static bool isDual(std::string_view Mnemonic) {
  return Mnemonic.starts_with(DualPrefix);
}

static std::string mnemonicOf(llvm::MCInstPrinter &Printer,
                              const llvm::MCInst &MI) {
  return canonicalName(Printer.getMnemonic(MI).first);
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
Decoder::Result Decoder::State::decodeDual(const llvm::MCInst &MI,
                                           Inst &I) const {
  auto Names = dualNames(Instructions->getName(MI.getOpcode()));
  const Operation *Whole = byName("v_dual");
  const Operation *Ops[] = {Names ? byName(Names->first) : nullptr,
                            Names ? byName(Names->second) : nullptr};
  if (!Whole || !Ops[0] || !Ops[1])
    return {Status::Unsupported, nullptr, nullptr, nullptr};
  auto Dual = std::make_unique<DualInst>();
  unsigned Next = 2;
  for (unsigned N = 0; N != 2; ++N) {
    InstBuilder Part(*Instructions, *Registers, *T, MI, *Ops[N],
                     Dual->Parts[N]);
    if (!Part.buildDualPart(N, Next))
      return {Status::Undecodable, nullptr, nullptr, nullptr};
    Dual->Parts[N].Fn.store(Ops[N]->Fn, std::memory_order_relaxed);
  }
  if (Next != MI.getNumOperands())
    return {Status::Undecodable, nullptr, nullptr, nullptr};
  joinDual(*Dual, I);
  return {Status::Ok, Whole->Fn, nullptr, std::move(Dual)};
}

Decoder::Decoder(std::unique_ptr<State> S) : S(std::move(S)) {}
Decoder::~Decoder() = default;

std::unique_ptr<Decoder>
Decoder::create(const Target &T, unsigned WaveSize,
                std::span<const std::span<const Operation>> Tables,
                std::string &Error) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  auto S = std::make_unique<State>();
  const llvm::Target *Llvm = llvm::TargetRegistry::lookupTarget(S->TT, Error);
  if (!Llvm)
    return nullptr;
  S->T = &T;
  std::string Processor(T.Name);
  std::string Features;
  if (T.HasWave32)
    Features = WaveSize == 32 ? "+wavefrontsize32,-wavefrontsize64"
                              : "-wavefrontsize32,+wavefrontsize64";
  // LLVM's default differs by processor, the hardware does not: 16-bit operands
  // are halves of registers.
  if (T.Generation >= 11)
    Features += ",+real-true16";
  S->Registers.reset(Llvm->createMCRegInfo(S->TT));
  S->Assembly.reset(Llvm->createMCAsmInfo(*S->Registers, S->TT, S->Options));
  S->Instructions.reset(Llvm->createMCInstrInfo());
  S->Subtarget.reset(Llvm->createMCSubtargetInfo(S->TT, Processor, Features));
  if (!S->Subtarget || !S->Subtarget->isCPUStringValid(Processor)) {
    Error = "unknown processor " + Processor;
    return nullptr;
  }
  S->Context = std::make_unique<llvm::MCContext>(
      S->TT, S->Assembly.get(), S->Registers.get(), S->Subtarget.get());
  S->Disassembler.reset(Llvm->createMCDisassembler(*S->Subtarget, *S->Context));
  S->Printer.reset(Llvm->createMCInstPrinter(S->TT, 0, *S->Assembly,
                                             *S->Instructions, *S->Registers));
  for (std::span<const Operation> Table : Tables)
    for (const Operation &Op : Table)
      S->ByName.emplace(Op.Name, &Op);
  S->touchTables();
  return std::unique_ptr<Decoder>(new Decoder(std::move(S)));
}

Decoder::Result Decoder::decode(std::span<const uint8_t> Bytes, uint64_t PC,
                                Inst &I, bool WithInfo) {
  llvm::MCInst MI;
  uint64_t Size = 0;
  if (!S->disassemble(Bytes, PC, MI, Size))
    return {Status::Undecodable, nullptr, nullptr, nullptr};
  auto Info = [&](const std::string &Name) -> std::unique_ptr<InstInfo> {
    if (!WithInfo)
      return nullptr;
    return describe(*S->T, MI, S->Instructions->get(MI.getOpcode()),
                    *S->Registers, Name);
  };
  const Operation *Op = S->find(MI);
  if (!Op && isDual(mnemonicOf(*S->Printer, MI))) {
    Result R = S->decodeDual(MI, I);
    if (R.What == Status::Ok)
      R.Info = Info(mnemonicOf(*S->Printer, MI));
    I.Dwords = uint8_t(Size / 4);
    return R;
  }
  if (!Op)
    return {Status::Unsupported, nullptr, nullptr, nullptr};
  InstBuilder Builder(*S->Instructions, *S->Registers, *S->T, MI, *Op, I);
  if (!Builder.build())
    return {Status::Undecodable, nullptr, nullptr, nullptr};
  I.Dwords = uint8_t(Size / 4);
  const llvm::MCInstrDesc &Desc = S->Instructions->get(MI.getOpcode());
  I.Timing = timingOf(*S->T, *Op, Desc.TSFlags, MI, I);
  bool Saturates = I.Clamp && Op->Saturating;
  if (Saturates)
    I.Clamp = false;
  return {Status::Ok, Saturates ? Op->Saturating : Op->Fn, Info(Op->Name),
          nullptr};
}

std::string Decoder::print(std::span<const uint8_t> Bytes, uint64_t PC) {
  llvm::MCInst MI;
  uint64_t Size = 0;
  if (!S->disassemble(Bytes, PC, MI, Size)) {
    uint32_t Word = 0;
    std::memcpy(&Word, Bytes.data(), std::min(sizeof(Word), Bytes.size()));
    return ".long 0x" + llvm::utohexstr(Word, /*LowerCase=*/true);
  }
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  S->Printer->printInst(&MI, PC, "", *S->Subtarget, OS);
  for (char &C : Text)
    if (C == '\t' || C == '\n')
      C = ' ';
  size_t Start = Text.find_first_not_of(' ');
  return Start == std::string::npos ? Text : Text.substr(Start);
}

bool Decoder::knows(const std::string &Mnemonic) const {
  if (isDual(Mnemonic))
    return S->byName("v_" + Mnemonic.substr(DualPrefix.size())) != nullptr;
  return S->byName(canonicalName(Mnemonic)) != nullptr;
}

} // namespace luthier::emulator
