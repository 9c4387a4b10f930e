// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Operations.h"
#include "Availability.h"
#include "SIDefines.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCFixup.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace luthier::test {

std::string withoutEncoding(std::string Mnemonic) {
  // Some mnemonics have a fixed first operand attached.
  Mnemonic = Mnemonic.substr(0, Mnemonic.find_first_of(" \t"));
  for (const char *Suffix :
       {"_e64_dpp", "_e32", "_e64", "_sdwa", "_dpp8", "_dpp"})
    if (Mnemonic.ends_with(Suffix))
      return Mnemonic.substr(0, Mnemonic.size() - std::string(Suffix).size());
  return Mnemonic;
}

struct OpcodeList::State {
  llvm::Triple TT{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions Options;
  std::unique_ptr<llvm::MCRegisterInfo> Registers;
  std::unique_ptr<llvm::MCAsmInfo> Assembly;
  std::unique_ptr<llvm::MCInstrInfo> Instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> Subtarget;
  std::unique_ptr<llvm::MCContext> Context;
  std::unique_ptr<llvm::MCDisassembler> Disassembler;
  std::unique_ptr<llvm::MCCodeEmitter> Emitter;
  std::unique_ptr<llvm::MCInstPrinter> Printer;

  llvm::MCRegister anyRegister(unsigned Class) const;
  llvm::MCInst sample(unsigned Opcode, int64_t Immediate) const;
  llvm::SmallVector<char> encode(const llvm::MCInst &MI,
                                 const std::string &Name) const;
  std::string decode(llvm::ArrayRef<uint8_t> Code) const;
  std::string nameOf(const llvm::MCInst &MI) const;
};

OpcodeList::OpcodeList(const std::string &Name, unsigned WaveSize)
    : S(std::make_unique<State>()) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
  });
  std::string Error;
  const llvm::Target *T = llvm::TargetRegistry::lookupTarget(S->TT, Error);
  std::string Features;
  if (Name.starts_with("gfx1"))
    Features = WaveSize == 32 ? "+wavefrontsize32,-wavefrontsize64"
                              : "-wavefrontsize32,+wavefrontsize64";
  if (Name.starts_with("gfx11") || Name.starts_with("gfx12"))
    Features += ",+real-true16";
  S->Registers.reset(T->createMCRegInfo(S->TT));
  S->Assembly.reset(T->createMCAsmInfo(*S->Registers, S->TT, S->Options));
  S->Instructions.reset(T->createMCInstrInfo());
  S->Subtarget.reset(T->createMCSubtargetInfo(S->TT, Name, Features));
  S->Context = std::make_unique<llvm::MCContext>(
      S->TT, S->Assembly.get(), S->Registers.get(), S->Subtarget.get());
  S->Disassembler.reset(T->createMCDisassembler(*S->Subtarget, *S->Context));
  S->Emitter.reset(T->createMCCodeEmitter(*S->Instructions, *S->Context));
  S->Printer.reset(T->createMCInstPrinter(S->TT, 0, *S->Assembly,
                                          *S->Instructions, *S->Registers));
}

OpcodeList::~OpcodeList() = default;

/// The lowest-numbered one that every generation has.
llvm::MCRegister OpcodeList::State::anyRegister(unsigned Class) const {
  namespace hw = llvm::AMDGPU::HWEncoding;
  constexpr unsigned NumCommonScalars = 96;
  for (llvm::MCPhysReg Reg : Registers->getRegClass(Class)) {
    unsigned Encoding = Registers->getEncodingValue(Reg);
    if ((Encoding & (hw::IS_VGPR | hw::IS_AGPR)) ||
        (Encoding & hw::REG_IDX_MASK) < NumCommonScalars)
      return Reg;
  }
  return *Registers->getRegClass(Class).begin();
}

/// An instruction of this opcode with whatever operands it can have.
llvm::MCInst OpcodeList::State::sample(unsigned Opcode,
                                       int64_t Immediate) const {
  llvm::MCInst MI;
  MI.setOpcode(Opcode);
  for (const llvm::MCOperandInfo &Info : Instructions->get(Opcode).operands()) {
    int Class = Instructions->getOpRegClassID(
        Info, Subtarget->getHwMode(llvm::MCSubtargetInfo::HwMode_RegInfo));
    if (Class >= 0)
      MI.addOperand(llvm::MCOperand::createReg(anyRegister(unsigned(Class))));
    else
      MI.addOperand(llvm::MCOperand::createImm(Immediate));
  }
  return MI;
}

std::string OpcodeList::State::nameOf(const llvm::MCInst &MI) const {
  const char *Mnemonic = Printer->getMnemonic(MI).first;
  if (!Mnemonic)
    return "";
  std::string Name = withoutEncoding(Mnemonic);
  // Only a modifier tells loads to LDS from loads to registers.
  if (Name.starts_with("buffer_load_") &&
      Instructions->getName(MI.getOpcode()).contains("_LDS_"))
    Name += " lds";
  return Name;
}

std::string OpcodeList::State::decode(llvm::ArrayRef<uint8_t> Code) const {
  llvm::MCInst MI;
  uint64_t Size;
  if (Disassembler->getInstruction(MI, Size, Code, 0, llvm::nulls()) ==
      llvm::MCDisassembler::Fail)
    return "";
  return nameOf(MI);
}

/// Empty unless it decodes to the same again.
llvm::SmallVector<char>
OpcodeList::State::encode(const llvm::MCInst &MI,
                          const std::string &Name) const {
  llvm::SmallVector<char> Bytes;
  llvm::SmallVector<llvm::MCFixup> Fixups;
  Emitter->encodeInstruction(MI, Bytes, Fixups, *Subtarget);
  // Room for a literal the encoding may ask for.
  Bytes.append(8, 0);
  if (decode({reinterpret_cast<const uint8_t *>(Bytes.data()), Bytes.size()}) !=
      Name)
    Bytes.clear();
  return Bytes;
}

std::vector<OpcodeList::Sample> OpcodeList::samples() const {
  std::vector<Sample> Found;
  for (unsigned Opcode = 0; Opcode != S->Instructions->getNumOpcodes();
       ++Opcode) {
    if (S->Instructions->get(Opcode).isPseudo() ||
        !isAvailable(Opcode, S->Subtarget->getFeatureBits()))
      continue;
    std::string Name = S->nameOf(S->sample(Opcode, 0));
    if (Name.empty())
      continue;
    // Some fields know few values.
    for (int64_t Immediate : {0, 1, -1}) {
      auto Bytes = S->encode(S->sample(Opcode, Immediate), Name);
      if (Bytes.empty())
        continue;
      Found.push_back({Name, {Bytes.begin(), Bytes.end()}});
      break;
    }
  }
  return Found;
}

std::set<std::string> OpcodeList::operations() const {
  std::set<std::string> Names;
  for (Sample &Each : samples())
    Names.insert(std::move(Each.Operation));
  return Names;
}

std::string OpcodeList::decode(std::span<const uint8_t> Code) const {
  // A buffer instruction whose scalar offset claims to be a literal makes
  // LLVM's disassembler crash.
  if ((Code[3] & 0xf4) == 0xe0 && Code[7] == 0xff)
    return "";
  return S->decode({Code.data(), Code.size()});
}

} // namespace luthier::test
