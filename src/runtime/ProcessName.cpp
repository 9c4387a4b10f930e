// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ProcessName.h"
#include "luthier/Report.h"
#include "runtime/Log.h"
#include "runtime/ProcessEnd.h"
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace luthier {

static std::string rankOfEnvironment() {
  for (const char *Variable :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"})
    if (const char *Rank = std::getenv(Variable))
      return Rank;
  return {};
}

std::string runtime::rankOfProcess() {
  static const auto *const Rank = new std::string(rankOfEnvironment());
  return *Rank;
}

std::string runtime::nameOfProcess() {
  const std::string Rank = rankOfProcess(), Id = std::to_string(::getpid());
  // Set by `luthier run`, which became this process, or started others.
  const char *First = std::getenv("LUTHIER_RUN_PROCESS");
  if (Rank.empty() && (!First || Id == First))
    return {};
  return "process " + Id + " (" + program_invocation_short_name + ")" +
         (Rank.empty() ? "" : ", rank " + Rank);
}

namespace {

/// Locks the folder that the processes of a run share, for a moment. Where
/// that cannot be had, reports may mix, but nothing waits.
class ReportLock {
public:
  ReportLock() {
    const char *Folder = std::getenv("LUTHIER_OUTPUT");
    File = ::open(Folder ? Folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    constexpr int Tries = 100;
    constexpr std::chrono::milliseconds Pause(10);
    for (int N = 0; File >= 0 && N != Tries; ++N) {
      if (::flock(File, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        break;
      std::this_thread::sleep_for(Pause);
    }
  }
  ~ReportLock() {
    if (File >= 0)
      ::close(File);
  }
  ReportLock(const ReportLock &) = delete;
  ReportLock &operator=(const ReportLock &) = delete;

private:
  int File;
};

} // namespace

void runtime::writeWhole(StringRef Text) {
  const ReportLock Lock;
  writeLine(Text);
}

void printReport(StringRef Text) {
  if (Text.empty())
    return;
  const std::string Name = runtime::nameOfProcess();
  runtime::writeWhole(Name.empty() ? Text.str()
                                   : "luthier: " + Name + ":\n" + Text.str());
}

std::string howProcessEnds() { return runtime::processEnd().describe(); }

} // namespace luthier
