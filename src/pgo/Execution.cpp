// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Execution.h"
#include "pgo/Problem.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"
#include <array>

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

namespace {

Error malformed(const Twine &What) {
  return problem(ProblemKind::Report, What);
}

Expected<json::Value> parse(StringRef Text) {
  if (Text.empty())
    return malformed("nothing is written in it");
  Expected<json::Value> Root = json::parse(Text);
  if (!Root)
    return malformed(toString(Root.takeError()));
  return Root;
}

bool isRuntimes(StringRef Kernel) {
  return Kernel.starts_with("rocr.") || Kernel.starts_with("__amd_rocclr_");
}

/// Calls \p Use(name, row) for each row of \p List, a list of kernels, that is
/// the program's.
Error forEachKernel(
    StringRef Text, StringRef List,
    function_ref<Error(StringRef Name, const json::Object &Row)> Use) {
  Expected<json::Value> Root = parse(Text);
  if (!Root)
    return Root.takeError();
  const json::Object *Object = Root->getAsObject();
  const json::Array *Kernels = Object ? Object->getArray(List) : nullptr;
  if (!Kernels)
    return malformed("it has no list of " + List);
  for (const json::Value &Item : *Kernels) {
    const json::Object *Row = Item.getAsObject();
    const auto Name = Row ? Row->getString("name") : std::nullopt;
    if (!Name)
      return malformed("a kernel has no name");
    if (isRuntimes(*Name))
      continue;
    if (Error E = Use(*Name, *Row))
      return E;
  }
  return Error::success();
}

Error addNumber(const json::Object &Row, StringRef Key, uint64_t &To) {
  const json::Value *Value = Row.get(Key);
  const auto Number = Value ? Value->getAsUINT64() : std::nullopt;
  if (!Number)
    return malformed("a kernel has no number '" + Key + "'");
  To += *Number;
  return Error::success();
}

/// As many whole numbers as \p Numbers has room for.
Error readNumbers(const json::Value &Item, MutableArrayRef<uint64_t> Numbers) {
  const json::Array *Row = Item.getAsArray();
  bool IsGood = Row && Row->size() == Numbers.size();
  for (size_t I = 0; IsGood && I != Numbers.size(); ++I) {
    const auto Number = (*Row)[I].getAsUINT64();
    IsGood = Number.has_value();
    Numbers[I] = Number.value_or(0);
  }
  return IsGood
             ? Error::success()
             : malformed("a row is not " + Twine(Numbers.size()) + " numbers");
}

/// Calls \p Use(name, digest, numbers) for each row of \p List of each kernel.
template <size_t Count>
Error forEachRow(
    StringRef Json, StringRef List,
    function_ref<void(const std::string &Name, const std::string &Digest,
                      const std::array<uint64_t, Count> &Row)>
        Use) {
  return forEachKernel(
      Json, "kernels", [&](StringRef Name, const json::Object &Row) -> Error {
        const auto Digest = Row.getString("code");
        const json::Array *Items = Row.getArray(List);
        if (!Digest || !Items)
          return malformed("kernel " + Name + " has no code object or no " +
                           List);
        for (const json::Value &Item : *Items) {
          std::array<uint64_t, Count> Numbers;
          if (Error E = readNumbers(Item, Numbers))
            return E;
          Use(Name.str(), Digest->str(), Numbers);
        }
        return Error::success();
      });
}

} // namespace

Error pgo::addStatistics(StringRef Json, ExecutedKernels &To) {
  return forEachKernel(
      Json, "kernels", [&](StringRef Name, const json::Object &Row) -> Error {
        ExecutedKernel &K = To[Name.str()];
        for (auto [Key, Number] :
             {std::pair("dispatches", &K.Dispatches),
              std::pair("wave_instructions", &K.WaveInstructions),
              std::pair("lane_instructions", &K.LaneInstructions),
              std::pair("cycles", &K.Cycles)})
          if (Error E = addNumber(Row, Key, *Number))
            return E;
        return Error::success();
      });
}

