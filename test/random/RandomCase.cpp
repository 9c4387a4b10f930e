// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomCase.h"
#include "Dice.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace luthier::test {
namespace {

constexpr const char *Languages[] = {"ir", "assembly"};
constexpr const char *Ways[] = {"scramble", "count", "blocks", "accumulate",
                                "stack",    "mixed", "scalars"};
constexpr const char *Forms[] = {"vgpr",
                                 "agpr",
                                 "two-agprs",
                                 "agpr-3-sgprs",
                                 "spilled-3-sgprs",
                                 "spilled-1-sgpr",
                                 "any-storage"};
constexpr const char *Policies[] = {"grow", "keep-occupancy", "no-grow"};

template <size_t Count>
Expected<unsigned> indexOf(StringRef Value, const char *const (&All)[Count]) {
  for (unsigned N = 0; N != Count; ++N)
    if (Value == All[N])
      return N;
  return createStringError("nothing is called " + Value);
}

/// The processor in both wave sizes, or one of them.
Expected<bool> setTargets(std::vector<EngineTarget> &Targets, StringRef Name) {
  Targets = allTargets();
  erase_if(Targets, [&](const EngineTarget &T) {
    return Name != T.name() && Name != T.Processor;
  });
  if (Targets.empty())
    return createStringError("no target is called " + Name);
  return true;
}

template <class To, class From>
Expected<bool> set(std::optional<To> &Option, Expected<From> Index) {
  if (!Index)
    return Index.takeError();
  Option = To(*Index);
  return true;
}

std::optional<StateValueArrayForm> anyForm(Dice &D, const EngineTarget &T) {
  const bool HasAGPRs = T.Processor != StringRef("gfx906") && !T.isRdna();
  const StateValueArrayForm All[] = {StateValueArrayForm::Vgpr,
                                     StateValueArrayForm::SpilledWith3Sgprs,
                                     StateValueArrayForm::SpilledWith1Sgpr,
                                     StateValueArrayForm::Agpr,
                                     StateValueArrayForm::TwoAgprs,
                                     StateValueArrayForm::AgprAnd3Sgprs};
  const StateValueArrayForm Form = All[D.below(HasAGPRs ? 6 : 3)];
  return D.chance(60) ? std::optional(Form) : std::nullopt;
}

} // namespace

std::string spelling(Way How) { return Ways[unsigned(How)]; }
std::string spelling(StateValueArrayForm Form) { return Forms[unsigned(Form)]; }

std::string RandomCase::name() const {
  return "--target " + Target.name() + " --from " + Languages[unsigned(From)] +
         " --way " + spelling(How) + " --storage " +
         (Storage ? spelling(*Storage) : "any-storage") + " --policy " +
         Policies[unsigned(Policy)] + " --seed " + std::to_string(Seed);
}

Expected<bool> CaseOptions::parse(StringRef Name, StringRef Value) {
  if (Name == "--target")
    return setTargets(Targets, Value);
  if (Name == "--from")
    return set(From, indexOf(Value, Languages));
  if (Name == "--way")
    return set(How, indexOf(Value, Ways));
  if (Name == "--policy")
    return set(Policy, indexOf(Value, Policies));
  if (Name != "--storage")
    return false;
  Expected<unsigned> Form = indexOf(Value, Forms);
  if (!Form)
    return Form.takeError();
  Storage.emplace();
  if (Value != "any-storage")
    *Storage = StateValueArrayForm(*Form);
  return true;
}

RandomCase CaseOptions::at(uint64_t Seed) const {
  // Scalars come only on demand: they need no random kernel to vary, and what
  // seeds mean stays.
  constexpr Way Often[] = {Way::Scramble, Way::Scramble,   Way::Scramble,
                           Way::Count,    Way::Accumulate, Way::Blocks,
                           Way::Stack,    Way::Mixed,      Way::Mixed};
  constexpr RegisterPolicy Mostly[] = {
      RegisterPolicy::Grow, RegisterPolicy::Grow, RegisterPolicy::Grow,
      RegisterPolicy::KeepOccupancy, RegisterPolicy::NoGrow};
  // What is given does not change what the rest becomes.
  Dice D(Seed * 7 + 5);
  RandomCase Case;
  Case.Seed = Seed;
  Case.Target = Targets[D.below(1u << 30) % Targets.size()];
  Case.From = Language(D.below(2));
  Case.How = Often[D.below(std::size(Often))];
  Case.Policy = Mostly[D.below(std::size(Mostly))];
  Case.Storage = anyForm(D, Case.Target);
  Case.From = From.value_or(Case.From);
  Case.How = How.value_or(Case.How);
  Case.Policy = Policy.value_or(Case.Policy);
  Case.Storage = Storage.value_or(Case.Storage);
  return Case;
}

} // namespace luthier::test
