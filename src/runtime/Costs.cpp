// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/Costs.h"
#include "runtime/Log.h"
#include "runtime/Settings.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <unistd.h>

using namespace llvm;

namespace luthier::runtime {

std::string describeCosts(StringRef Kernel, StringRef Preset,
                          const InstrumentationReport &R) {
  std::string Text;
  raw_string_ostream OS(Text);
  auto row = [&](StringRef Name) -> raw_ostream & {
    return OS << "  " << Name << std::string(11 - Name.size(), ' ');
  };
  OS << "kernel " << Kernel;
  if (!Preset.empty())
    OS << " (" << Preset << ')';
  OS << ": " << R.Points << " hook calls, " << R.Payloads << " compiled\n";
  row("registers") << R.VGPRsBefore << " -> " << R.VGPRsAfter << " vector, "
                   << R.SGPRsBefore << " -> " << R.SGPRsAfter << " scalar\n";
  row("occupancy") << R.WavesBefore << " -> " << R.WavesAfter
                   << " waves per SIMD\n";
  row("state") << (R.Storage ? nameOf(*R.Storage) : StringRef("none")) << '\n';
  row("put aside") << R.SavedVGPRs << " vector and " << R.SavedSGPRs
                   << " scalar registers, at " << R.SavingPoints
                   << " of the calls\n";
  row("memory") << R.StackBytes << " bytes of scratch per lane, "
                << R.GroupSegmentBytes << " of group segment\n";
  row("code") << R.BytesBefore << " -> " << R.BytesAfter << " bytes\n";
  return Text;
}

void recordCosts(StringRef Kernel, StringRef Preset,
                 const InstrumentationReport &Report) {
  if (std::getenv("LUTHIER_COSTS"))
    appendToFileOf("LUTHIER_COSTS", describeCosts(Kernel, Preset, Report));
}

void appendToFileOf(const char *Variable, StringRef Text) {
  const char *Name = std::getenv(Variable);
  if (!Name || !*Name)
    return;
  const bool IsFile = StringRef(Name) != "-";
  const int File =
      IsFile ? ::open(Name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
             : STDERR_FILENO;
  if (File < 0) {
    const std::string Why = std::strerror(errno);
    static std::once_flag Said;
    std::call_once(Said, [&] {
      logWarning(Twine("cannot write ") + Name + " (" + Variable + "): " + Why);
    });
    return;
  }
  // One write: several threads may append.
  [[maybe_unused]] ssize_t Ignored = ::write(File, Text.data(), Text.size());
  if (IsFile)
    ::close(File);
}

} // namespace luthier::runtime
