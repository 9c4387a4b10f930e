// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/VariableAddresses.h"
#include "luthier/Refusal.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace luthier {

Expected<uint64_t> HookModule::deviceAddress(uint64_t Pointer) const {
  auto V = find_if(HostVariables, [&](const HostVariable &V) {
    return Pointer - V.Host < V.Size;
  });
  // The end of a variable may be the begin of another.
  if (V == HostVariables.end())
    V = find_if(HostVariables, [&](const HostVariable &V) {
      return Pointer - V.Host == V.Size;
    });
  if (V == HostVariables.end())
    return Pointer;
  const uint64_t Offset = Pointer - V->Host;
  if (V->Device)
    return *V->Device + Offset;
  if (!Places || !Variables.contains(V->Name))
    return refuse(RefusalReason::HookArguments,
                  "the address of variable " + V->Name +
                      " is known only when a device runs the kernel");
  Expected<uint64_t> Begin = Places->find(V->Name);
  if (!Begin)
    return Begin.takeError();
  return *Begin + Offset;
}

/// No address of 64 bits that hardware takes begins like this.
static constexpr uint64_t FirstStandIn = uint64_t(0xa5) << 56;

uint64_t nextStandIn(const HookModule &Module) {
  // The end of one variable must not be the begin of the next.
  constexpr uint64_t Apart = 4096;
  uint64_t Next = FirstStandIn;
  for (const HookModule::HostVariable &V : Module.HostVariables)
    Next += alignTo(V.Size, Apart) + Apart;
  return Next;
}

static const HookModule::HostVariable *findAround(uint64_t StandIn,
                                                  const HookModule &Module) {
  auto V = find_if(Module.HostVariables, [&](const auto &V) {
    return V.Device && StandIn - *V.Device <= V.Size;
  });
  return V == Module.HostVariables.end() ? nullptr : &*V;
}

ArgumentValue argumentFor(uint64_t Address, const HookModule &Module) {
  const HookModule::HostVariable *V =
      Module.SymbolicVariables ? findAround(Address, Module) : nullptr;
  if (!V)
    return ArgumentValue::plain(Address);
  return {ArgumentForm::Variable, 0, {*V->Device, Address - *V->Device}};
}

const HookModule::HostVariable &variableAt(uint64_t StandIn,
                                           const HookModule &Module) {
  const HookModule::HostVariable *V = findAround(StandIn, Module);
  assert(V && "argumentFor() has made it");
  return *V;
}

/// Nothing if there is no such variable, or no address of it yet.
static std::optional<uint64_t> knownAddress(StringRef Symbol,
                                            const HookModule &Module) {
  const bool IsStorage = Symbol.consume_front(StoragePrefix);
  const StringMap<uint64_t> &Known =
      IsStorage ? Module.ManagedStorage : Module.Variables;
  auto Found = Known.find(Symbol);
  if (Found == Known.end())
    return std::nullopt;
  if (!IsStorage && Module.Places)
    return Module.Places->findPlaced(Symbol);
  return Found->second;
}

std::optional<SymbolicAddress> symbolOf(uint64_t Address,
                                        const HookModule &Module) {
  if (Module.SymbolicVariables)
    return std::nullopt;
  for (const HookModule::HostVariable &V : Module.HostVariables) {
    const std::optional<uint64_t> Begin =
        V.Device ? V.Device : knownAddress(V.Name, Module);
    if (!Begin || Address - *Begin >= V.Size)
      continue;
    // Of another module of the same tool, payloads of this one know nothing.
    for (std::string Symbol : {StoragePrefix.str() + V.Name, V.Name})
      if (knownAddress(Symbol, Module) == *Begin)
        return SymbolicAddress{std::move(Symbol), int64_t(Address - *Begin)};
  }
  return std::nullopt;
}

static Expected<uint64_t> definedAddress(StringRef Symbol,
                                         const HookModule &Module) {
  if (const std::optional<uint64_t> Address = knownAddress(Symbol, Module))
    return *Address;
  if (Module.Places && Module.Variables.contains(Symbol))
    return Module.Places->find(Symbol);
  return refuse(RefusalReason::UnsupportedHook,
                "variable " + Symbol + " is not defined by " + Module.ToolName);
}

Error fillIn(Payload &P, const HookModule &Module) {
  for (const Fixup &F : P.Fixups) {
    Expected<uint64_t> Base = definedAddress(F.Variable, Module);
    if (!Base)
      return Base.takeError();
    assert(F.Offset + sizeof(uint32_t) <= P.Code.size() && "a literal of P's");
    const uint64_t Address = *Base + F.Addend;
    support::endian::write32le(
        P.Code.data() + F.Offset,
        uint32_t(F.Kind == Fixup::Abs32Lo ? Address : Address >> 32));
  }
  P.Fixups.clear();
  for (LiteralSum &Sum : P.LiteralSums) {
    if (Sum.Symbol.empty())
      continue;
    Expected<uint64_t> Base = definedAddress(Sum.Symbol, Module);
    if (!Base)
      return Base.takeError();
    Sum.Constant += *Base;
    Sum.Symbol.clear();
  }
  return Error::success();
}

} // namespace luthier
