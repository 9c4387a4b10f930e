// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hook/PayloadKeys.h"
#include "hook/PayloadArchive.h"
#include "hook/VariableAddresses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"

using namespace llvm;

namespace luthier {

static void addNames(ArchiveWriter &W, const StringMap<uint64_t> &Variables) {
  std::vector<std::string> Names;
  for (const auto &V : Variables)
    Names.push_back(V.first().str());
  sort(Names);
  W(Names);
}

void addModule(ArchiveWriter &W, const HookModule &Module,
               const amdgpu::MCTarget &Target, unsigned WaveSize) {
  // Bitcode is long, and only its digest is wanted again and again.
  const BLAKE3Result<> Code = BLAKE3::hash<32>(Module.Bitcode);
  W(Module.ToolName, ArrayRef(Code), Module.SymbolicVariables);
  addNames(W, Module.Variables);
  addNames(W, Module.ManagedStorage);
  W(Target.triple().str(), Target.subtarget().getCPU(),
    Target.subtarget().getFeatureString(), WaveSize);
}

using GivenArgument = decltype(PayloadVariant::Arguments)::value_type;

/// Writes the name of the variable that \p Given has a stand-in of, which is
/// another one in each process. What is left has none.
static GivenArgument withName(ArchiveWriter &W, GivenArgument Given,
                              const HookModule &Module) {
  auto *Computed = std::get_if<ComputedArgument>(&Given);
  if (!Computed || Computed->Form != ArgumentForm::Variable)
    return Given;
  auto &StandIn = std::get<uint64_t>(Computed->Inputs.front());
  W(variableAt(StandIn, Module).Name);
  StandIn = 0;
  return Given;
}

void addVariant(
    ArchiveWriter &W, const PayloadVariant &Variant,
    function_ref<bool(StringRef Hook, size_t Parameter)> IsPointer) {
  // One field more, and this does not compile.
  const auto &[Reference, Arguments, EndsWave, Workgroups] = Variant;
  const StringRef Hook = Reference.Function;
  W(Hook, EndsWave, Workgroups.First, Workgroups.Last, Arguments.size());
  for (const auto &[Number, Given] : enumerate(Arguments)) {
    const auto *Bits = std::get_if<uint64_t>(&Given);
    const std::optional<SymbolicAddress> Place =
        Bits && IsPointer(Hook, Number) ? symbolOf(*Bits, *Reference.Module)
                                        : std::nullopt;
    W(Place.has_value());
    if (Place)
      W(Place->Symbol, Place->Offset);
    else
      W(withName(W, Given, *Reference.Module));
  }
}

std::string describe(ArrayRef<PayloadVariant> Variants,
                     const amdgpu::MCTarget &Target) {
  if (Variants.empty())
    return "";
  SmallSetVector<StringRef, 8> Hooks;
  for (const PayloadVariant &Variant : Variants)
    Hooks.insert(Variant.Hook.Function);
  return Variants.front().Hook.Module->ToolName + " " +
         Target.subtarget().getCPU().str() + ": " +
         join(Hooks.begin(), Hooks.end(), ", ");
}

} // namespace luthier
