// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/isa/OperationFacts.h"
#include <unordered_map>

namespace luthier::emulator {

namespace {

using namespace trait;
constexpr uint32_t None = 0;

constexpr OperationFacts control(std::string_view Name, ControlFlow Flow) {
  return {.Name = Name, .Flow = Flow};
}
constexpr OperationFacts wait(std::string_view Name, WaitKind Waits) {
  return {.Name = Name, .Waits = Waits};
}
constexpr OperationFacts matrix(std::string_view Name, MatrixShape Shape) {
  return {.Name = Name, .Matrix = Shape};
}
constexpr OperationFacts memory(std::string_view Name, MemorySpace Space,
                                MemoryAccess Access, uint8_t Bytes,
                                uint32_t Traits) {
  return {.Name = Name,
          .Traits = Traits,
          .Space = Space,
          .Access = Access,
          .Bytes = Bytes};
}

constexpr OperationFacts Rows[] = {
#define OPERATION(Name, Traits) {Name, Traits},
#define CONTROL(Name, Kind) control(Name, ControlFlow::Kind),
#define WAIT(Name, Kind) wait(Name, WaitKind::Kind),
#define MATRIX(Name, Rows, Depth, Unit)                                        \
  matrix(Name, {Rows, Depth, MatrixUnit::Unit}),
#include "emulator/isa/OperationFacts.def"
#define MEMORY(Name, Space, Access, Bytes, Traits)                             \
  memory(Name, MemorySpace::Space, MemoryAccess::Access, Bytes, Traits),
#include "emulator/isa/MemoryFacts.def"
};

} // namespace

std::span<const OperationFacts> operationFacts() { return Rows; }

const OperationFacts &factsOf(std::string_view Operation) {
  static const auto &ByName = *[] {
    // Never destroyed: threads may decode while the process ends.
    auto *Map =
        new std::unordered_map<std::string_view, const OperationFacts *>;
    for (const OperationFacts &Row : Rows)
      Map->try_emplace(Row.Name, &Row);
    return Map;
  }();
  static constexpr OperationFacts Ordinary;
  auto It = ByName.find(Operation);
  return It == ByName.end() ? Ordinary : *It->second;
}

} // namespace luthier::emulator
