// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/Arguments.h"
#include <algorithm>
#include <cstdio>

namespace luthier::cli {

static void complain(const std::string &Command, const std::string &What) {
  std::fprintf(stderr, "luthier: error: %s; see luthier %s --help\n",
               What.c_str(), Command.c_str());
}

std::optional<Arguments>
Arguments::parse(int Argc, char **Argv,
                 const std::vector<OptionSpec> &Options) {
  Arguments Result;
  Result.Command = Argv[0];
  const auto Fail = [&](const std::string &What) {
    complain(Result.Command, What);
    return std::nullopt;
  };

  for (int I = 1; I < Argc; ++I) {
    const std::string Text = Argv[I];
    if (Text == "--") {
      Result.Positional.insert(Result.Positional.end(), Argv + I + 1,
                               Argv + Argc);
      break;
    }
    if (Text.size() < 2 || Text[0] != '-') {
      Result.Positional.push_back(Text);
      continue;
    }
    const size_t Equals = Text.find('=');
    const std::string Name = Text.substr(0, Equals);
    const auto Spec =
        std::find_if(Options.begin(), Options.end(),
                     [&](const OptionSpec &O) { return O.Name == Name; });
    if (Spec == Options.end())
      return Fail("unknown option '" + Name + "'");
    if (Result.has(Name) && !Spec->Repeats)
      return Fail("option '" + Name + "' is given twice");
    if (Spec->ValueOptional) {
      Result.Options.push_back(
          {Name, Equals == std::string::npos ? "" : Text.substr(Equals + 1)});
    } else if (!Spec->TakesValue) {
      if (Equals != std::string::npos)
        return Fail("option '" + Name + "' takes no value");
      Result.Options.push_back({Name, ""});
    } else if (Equals != std::string::npos) {
      Result.Options.push_back({Name, Text.substr(Equals + 1)});
    } else if (++I < Argc) {
      Result.Options.push_back({Name, Argv[I]});
    } else {
      return Fail("option '" + Name + "' needs a value");
    }
  }
  return Result;
}

const std::string *Arguments::value(std::string_view Option) const {
  const auto It =
      std::find_if(Options.begin(), Options.end(),
                   [&](const Given &G) { return G.Name == Option; });
  return It == Options.end() ? nullptr : &It->Value;
}

std::vector<std::string> Arguments::values(std::string_view Option) const {
  std::vector<std::string> Values;
  for (const Given &G : Options)
    if (G.Name == Option)
      Values.push_back(G.Value);
  return Values;
}

const std::string *Arguments::single(std::string_view What) const {
  if (Positional.empty()) {
    complain(Command, "no " + std::string(What) + " given");
    return nullptr;
  }
  if (Positional.size() > 1) {
    complain(Command, "one " + std::string(What) + " expected, but '" +
                          Positional[1] + "' follows");
    return nullptr;
  }
  return &Positional.front();
}

CommandParts splitAtDashes(int Argc, char **Argv, size_t MaxOthers) {
  CommandParts Result = {Argc, {}};
  for (int I = 1; I < Argc; ++I) {
    if (std::string_view(Argv[I]) == "--" && Result.Others.size() < MaxOthers) {
      if (Result.Others.empty())
        Result.OwnCount = I;
      Result.Others.emplace_back();
    } else if (!Result.Others.empty()) {
      Result.Others.back().push_back(Argv[I]);
    }
  }
  return Result;
}

} // namespace luthier::cli
