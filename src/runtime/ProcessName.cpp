// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ProcessName.h"
#include "luthier/Report.h"
#include "runtime/Log.h"
#include "runtime/ProcessEnd.h"
#include <cerrno>
#include <cstdlib>
#include <unistd.h>

using namespace llvm;

namespace luthier {

std::string runtime::rankOfProcess() {
  for (const char *Variable :
       {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "MV2_COMM_WORLD_RANK"})
    if (const char *Rank = std::getenv(Variable))
      return Rank;
  return {};
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

void printReport(StringRef Text) {
  if (Text.empty())
    return;
  const std::string Name = runtime::nameOfProcess();
  runtime::writeLine(Name.empty() ? Text.str()
                                  : "luthier: " + Name + ":\n" + Text.str());
}

std::string howProcessEnds() { return runtime::processEnd().describe(); }

} // namespace luthier
