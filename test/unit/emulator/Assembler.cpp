// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assembler.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>
#include <set>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace luthier::test {

using namespace llvm;

static std::vector<uint8_t> textOf(StringRef Object) {
  auto File = object::ObjectFile::createObjectFile(
      MemoryBufferRef(Object, "assembled"));
  if (!File) {
    errs() << toString(File.takeError()) << '\n';
    return {};
  }
  for (const object::SectionRef &Section : (*File)->sections()) {
    if (!Section.isText())
      continue;
    Expected<StringRef> Contents = Section.getContents();
    if (Contents)
      return {Contents->bytes_begin(), Contents->bytes_end()};
    consumeError(Contents.takeError());
  }
  return {};
}

/// Targets from generation 10 on have both wave sizes.
static std::string features(const std::string &Processor, unsigned WaveSize) {
  if (!Processor.starts_with("gfx1"))
    return "";
  std::string Text = WaveSize == 32 ? "+wavefrontsize32,-wavefrontsize64"
                                    : "-wavefrontsize32,+wavefrontsize64";
  // Operands such as v1.h, which LLVM has by default for some processors only.
  if (!Processor.starts_with("gfx10"))
    Text += ",+real-true16";
  return Text;
}

namespace {

/// Lines with errors; whoever asks for them wants no messages.
struct LineErrors {
  std::set<unsigned> Lines;
  static void note(const SMDiagnostic &Message, void *Self) {
    if (Message.getKind() == SourceMgr::DK_Error)
      static_cast<LineErrors *>(Self)->Lines.insert(
          unsigned(Message.getLineNo()));
  }
};

} // namespace

/// An object file; empty when \p Source does not assemble.
static SmallVector<char> assembleObject(const std::string &Source,
                                        const std::string &Processor,
                                        unsigned WaveSize, LineErrors *Errors) {
  static std::once_flag Once;
  std::call_once(Once, [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
  });
  Triple TT("amdgcn-amd-amdhsa");
  std::string Error;
  const Target *T = TargetRegistry::lookupTarget(TT, Error);
  MCTargetOptions Options;
  std::unique_ptr<MCRegisterInfo> MRI(T->createMCRegInfo(TT));
  std::unique_ptr<MCAsmInfo> MAI(T->createMCAsmInfo(*MRI, TT, Options));
  std::unique_ptr<MCInstrInfo> MII(T->createMCInstrInfo());
  std::unique_ptr<MCSubtargetInfo> STI(
      T->createMCSubtargetInfo(TT, Processor, features(Processor, WaveSize)));
  SourceMgr Sources;
  if (Errors)
    Sources.setDiagHandler(LineErrors::note, Errors);
  Sources.AddNewSourceBuffer(MemoryBuffer::getMemBufferCopy(Source), SMLoc());
  MCContext Context(TT, MAI.get(), MRI.get(), STI.get(), &Sources, &Options);
  std::unique_ptr<MCObjectFileInfo> MOFI(
      T->createMCObjectFileInfo(Context, /*PIC=*/true));
  Context.setObjectFileInfo(MOFI.get());

  SmallVector<char> Object;
  raw_svector_ostream OS(Object);
  std::unique_ptr<MCAsmBackend> Backend(
      T->createMCAsmBackend(*STI, *MRI, Options));
  std::unique_ptr<MCObjectWriter> Writer = Backend->createObjectWriter(OS);
  std::unique_ptr<MCCodeEmitter> Emitter(T->createMCCodeEmitter(*MII, Context));
  std::unique_ptr<MCStreamer> Streamer(
      T->createMCObjectStreamer(TT, Context, std::move(Backend),
                                std::move(Writer), std::move(Emitter), *STI));
  std::unique_ptr<MCAsmParser> Parser(
      createMCAsmParser(Sources, Context, *Streamer, *MAI));
  std::unique_ptr<MCTargetAsmParser> TargetParser(
      T->createMCAsmParser(*STI, *Parser, *MII, Options));
  Parser->setTargetParser(*TargetParser);
  if (Parser->Run(/*NoInitialTextSection=*/false))
    return {};
  return Object;
}

std::vector<uint8_t> assembleObject(const std::string &Source,
                                    const std::string &Processor,
                                    unsigned WaveSize) {
  SmallVector<char> Object =
      assembleObject(Source, Processor, WaveSize, nullptr);
  return {Object.begin(), Object.end()};
}

static std::vector<uint8_t> assemble(const std::string &Source,
                                     const std::string &Processor,
                                     unsigned WaveSize, LineErrors *Errors) {
  SmallVector<char> Object =
      assembleObject(Source, Processor, WaveSize, Errors);
  if (Object.empty())
    return {};
  return textOf(StringRef(Object.data(), Object.size()));
}

std::vector<uint8_t> assemble(const std::string &Source,
                              const std::string &Processor, unsigned WaveSize) {
  return assemble(Source, Processor, WaveSize, nullptr);
}

std::vector<std::vector<uint8_t>>
assembleEach(const std::vector<std::string> &Lines,
             const std::string &Processor, unsigned WaveSize) {
  // No instruction is longer; each gets its own place.
  constexpr size_t Place = 32;
  std::string Source;
  for (const std::string &Line : Lines)
    Source += Line + '\n';
  LineErrors Errors;
  assemble(Source, Processor, WaveSize, &Errors);
  Source.clear();
  for (size_t N = 0; N != Lines.size(); ++N)
    if (!Errors.Lines.contains(unsigned(N + 1)))
      Source += ".org " + std::to_string(N * Place) + '\n' + Lines[N] + '\n';
  Source += ".org " + std::to_string(Lines.size() * Place) + '\n';
  std::vector<uint8_t> All = assemble(Source, Processor, WaveSize);
  std::vector<std::vector<uint8_t>> Each(Lines.size());
  for (size_t N = 0; N != Lines.size() && !All.empty(); ++N)
    if (!Errors.Lines.contains(unsigned(N + 1)))
      Each[N].assign(All.begin() + long(N * Place),
                     All.begin() + long((N + 1) * Place));
  return Each;
}
} // namespace luthier::test
