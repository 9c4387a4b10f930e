// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/FileCommand.h"
#include "cli/InspectedFile.h"
#include "codeobject/KernelName.h"
#include "llvm/ADT/STLExtras.h"
#include <array>

using namespace llvm;

namespace luthier::cli {

std::string readableName(StringRef Name) { return readableKernelName(Name); }

/// Names of kernels whose own name contains \p Wanted or is a few letters off.
static std::vector<std::string> nearNames(const CodeObject &Object,
                                          StringRef Wanted) {
  std::vector<std::string> Names;
  for (const KernelInfo &Kernel : Object.kernels()) {
    const auto Spellings = spellingsOf(Kernel.Name);
    if (isNearName(Spellings.back(), Wanted))
      Names.push_back(Spellings[1]);
  }
  return Names;
}

/// "; WHAT: a, b, c, and 4 more", or nothing.
static std::string list(StringRef What, ArrayRef<std::string> Names) {
  constexpr size_t MaxListed = 3;
  if (Names.empty())
    return "";
  std::string Text = ("; " + What + ": ").str();
  for (const auto &[I, Name] : enumerate(Names.take_front(MaxListed)))
    Text += (I ? ", " : "") + Name;
  if (Names.size() > MaxListed)
    Text += ", and " + std::to_string(Names.size() - MaxListed) + " more";
  return Text;
}

Expected<const KernelInfo *> findKernelByName(const CodeObject &Object,
                                              StringRef Wanted) {
  std::array<SmallVector<const KernelInfo *, 1>, 4> Found;
  for (const KernelInfo &Kernel : Object.kernels())
    for (const auto &[Spelling, Hits] : zip(spellingsOf(Kernel.Name), Found))
      if (Spelling == Wanted)
        Hits.push_back(&Kernel);

  for (const auto &Hits : Found) {
    if (Hits.size() == 1)
      return Hits.front();
    if (Hits.empty())
      continue;
    std::vector<std::string> Names;
    for (const KernelInfo *Kernel : Hits)
      Names.push_back(readableName(Kernel->Name));
    return failed("several kernels are called '" + Wanted + "'" +
                  list("choose from", Names));
  }
  return nullptr;
}

std::string listNearNames(const CodeObject &Object, StringRef Wanted) {
  return list("near it", nearNames(Object, Wanted));
}

} // namespace luthier::cli
