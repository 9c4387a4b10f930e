// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/LoadedTexts.h"
#include "runtime/OwnExecutable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier::runtime {

void LoadedTexts::add(const OwnExecutable &Code, hsa_agent_t Agent) {
  for (const AddressRange &Range : Code.ranges()) {
    std::vector<uint8_t> Bytes = ArrayRef<uint8_t>(Code.bytes()).vec();
    auto Object = CodeObject::create(Bytes);
    if (!Object)
      return consumeError(Object.takeError()); // It has been loaded.
    std::lock_guard Guard(Lock);
    All.push_front({Agent.handle, Range, std::move(Bytes), std::move(*Object)});
  }
}

std::string LoadedTexts::at(hsa_agent_t Agent, uint64_t Address) const {
  std::lock_guard Guard(Lock);
  for (const Loaded &L : All) {
    if (L.Agent != Agent.handle || Address < L.Range.Begin ||
        Address >= L.Range.End)
      continue;
    std::string Text;
    for (uint64_t At = Address - L.Range.Begin;; ++At) {
      Expected<ArrayRef<uint8_t>> Byte = L.Code->contents(At, 1);
      if (!Byte) {
        consumeError(Byte.takeError());
        break;
      }
      if (!Byte->front())
        return Text;
      Text += char(Byte->front());
    }
  }
  return "(0x" + utohexstr(Address, /*LowerCase=*/true) + ")";
}

} // namespace luthier::runtime
