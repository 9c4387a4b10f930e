// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "luthier/PlaceList.h"
#include "luthier/LiftedRepresentation.h"
#include "luthier/Mnemonic.h"
#include "luthier/Report.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <map>
#include <mutex>
#include <tuple>

using namespace llvm;

namespace luthier {

struct PlaceList::Impl {
  struct Known {
    std::string Instruction, Line;
    std::vector<uint32_t> Counters; ///< One for each device.
  };
  mutable std::mutex Lock;
  uint32_t NumCounters = 0;
  /// By kernel and address.
  std::map<std::pair<std::string, uint64_t>, Known> Places;
};

PlaceList::PlaceList() : P(new Impl) {}
PlaceList::~PlaceList() = default;

uint32_t PlaceList::add(const LiftedRepresentation &LR,
                        ArrayRef<const MachineInstr *> Of) {
  std::lock_guard Guard(P->Lock);
  for (const MachineInstr *MI : Of) {
    const std::optional<uint64_t> Address = LR.originalAddress(*MI);
    if (!Address) // The tool has added it.
      continue;
    auto [It, IsNew] = P->Places.try_emplace({LR.kernelName().str(), *Address});
    It->second.Counters.push_back(P->NumCounters);
    if (!IsNew)
      continue;
    It->second.Instruction = mnemonicOf(*MI);
    if (std::optional<SourceLine> Line = LR.sourceLine(*MI))
      It->second.Line = Line->File + ":" + std::to_string(Line->Line);
  }
  return P->NumCounters++;
}

uint32_t PlaceList::size() const {
  std::lock_guard Guard(P->Lock);
  return P->NumCounters;
}

std::vector<PlaceList::Place>
PlaceList::places(ArrayRef<uint64_t> Counts) const {
  std::lock_guard Guard(P->Lock);
  std::vector<Place> Result;
  for (const auto &[Key, Known] : P->Places) {
    uint64_t Count = 0;
    for (uint32_t Counter : Known.Counters)
      Count += Counter < Counts.size() ? Counts[Counter] : 0;
    Result.push_back(
        {Key.first, Key.second, Known.Instruction, Known.Line, Count});
  }
  return Result;
}

void PlaceList::print(ArrayRef<uint64_t> Counts, size_t Most) const {
  std::vector<Place> All = places(Counts);
  llvm::sort(All, [](const Place &A, const Place &B) {
    return std::tie(B.Count, A.Kernel, A.Address) <
           std::tie(A.Count, B.Kernel, B.Address);
  });
  std::string Text;
  raw_string_ostream OS(Text);
  for (const Place &Each : ArrayRef(All).take_front(Most))
    OS << formatv("{0,16} {1,-24} {2} at {3}\n", Each.Count, Each.Instruction,
                  demangle(Each.Kernel),
                  Each.Line.empty() ? formatv("{0:x}", Each.Address).str()
                                    : Each.Line);
  if (!Text.empty())
    printReport(Text);
}

void PlaceList::writeJSON(StringRef FileName, ArrayRef<uint64_t> Counts) const {
  json::Array List;
  for (Place &Each : places(Counts)) {
    json::Object Row{{"kernel", std::move(Each.Kernel)},
                     {"address", Each.Address},
                     {"instruction", std::move(Each.Instruction)},
                     {"count", Each.Count}};
    if (!Each.Line.empty())
      Row["line"] = std::move(Each.Line);
    List.push_back(std::move(Row));
  }
  writeReport(FileName, json::Object{{"places", std::move(List)}});
}

} // namespace luthier
