// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `luthier verify -- PROGRAM`: runs it on the emulated GPU, which compares the
// instrumented versions of its kernels with the originals.
#include "cli/ChildProgram.h"
#include "cli/Commands.h"
#include "cli/RunProgram.h"
#include "cli/VerifyHelp.h"
#include "cli/VerifyReport.h"
#include <cstdio>
#include <cstdlib>
#include <fstream>

namespace luthier::cli {
namespace {

constexpr const char *TimeoutVariable = "LUTHIER_VERIFY_TIMEOUT";

void chooseDefaults(RunOptions &Options, const Surroundings &Around) {
  if (Options.Tools.empty())
    Options.Tools.push_back(judgingTool(Around));
  if (Options.Device.empty()) {
    auto Named = Around.Variable("LUTHIER_EMULATED_GPU");
    Options.Device = Named ? "emulated:" + *Named : "emulated";
  }
  if (!Options.Device.starts_with("emulated"))
    throw RunError("--device " + Options.Device +
                   ": only an emulated device can verify");
}

int verify(const std::vector<std::string> &Arguments) {
  std::string Timeout;
  RunOptions Options = parseRunArguments(Arguments, &Timeout);
  if (Options.Help) {
    std::fputs(VerifyHelp, stdout);
    return Success;
  }
  if (!Options.HelpOfTool.empty())
    throw RunError("luthier run --tool " + Options.HelpOfTool +
                   ":help explains the options of a tool");
  if (const std::string &Program = Options.Command.front(); isForGPUs(Program))
    throw RunError(Program +
                   " is code for GPUs, not a program; a kernel of it is "
                   "compared by luthier verify " +
                   Program + " --kernel KERNEL, without '--'");
  if (Options.FailIfUnchanged)
    throw RunError("--fail-if-unchanged is for luthier run; luthier verify "
                   "fails in any case if nothing was compared");
  const Surroundings Around = lookAround();
  chooseDefaults(Options, Around);
  const TemporaryFolder Folder("luthier-verify");
  if (Options.Output.empty())
    Options.Output = Folder.path();
  const std::string Report = Folder.path() + "/report";
  setUp(planRun(Options, Around));
  ::setenv("LUTHIER_VERIFY", Report.c_str(), /*overwrite=*/1);
  if (!Timeout.empty())
    ::setenv(TimeoutVariable, Timeout.c_str(), /*overwrite=*/1);

  std::string Tools;
  for (const std::string &Tool : Options.Tools)
    Tools += (Tools.empty() ? "" : ", ") + Tool;
  const int Code = runAndWait(Options.Command);
  std::ifstream File(Report);
  const VerifyReport Found = VerifyReport::read(File);
  std::fputs(Found.text(Tools).c_str(), stderr);
  if (Code)
    std::fprintf(stderr, "luthier verify: the program ended with %d\n", Code);
  if (Found.differs())
    return Failed;
  return Code || Found.hasCompared() ? Code : Failed;
}

} // namespace

int verifyCommand(int Argc, char **Argv) {
  try {
    return verify({Argv + 1, Argv + Argc});
  } catch (const RunError &E) {
    std::fprintf(stderr, "luthier: error: %s; see luthier verify --help\n",
                 E.what());
  }
  return Misuse;
}

} // namespace luthier::cli
