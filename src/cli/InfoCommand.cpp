// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier info`: what is in a file, for people and as JSON.
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "luthier/Refusal.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier info [--json] [--target TARGET] FILE

Shows the kernels in a code object, an offload bundle, or a program or library
that embeds them, for each processor they were compiled for.

options:
  --json            for scripts
  --target TARGET   only code for this processor (gfx90a, gfx90a:xnack-)
  --help            this text

columns:
  VGPRs, AGPRs   vector and accumulation registers of a work-item
  SGPRs          scalar registers of a wave
  waves          how many waves a SIMD can hold, going by the registers alone
  LDS            bytes of local memory of a workgroup, fixed part
  scratch        bytes of private memory of a work-item; '+' if more may be used
  group          the largest workgroup allowed
  code           bytes of machine code, without called functions

examples:
  luthier info ./my-program
  luthier info --json --target gfx90a librocrand.so.1
)";

/// A kernel's costs, as both forms show them.
struct Costs {
  unsigned VGPRs, AGPRs, SGPRs, Waves, LDS, Scratch;
  bool DynamicStack;
};

/// Prefers the compiler's counts; the descriptor knows only granules, and those
/// only for processors that can be instrumented.
Costs costsOf(const KernelInfo &Kernel, const RegisterFileTraits *Traits) {
  const KernelMetadata &M = Kernel.Metadata;
  const KernelDescriptor &D = Kernel.Descriptor;
  Costs C{M.VGPRs,
          M.AGPRs,
          M.SGPRs,
          0,
          D.raw().group_segment_fixed_size,
          D.raw().private_segment_fixed_size,
          D.usesDynamicStack()};
  if (!Traits)
    return C;
  // Where AGPRs share the file, the compiler's VGPRs are both.
  if (!M.VGPRs || (Traits->UnifiedAGPRs && M.AGPRs))
    C.VGPRs = D.vgprLimit(*Traits);
  if (!M.SGPRs)
    C.SGPRs = D.allocatedSGPRs(*Traits);
  C.Waves = D.wavesPerSIMD(*Traits);
  return C;
}

class Printer {
public:
  virtual ~Printer() = default;
  virtual void print(const CodeObject &Object) = 0;
};

class TablePrinter : public Printer {
public:
  void print(const CodeObject &Object) override {
    outs() << Separator << Object.target().str() << ": "
           << count(Object.kernels().size(), "kernel") << ", "
           << count(Object.functions().size(), "function")
           << ", code object version " << Object.version() << ", "
           << count(Object.bytes().size(), "byte") << '\n';
    Separator = "\n";
    if (Object.kernels().empty())
      return;
    outs() << "  VGPRs AGPRs SGPRs waves    LDS scratch group   code  kernel\n";
    const auto *Traits = registerFileTraits(Object.target().Processor);
    for (const KernelInfo &Kernel : Object.kernels())
      printKernel(Kernel, costsOf(Kernel, Traits));
  }

private:
  static std::string count(size_t Number, StringRef What) {
    return (Twine(Number) + " " + What + (Number == 1 ? "" : "s")).str();
  }

  static void printKernel(const KernelInfo &Kernel, const Costs &C) {
    const std::string Waves = C.Waves ? std::to_string(C.Waves) : "-";
    const std::string Scratch =
        std::to_string(C.Scratch) + (C.DynamicStack ? "+" : "");
    outs() << formatv(
        "  {0,5} {1,5} {2,5} {3,5} {4,6} {5,7} {6,5} {7,6}  {8}\n", C.VGPRs,
        C.AGPRs, C.SGPRs, Waves, C.LDS, Scratch,
        Kernel.Metadata.MaxFlatWorkgroupSize, Kernel.CodeSize,
        readableName(Kernel.Name));
  }

  StringRef Separator;
};

/// {"file": ..., "code_objects": [{"target": ..., "kernels": [...]}, ...]}
class JsonPrinter : public Printer {
public:
  explicit JsonPrinter(StringRef Path) : J(outs(), /*IndentSize=*/2) {
    J.objectBegin();
    J.attribute("file", json::fixUTF8(Path));
    J.attributeBegin("code_objects");
    J.arrayBegin();
  }
  ~JsonPrinter() override {
    J.arrayEnd();
    J.attributeEnd();
    J.objectEnd();
    outs() << '\n';
  }

  void print(const CodeObject &Object) override {
    J.object([&] {
      J.attribute("target", Object.target().str());
      J.attribute("version", Object.version());
      J.attribute("bytes", int64_t(Object.bytes().size()));
      J.attribute("functions", int64_t(Object.functions().size()));
      J.attributeArray("kernels", [&] {
        const auto *Traits = registerFileTraits(Object.target().Processor);
        for (const KernelInfo &Kernel : Object.kernels())
          printKernel(Kernel, costsOf(Kernel, Traits));
      });
    });
  }

private:
  void printKernel(const KernelInfo &Kernel, const Costs &C) {
    J.object([&] {
      J.attribute("symbol", json::fixUTF8(Kernel.Name));
      J.attribute("name", json::fixUTF8(readableName(Kernel.Name)));
      J.attribute("vgprs", C.VGPRs);
      J.attribute("agprs", C.AGPRs);
      J.attribute("sgprs", C.SGPRs);
      J.attribute("waves_per_simd",
                  C.Waves ? json::Value(C.Waves) : json::Value(nullptr));
      J.attribute("wave_size", Kernel.Metadata.WavefrontSize);
      J.attribute("lds_bytes", C.LDS);
      J.attribute("scratch_bytes", C.Scratch);
      J.attribute("dynamic_stack", C.DynamicStack);
      J.attribute("kernarg_bytes", Kernel.Descriptor.raw().kernarg_size);
      J.attribute("max_workgroup_size", Kernel.Metadata.MaxFlatWorkgroupSize);
      J.attribute("code_bytes", int64_t(Kernel.CodeSize));
    });
  }

  json::OStream J;
};

Expected<int> show(const Arguments &Args, const std::string &Path) {
  Expected<InspectedFile> File =
      InspectedFile::open(Path, Args.value("--target"));
  if (!File)
    return File.takeError();
  std::unique_ptr<Printer> P;
  if (Args.has("--json"))
    P = std::make_unique<JsonPrinter>(Path);
  else
    P = std::make_unique<TablePrinter>();
  // One damaged code object does not hide the others.
  int Result = Success;
  for (const BundledCodeObject &Image : File->Images) {
    if (auto Object = CodeObject::create(Image.Bytes))
      P->print(**Object);
    else
      Result = reportError(failed(Path + ": code for " + Image.Target.str() +
                                  ": " + detailOf(Object.takeError())));
  }
  return Result;
}

} // namespace

int infoCommand(int Argc, char **Argv) {
  return runFileCommand(Argc, Argv, {Help, {{"--json"}, {"--target", true}}},
                        show);
}

} // namespace luthier::cli
