// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier instrument`: a tool's hooks in the kernels of a file.
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "cli/OfflineTool.h"
#include "codeobject/FatBinaryWriter.h"
#include "codeobject/NamePattern.h"
#include "luthier/Offline.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Errc.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::cli {
namespace {

constexpr char Help[] =
    R"(usage: luthier instrument FILE --tool NAME|PATH... -o OUT
                          [--kernel REGEX] [--target TARGET]

Writes a copy of FILE whose kernels have the tools' hooks in them. FILE is a
code object, a clang offload bundle, or a program or library that embeds
bundles (what hipcc makes); OUT is of the same kind and needs neither Luthier
nor the tools to run.

The tools' variables are in OUT under their names: hipModuleGetGlobal() and
other look-ups by name find them. What is called alike in two tools is
TOOL.NAME for each. Nobody calls the tools' host code when OUT runs.

options:
  --tool NAME|PATH[:KEY=VALUE,...]
                     a tool; it has instrument() (see docs/writing-a-tool.md);
                     luthier run --tool NAME:help lists its options; may be
                     given several times: a kernel gets the hooks of all, in
                     this order
  --kernel REGEX     only kernels whose name matches, mangled or readable
  --target TARGET    only code for this processor (gfx90a, gfx90a:xnack-); if
                     there is only code for a generic target that it runs
                     (gfx10-3-generic), OUT has code for it beside that
  -o OUT             the file to write, as a whole or not at all; may be FILE,
                     which it then replaces
  --help             this text

The command lists every kernel that was asked for, with the number of hooks or
the reason why it is unchanged. A second line tells of calls and jumps through
pointers that Luthier cannot follow: what they reach runs without hooks. If no
kernel was instrumented, no file is written and the exit code is 1.

examples:
  luthier instrument kernels.co --tool instr-count -o counted.co
  luthier instrument ./my-program --tool ./libmytool.so --kernel '^reduce' \
      --target gfx90a -o ./my-program-instrumented
)";

class Instrumentation {
public:
  Error prepare(const Arguments &Args, const std::string &Path);
  Error run();
  Error write() const;

private:
  bool isWanted(StringRef Kernel) const {
    return !Pattern || Pattern->matches(Kernel.str(), readableName(Kernel));
  }
  void show(const BundledCodeObject &Image, const offline::Kernel &K);

  InspectedFile File;
  std::string Path;
  std::string OutPath;                  ///< As given.
  std::unique_ptr<NamePattern> Pattern; ///< Null for all kernels.
  std::optional<TargetID> Target;
  std::vector<TargetID> Targets; ///< Of the images, in the file.
  std::map<size_t, std::vector<uint8_t>> Replaced;
  std::map<size_t, AddedCodeObject> Added; ///< Beside generic code.
  size_t NumInstrumented = 0, NumUnchanged = 0;
};

/// Said before the work, which takes minutes for a large library.
Error expectWritable(StringRef Path) {
  SmallString<128> Real;
  std::error_code Wrong;
  if (!sys::fs::real_path(Path, Real) && sys::fs::is_directory(Real))
    Wrong = make_error_code(errc::is_a_directory);
  else if (Real.empty() || sys::fs::is_regular_file(Real)) {
    // Made anew beside what is there.
    const StringRef Folder =
        sys::path::parent_path(Real.empty() ? Path : StringRef(Real));
    Wrong = sys::fs::access(Folder.empty() ? "." : Folder,
                            sys::fs::AccessMode::Write);
  } else {
    Wrong = sys::fs::access(Real, sys::fs::AccessMode::Write);
  }
  if (Wrong)
    return failed("cannot write " + Path + ": " + Wrong.message());
  return Error::success();
}

Error Instrumentation::prepare(const Arguments &Args, const std::string &Path) {
  this->Path = Path;
  OutPath = *Args.value("-o");
  if (Args.has("--workgroups"))
    return misused("--workgroups is for luthier run: a file does not know its "
                   "launches; a hook can itself look at blockIdx");
  if (const std::string *Text = Args.value("--kernel")) {
    std::string Wrong;
    Pattern = NamePattern::create(*Text, Wrong);
    if (!Pattern)
      return failed("--kernel " + *Text + ": " + Wrong);
  }
  // Once, as it may be a pipe.
  Expected<InspectedFile> Opened = InspectedFile::open(Path, nullptr);
  if (!Opened)
    return Opened.takeError();
  File = std::move(*Opened);
  for (const BundledCodeObject &Image : File.Images)
    Targets.push_back(Image.Target);
  if (const std::string *Text = Args.value("--target")) {
    takeGenericCode(File.Images, *Text);
    // For the message when there is none.
    auto Images = File.Images;
    if (Error E = selectImages(Images, *Text, Path))
      return E;
    Target = cantFail(TargetID::parse(*Text));
  }
  if (Error E =
          checkReplaceable(arrayRefFromStringRef(File.Buffer->getBuffer())))
    return failed(Path + ": " + detailOf(std::move(E)));
  if (Error E = expectWritable(OutPath))
    return E;
  return loadOfflineTools(Args.values("--tool")).takeError();
}