Error pgo::addCounts(StringRef Json, ExecutedCode &To) {
  return forEachRow<3>(Json, "instructions",
                       [&](const auto &Name, const auto &Digest, auto &Row) {
                         To[Digest][Name][Row[0]] += {Row[1], Row[2]};
                       });
}

Error pgo::addExecCounts(StringRef Text, CodeCounts &To) {
  while (!Text.empty()) {
    StringRef Line;
    std::tie(Line, Text) = Text.split('\n');
    SmallVector<StringRef> Words;
    Line.split(Words, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (Words.empty() || Words[0] == "#")
      continue;
    uint64_t Address;
    ExecutionCount Count;
    if (Words.size() < 3 || Words[0].getAsInteger(0, Address) ||
        Words[1].getAsInteger(10, Count.Waves) ||
        Words[2].getAsInteger(10, Count.Lanes))
      return malformed("'" + Line + "' is no line of luthier exec --counts");
    To[Address] += Count;
  }
  return Error::success();
}

Error pgo::addCalls(StringRef Json, ExecutedCalls &To) {
  return forEachRow<4>(Json, "calls",
                       [&](const auto &, const auto &Digest, auto &Row) {
                         To[Digest][Row[0]][Row[1]] += {Row[2], Row[3]};
                       });
}

Error pgo::addLoads(StringRef Json, ExecutedLoads &To) {
  return forEachRow<4>(Json, "loads",
                       [&](const auto &Name, const auto &Digest, auto &Row) {
                         To[Digest][Name][Row[0]] += {Row[1], Row[2], Row[3]};
                       });
}

static Error addReasons(StringRef Json, StringRef List, UncountedKernels &To) {
  return forEachKernel(Json, List,
                       [&](StringRef Name, const json::Object &Row) -> Error {
                         const auto Digest = Row.getString("code");
                         const auto Reason = Row.getString("reason");
                         if (!Digest || !Reason)
                           return malformed(List + " kernel " + Name +
                                            " has no code object or no reason");
                         To[{Digest->str(), Name.str()}] = Reason->str();
                         return Error::success();
                       });
}

Error pgo::addUncounted(StringRef Json, UncountedKernels &To) {
  return addReasons(Json, "refused", To);
}

Error pgo::addOverflown(StringRef Json, UncountedKernels &To) {
  return addReasons(Json, "overflown", To);
}

bool pgo::isAbrupt(StringRef Ended) {
  return Ended.starts_with("SIG") || Ended.contains("fault");
}

Expected<ReportOrigin> pgo::originOf(StringRef Json) {
  Expected<json::Value> Root = parse(Json);
  if (!Root)
    return Root.takeError();
  const json::Object *Object = Root->getAsObject();
  const auto Process = Object ? Object->getInteger("process") : std::nullopt;
  if (!Process)
    return malformed("it does not say which process wrote it");
  return ReportOrigin{*Process, Object->getString("ended").value_or("").str()};
}

/// As the emulator does: of what is in the file of the first segment, which the
/// loader leaves as it is. It holds the file's header, symbols and metadata.
std::string pgo::digestOf(ArrayRef<uint8_t> Bytes) {
  auto File = object::ELFFile<object::ELF64LE>::create(toStringRef(Bytes));
  if (!File) {
    consumeError(File.takeError());
    return "";
  }
  auto Headers = File->program_headers();
  if (!Headers) {
    consumeError(Headers.takeError());
    return "";
  }
  for (const auto &Header : *Headers)
    if (Header.p_type == ELF::PT_LOAD)
      return Header.p_offset == 0 && Header.p_filesz <= Bytes.size()
                 ? utohexstr(xxh3_64bits(Bytes.take_front(Header.p_filesz)),
                             /*LowerCase=*/true)
                 : "";
  return "";
}

CodeCounts pgo::sumOf(const KernelCounts &Kernels) {
  CodeCounts Sum;
  for (const auto &[Name, Counts] : Kernels)
    for (const auto &[Address, Count] : Counts)
      Sum[Address] += Count;
  return Sum;
}
