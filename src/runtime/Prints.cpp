// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The host's end of luthier/Print.h: puts the parts of messages together.
#include "runtime/Prints.h"
#include "luthier/Print.h"
#include "runtime/Channels.h"
#include "runtime/LoadedTexts.h"
#include "runtime/Log.h"
#include "runtime/PrintFormat.h"
#include "runtime/ToolExceptions.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace llvm;

namespace luthier {
namespace {

using detail::PrintPart;
using runtime::PrintArgument;

/// Of one tool. In the channel's thread.
class Printer {
public:
  explicit Printer(std::shared_ptr<runtime::LoadedTexts> Texts)
      : Texts(std::move(Texts)) {}

  void take(const detail::RawBlock &Block) {
    const ArrayRef<PrintPart> Parts(
        reinterpret_cast<const PrintPart *>(Block.Records),
        Block.Bytes / sizeof(PrintPart));
    if (Parts.empty())
      return;
    // Of one call, so the same but for the values.
    const Key Message = {Block.Agent.handle, Parts.front().Message,
                         Block.Lanes};
    std::vector<Lane> &Lanes = Unfinished[Message];
    Lanes.resize(Parts.size());
    for (auto [Part, Of] : zip(Parts, Lanes))
      add(Part, Block.Agent, Of);
    if (!Parts.front().IsLast)
      return;
    std::string Text;
    for (const Lane &Of : Lanes)
      Text += textOf(Of, Parts.front().IsAssertion);
    Unfinished.erase(Message);
    runtime::writeLine(Text);
  }

private:
  using Key = std::tuple<uint64_t, uint32_t, uint64_t>;
  using Lane = std::vector<PrintArgument>;

  void add(const PrintPart &Part, hsa_agent_t Agent, Lane &To) {
    if (!Part.Number) {
      To.push_back({Part.Values[0], Texts->at(Agent, Part.Values[0])});
      return;
    }
    for (uint32_t N = 0; N < Part.Number && N < PrintPart::MostValues; ++N)
      To.push_back({Part.Values[N]});
  }

  static std::string textOf(ArrayRef<PrintArgument> Of, bool IsAssertion) {
    if (!IsAssertion)
      return runtime::formatPrint(Of.front().Text, Of.drop_front());
    return runtime::formatPrint("%s:%u: %s: assertion `%s' of a hook failed.\n",
                                Of);
  }

  const std::shared_ptr<runtime::LoadedTexts> Texts;
  std::map<Key, std::vector<Lane>> Unfinished;
};

} // namespace

Error runtime::openPrints(const void *Variable, const std::string &Owner) {
  auto Texts = std::make_shared<LoadedTexts>();
  auto Print = std::make_shared<Printer>(Texts);
  ChannelOptions Options;
  Options.Bytes = size_t(256) << 10;
  return channels()
      .open(
          Variable, Owner, sizeof(PrintPart),
          [Print](const detail::RawBlock &Block) { Print->take(Block); },
          Options,
          [Texts](const OwnExecutable &Code, hsa_agent_t Agent) {
            Texts->add(Code, Agent);
          })
      .takeError();
}

void detail::openPrints(const void *Variable) {
  if (Error E = runtime::openPrints(Variable,
                                    "tool " + runtime::fileNameOf(Variable)))
    runtime::logWarning(toString(std::move(E)));
}

} // namespace luthier