void Instrumentation::show(const BundledCodeObject &Image,
                           const offline::Kernel &K) {
  const std::string Where = Image.Target.str() + ": " + readableName(K.Name);
  if (!K.SameAs.empty()) {
    outs() << Where << ": the same kernel as " << readableName(K.SameAs)
           << '\n';
  } else if (K.Unchanged.empty()) {
    ++NumInstrumented;
    outs() << formatv("{0}: {1} hook{2}\n", Where, K.Points,
                      K.Points == 1 ? "" : "s");
    if (!K.Unhooked.empty())
      outs() << Where << ": " << K.Unhooked << '\n';
  } else {
    ++NumUnchanged;
    outs() << Where << ": unchanged: " << K.Unchanged << '\n';
  }
}

Error Instrumentation::run() {
  std::string Damage; // Of an image that cannot be read.
  for (auto [Number, Image] : enumerate(File.Images)) {
    if (Target && !matchesTarget(Image.Target, *Target))
      continue;
    Expected<offline::Result> Made = offline::instrument(
        Image.Bytes, [&](StringRef Kernel) { return isWanted(Kernel); });
    if (!Made) {
      Damage = detailOf(Made.takeError());
      outs() << Image.Target.str() << ": left as it is: " << Damage << '\n';
      continue;
    }
    for (const offline::Kernel &K : Made->Kernels)
      show(Image, K);
    if (Image.Target == Targets[Number])
      Replaced[Number] = std::move(Made->CodeObject);
    else
      Added[Number] = {Image.Target.str(), std::move(Made->CodeObject)};
  }
  outs() << formatv("{0} kernel{1} instrumented, {2} unchanged\n",
                    NumInstrumented, NumInstrumented == 1 ? "" : "s",
                    NumUnchanged);
  outs().flush();
  if (NumInstrumented)
    return Error::success();
  if (!NumUnchanged && !Damage.empty())
    return failed(Path + ": " + Damage);
  return failed(NumUnchanged ? "no kernel could be instrumented"
                             : "there is no such kernel in " + Path);
}

/// Images are as long as their addresses are high. What is only zeros takes no
/// space on the disk.
std::error_code writeWithHoles(int FD, ArrayRef<uint8_t> Bytes) {
  constexpr size_t BlockBytes = 4096;
  if (std::error_code Wrong = sys::fs::resize_file_sparse(FD, Bytes.size()))
    return Wrong;
  raw_fd_ostream OS(FD, /*shouldClose=*/false);
  for (size_t At = 0; At < Bytes.size(); At += BlockBytes) {
    const ArrayRef<uint8_t> Block =
        Bytes.slice(At, std::min(BlockBytes, Bytes.size() - At));
    if (all_of(Block, [](uint8_t B) { return B == 0; }))
      continue;
    if (OS.tell() != At)
      OS.seek(At);
    OS << toStringRef(Block);
  }
  OS.flush();
  std::error_code Wrong = OS.error();
  OS.clear_error();
  return Wrong;
}

/// As a whole or not at all; as executable as the original. Links are followed,
/// and devices and pipes are written to, not replaced.
Error Instrumentation::write() const {
  auto Bytes = replaceCodeObjects(
      arrayRefFromStringRef(File.Buffer->getBuffer()), Replaced, Added);
  if (!Bytes)
    return failed(Path + ": " + detailOf(Bytes.takeError()));
  SmallString<128> RealPath;
  if (sys::fs::real_path(OutPath, RealPath))
    RealPath = OutPath; // There is nothing yet.
  else if (!sys::fs::is_regular_file(RealPath))
    return writeFile(OutPath, *Bytes);
  auto Permissions = sys::fs::getPermissions(Path);
  Expected<sys::fs::TempFile> New = sys::fs::TempFile::create(
      RealPath + ".%%%%%%", Permissions ? *Permissions : sys::fs::perms(0666));
  if (!New)
    return failed("cannot write " + OutPath + ": " + toString(New.takeError()));
  {
    if (std::error_code Wrong = writeWithHoles(New->FD, *Bytes)) {
      consumeError(New->discard());
      return failed("cannot write " + OutPath + ": " + Wrong.message());
    }
  }
  if (Error E = New->keep(RealPath))
    return failed("cannot write " + OutPath + ": " + toString(std::move(E)));
  return Error::success();
}

} // namespace

int instrumentCommand(int Argc, char **Argv) {
  const FileCommand Command{Help,
                            {{"--tool", true, false, true},
                             {"--kernel", true},
                             {"--target", true},
                             {"--workgroups", true},
                             {"-o", true}},
                            {{"--tool", ""}, {"-o", ""}}};
  return runFileCommand(
      Argc, Argv, Command,
      [](const Arguments &Args, const std::string &Path) -> Expected<int> {
        Instrumentation Work;
        if (Error E = Work.prepare(Args, Path))
          return E;
        if (Error E = Work.run())
          return E;
        if (Error E = Work.write())
          return E;
        return Success;
      });
}

} // namespace luthier::cli
