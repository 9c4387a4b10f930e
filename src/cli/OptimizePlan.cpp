// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/OptimizePlan.h"
#include "cli/EmulatedRun.h"
#include "cli/FileCommand.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace luthier::cli {

Expected<OptimizePlan>
OptimizePlan::read(ArrayRef<std::vector<std::string>> Parts,
                   const std::optional<Build> &Of) {
  constexpr StringLiteral More = "; see luthier pgo optimize --help";
  if (Parts.size() < 2)
    return misused("a command to compile with and one to run are needed, each "
                   "behind --" +
                   More);
  std::vector<std::string> Words = Parts.front();
  if (Of) {
    Words = {Of->Compiler};
    if (Of->LinksUnits)
      Words.push_back("-fgpu-rdc");
  }
  auto Compile = pgo::CompileCommand::read(Words);
  if (!Compile)
    return Compile.takeError();
  OptimizePlan Plan = {std::move(*Compile), {}, Of ? Of->Program : "", {}};
  if (Of)
    Plan.BuildCommand = Parts.front();
  else if (!Plan.Compile.links() || Plan.Compile.output().empty())
    return misused("the command to compile with makes no program: it needs -o, "
                   "and no -c or the like; of a build of several commands, "
                   "--program names what it makes" +
                   More);
  else
    Plan.Program = Plan.Compile.output();
  for (const std::vector<std::string> &Run : Parts.drop_front()) {
    auto Its = Plan.argumentsOf(Run);
    if (!Its)
      return Its.takeError();
    Plan.Runs.push_back(std::move(*Its));
  }
  return Plan;
}

Expected<std::vector<std::string>>
OptimizePlan::argumentsOf(ArrayRef<std::string> Run) const {
  const auto Plain = [](StringRef Path) {
    SmallString<128> Result = Path;
    sys::path::remove_dots(Result, /*remove_dot_dot=*/true);
    return Result;
  };
  if (Run.empty() || Plain(Run.front()) != Plain(Program))
    return misused("the command to run begins with " +
                   (Run.empty() ? "nothing" : Run.front()) +
                   ", but what is compiled is " + Program);
  return std::vector<std::string>(Run.drop_front());
}

std::string OptimizePlan::textOf(ArrayRef<std::string> Arguments) const {
  std::string Text = Program;
  for (const std::string &Word : Arguments)
    Text += " " + Word;
  return Text;
}

Error Verdict::add(const std::string &Report, int Code) {
  const std::optional<std::string> Text = contentsOf(Report);
  if (!Text)
    return failedBy(Code, "judge ended with " + Twine(Code));
  auto Value = json::parse(*Text);
  if (!Value)
    return Value.takeError();
  const json::Object *Object = Value->getAsObject();
  const json::Array *Kernels = Object ? Object->getArray("kernels") : nullptr;
  if (!Kernels)
    return failed("the report of judge cannot be read");
  const bool IsSameHere = Object->getString("output") == "same";
  // It went on after the report, to take losers out of the profile.
  if (Code == Interrupted || (IsSameHere && Code))
    return failedBy(Code, "judge ended with " + Twine(Code));
  IsSame &= IsSameHere;
  for (const json::Value &Kernel : *Kernels)
    if (const json::Object *Its = Kernel.getAsObject()) {
      const StringRef What = Its->getString("verdict").value_or("");
      NumBetter += What == "better";
      for (const auto &[Build, Sum] :
           {std::pair("before", &Before), {"after", &After}})
        if (const json::Object *Costs = Its->getObject(Build))
          *Sum +=
              Costs->getInteger(ByInstructions ? "wave_instructions" : "cycles")
                  .value_or(0);
      if (What == "worse")
        Worse.insert(Its->getString("name").value_or("").str());
    }
  return Error::success();
}

} // namespace luthier::cli
