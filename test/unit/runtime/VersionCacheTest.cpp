// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache with a resolver of the tests and a GPU runtime that loads nothing.
#include "runtime/VersionCache.h"
#include "FakeHsa.h"
#include "luthier/Refusal.h"
#include "runtime/CallContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/MemoryBuffer.h"
#include <gtest/gtest.h>

using namespace llvm;
using namespace luthier;
using namespace luthier::runtime;

namespace {

constexpr uint64_t Base = 0x7f0000000000;

class VersionCacheTest : public testing::Test {
protected:
  static std::shared_ptr<const CodeObject> read() {
    auto File = MemoryBuffer::getFile(KERNELS, false, false);
    StringRef Contents = (*File)->getBuffer();
    return std::move(
        *CodeObject::create(arrayRefFromStringRef<uint8_t>(Contents)));
  }

  hsa::LoadedCodeObjectKernel kernel(StringRef Name) {
    return KernelAccess::make(Object, *Object->findKernel(Name), {7}, Base);
  }
  /// What to put into the kernel. Garbage takes no hooks.
  enum Insertion { Garbage, Hook, Nothing, Edit };
  Error instrument(StringRef Preset, Insertion What = Garbage) {
    auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      ++Mutated;
      EXPECT_EQ(LR.kernelName(), "_Z5firstPi");
      if (What == Garbage)
        luthier::detail::contentsOf(Task).Test.RegisterSeed = 1;
      if (What == Hook)
        Task.insertHookAtKernelEntry(&Handle);
      MachineBasicBlock &Entry = LR.kernel().front();
      if (What == Edit)
        Entry.splice(Entry.begin(), &Entry, std::next(Entry.begin()));
      return Error::success();
    };
    return Cache.instrument(First, Mutate, {nullptr, Preset.str()}, {});
  }
  Expected<Redirection> find(StringRef Preset) {
    return Cache.find(First.kernelObject(), {nullptr, Preset.str()}, {});
  }
  void expectReason(Error E, RefusalReason Reason) {
    ASSERT_TRUE(E.isA<Refusal>());
    handleAllErrors(std::move(E),
                    [&](const Refusal &R) { EXPECT_EQ(R.reason(), Reason); });
  }

  test::FakeHsa Hsa;
  const std::shared_ptr<const CodeObject> Object = read();
  unsigned Mutated = 0, Resolved = 0;
  char Handle; ///< Only its address matters.
  VersionCache Cache{
      [this](const void *Asked, hsa_agent_t Agent) -> Expected<HookReference> {
        ++Resolved;
        EXPECT_EQ(Asked, &Handle);
        EXPECT_EQ(Agent.handle, 7u);
        return refuse(RefusalReason::UnknownHook, "there are none here");
      }};
  const hsa::LoadedCodeObjectKernel First = kernel("_Z5firstPi");
};

TEST_F(VersionCacheTest, MakesEachPresetOnce) {
  ASSERT_FALSE(instrument("one"));
  ASSERT_FALSE(instrument("one"));
  EXPECT_EQ(Mutated, 1u);
  ASSERT_FALSE(instrument("two"));
  EXPECT_EQ(Mutated, 2u);
  EXPECT_EQ(Hsa.NumLoaded, 2u);
  Expected<Redirection> One = find("one"), Two = find("two");
  ASSERT_TRUE(One && Two);
  EXPECT_EQ(One->KernelObject, Hsa.kernelObject(1));
  EXPECT_EQ(Two->KernelObject, Hsa.kernelObject(2));
  EXPECT_TRUE(Cache.isInstrumented(Hsa.kernelObject(1)));
  EXPECT_FALSE(Cache.isInstrumented(First.kernelObject()));
}

// A second tool that comes later changes nothing for the first.
TEST_F(VersionCacheTest, FindsWhatWasMadeWithoutARecipe) {
  ASSERT_FALSE(instrument("one"));
  EXPECT_FALSE(Cache.instrument(First, {}, {nullptr, "one"}, {}));
  EXPECT_NE(toString(Cache.instrument(First, {}, {nullptr, "two"}, {}))
                .find("\"two\""),
            std::string::npos);
  Expected<Redirection> Two = find("two");
  EXPECT_FALSE(Two);
  consumeError(Two.takeError());
  EXPECT_EQ(Hsa.NumLoaded, 1u);
}

TEST_F(VersionCacheTest, LoadsNothingWhereNothingIsInserted) {
  ASSERT_FALSE(instrument("one", Nothing));
  ASSERT_FALSE(instrument("one", Nothing));
  EXPECT_EQ(Mutated, 1u) << "lifted again";
  EXPECT_EQ(Hsa.NumLoaded, 0u);
  Expected<Redirection> One = find("one");
  ASSERT_TRUE(bool(One));
  EXPECT_EQ(One->KernelObject, 0u);
  EXPECT_FALSE(Cache.isInstrumented(First.kernelObject()))
      << "another tool may want it";
  Cache.drop({Base, Base + 0x100000});
  EXPECT_EQ(Hsa.NumUnloaded, 0u);
}

TEST_F(VersionCacheTest, LoadsWhatAToolHasOnlyEdited) {
  ASSERT_FALSE(instrument("one", Edit));
  EXPECT_EQ(Hsa.NumLoaded, 1u);
}

TEST_F(VersionCacheTest, NamesAPresetThatNobodyMade) {
  ASSERT_FALSE(instrument("one"));
  EXPECT_NE(toString(find("other").takeError()).find("\"other\""),
            std::string::npos);
}

TEST_F(VersionCacheTest, RemembersRefusals) {
  expectReason(instrument("hooks", Hook), RefusalReason::UnknownHook);
  expectReason(instrument("hooks", Hook), RefusalReason::UnknownHook);
  EXPECT_EQ(Resolved, 1u) << "asked again";
  EXPECT_EQ(Mutated, 1u);
  expectReason(find("hooks").takeError(), RefusalReason::UnknownHook);
  EXPECT_EQ(Hsa.NumLoaded, 0u);
  // Of this preset, not of the kernel.
  EXPECT_FALSE(instrument("nothing"));
}

TEST_F(VersionCacheTest, KeepsPresetsOfToolsApart) {
  struct : Tool {
  } Other;
  ASSERT_FALSE(instrument("one"));
  Expected<Redirection> Found =
      Cache.find(First.kernelObject(), {&Other, "one"}, {});
  EXPECT_FALSE(Found);
  consumeError(Found.takeError());
}

/// Hooks of modules that go.
class UnloadedHooksTest : public VersionCacheTest {
protected:
  HookModule NoHooks;
  std::shared_ptr<HookOwner> Module = std::make_shared<HookOwner>();
  VersionCache Owned{
      [this](const void *, hsa_agent_t) -> Expected<ResolvedHook> {
        if (Module->IsUnloaded)
          return make_error<UnloadedHook>("its module is unloaded");
        return ResolvedHook({&NoHooks, "hook"}, Module);
      }};

  /// What is said of it, "" if it is done.
  std::string insert(Insertion What) {
    auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &) {
      ++Mutated;
      if (What == Hook)
        Task.insertHookAtKernelEntry(&Handle);
      return Error::success();
    };
    return toString(Owned.instrument(First, Mutate, {nullptr, "one"}, {}));
  }
};

TEST_F(UnloadedHooksTest, RefusalGoesWithTheModuleThatItIsAbout) {
  const std::string Refused = insert(Hook);
  EXPECT_NE(Refused, "");
  EXPECT_EQ(insert(Nothing), Refused) << "it is remembered";
  EXPECT_EQ(Mutated, 1u);
  Module->IsUnloaded = true;
  // The one hook is the module's.
  Owned.dropUsersOf(*Module, [](const void *) { return true; });
  EXPECT_EQ(Module.use_count(), 1);
  EXPECT_EQ(insert(Nothing), "");
  EXPECT_EQ(Mutated, 2u);
}

TEST_F(UnloadedHooksTest, HookThatIsUnloadedMeanwhileIsNoReasonForLater) {
  Module->IsUnloaded = true;
  EXPECT_NE(insert(Hook), "");
  EXPECT_EQ(insert(Nothing), "");
}

/// Tools that want the same kernel.
class SharedKernelTest : public VersionCacheTest {
protected:
  struct : Tool {
  } A, B, C;
  const PresetKey OfA = {&A, "one"}, OfB = {&B, "one"}, OfC = {&C, "one"};
  VersionCache Shared{[](const void *, hsa_agent_t) -> Expected<HookReference> {
                        return refuse(RefusalReason::UnknownHook,
                                      "there are none here");
                      },
                      [] { return true; }};

  Error put(const PresetKey &Own, Insertion What, const PresetSet &Beside) {
    auto Mutate = [&](InstrumentationTask &Task, LiftedRepresentation &LR) {
      ++Mutated;
      MachineBasicBlock &Entry = LR.kernel().front();
      if (What == Garbage)
        luthier::detail::contentsOf(Task).Test.RegisterSeed = 1;
      if (What == Edit)
        Entry.splice(Entry.begin(), &Entry, std::next(Entry.begin()));
      return Error::success();
    };
    return Shared.instrument(First, Mutate, Own, {}, Beside);
  }
  uint64_t objectOf(const PresetSet &Presets) {
    Expected<Redirection> Found =
        Shared.find(First.kernelObject(), Presets, {});
    EXPECT_TRUE(bool(Found));
    return Found ? Found->KernelObject
                 : (consumeError(Found.takeError()), ~0ull);
  }
};

TEST_F(SharedKernelTest, EachToolIsAskedOnce) {
  const PresetSet Alone = PresetSet().with(OfA), Both = Alone.with(OfB);
  ASSERT_FALSE(put(OfA, Garbage, {}));
  ASSERT_FALSE(put(OfB, Garbage, Alone));
  ASSERT_FALSE(put(OfB, Garbage, Alone));
  EXPECT_EQ(Mutated, 2u);
  EXPECT_EQ(objectOf(Alone), Hsa.kernelObject(1));
  EXPECT_EQ(objectOf(Both), Hsa.kernelObject(2));
  // Where A does not want a dispatch, and nobody asks B again.
  ASSERT_FALSE(Shared.instrument(First, {}, OfB, {}));
  EXPECT_EQ(Mutated, 2u);
  EXPECT_EQ(objectOf(PresetSet().with(OfB)), Hsa.kernelObject(3));
  EXPECT_EQ(Hsa.NumLoaded, 3u);
}

TEST_F(SharedKernelTest, WhoPutsNothingIntoItAddsNothing) {
  const PresetSet Alone = PresetSet().with(OfA);
  ASSERT_FALSE(put(OfA, Garbage, {}));
  ASSERT_FALSE(put(OfB, Nothing, Alone));
  EXPECT_EQ(objectOf(Alone.with(OfB)), 0u);
  EXPECT_EQ(Hsa.NumLoaded, 1u);
  ASSERT_FALSE(put(OfC, Garbage, Alone));
  EXPECT_NE(objectOf(Alone.with(OfC)), 0u);
}

TEST_F(SharedKernelTest, ChangedCodeIsForOneToolAlone) {
  ASSERT_FALSE(put(OfA, Garbage, {}));
  EXPECT_EQ(toString(put(OfB, Edit, PresetSet().with(OfA))),
            "unsupported-edit: the tool changes the kernel's code");
  ASSERT_FALSE(put(OfB, Edit, {}));
  EXPECT_EQ(toString(put(OfC, Garbage, PresetSet().with(OfB))),
            "unsupported-edit: a tool has changed the kernel's code");
}

TEST_F(SharedKernelTest, HooksOfEachToolRunInItsOwnWorkgroups) {
  using luthier::detail::WorkgroupRange;
  WorkgroupRange OfKernel;
  std::vector<WorkgroupRange> OfHooks;
  auto Mutate = [&](InstrumentationTask &, LiftedRepresentation &LR) -> Error {
    InstrumentationTask Few, Others, All;
    Few.insertHookAtKernelEntry(&Handle);
    Few.onlyInWorkgroups(3, 4);
    Others.insertHookAtKernelEntry(&Handle);
    Others.insertHookAtKernelEntry(&Handle);
    Others.onlyInWorkgroups(9, 12);
    for (const InstrumentationTask *Each : {&Few, &Others, &Others})
      if (Error E = TaskRecipe::of(*Each, LR).addTo(All, LR))
        return E;
    OfKernel = luthier::detail::contentsOf(All).Workgroups;
    for (const luthier::detail::InsertionRequest &R :
         luthier::detail::contentsOf(All).Insertions)
      OfHooks.push_back(R.Workgroups);
    return refuse(RefusalReason::UnsupportedHook, "enough");
  };
  EXPECT_EQ(toString(Shared.instrument(First, Mutate, OfA, {})),
            "unsupported-hook: enough");
  EXPECT_EQ(OfKernel, (WorkgroupRange{3, 12}));
  const WorkgroupRange Few{3, 4}, Others{9, 12};
  EXPECT_EQ(OfHooks, (std::vector{Few, Others, Others, Others, Others}));
}

TEST_F(SharedKernelTest, HooksThatRunInTheSameWorkgroupsNeedNotLook) {
  size_t NumRestricted = 0;
  auto Mutate = [&](InstrumentationTask &, LiftedRepresentation &LR) -> Error {
    InstrumentationTask Some, All;
    Some.insertHookAtKernelEntry(&Handle);
    Some.onlyInWorkgroups(3, 4);
    for (unsigned I = 0; I < 2; ++I)
      if (Error E = TaskRecipe::of(Some, LR).addTo(All, LR))
        return E;
    const luthier::detail::TaskContents &Contents =
        luthier::detail::contentsOf(All);
    for (const luthier::detail::InsertionRequest &R : Contents.Insertions)
      NumRestricted += !R.Workgroups.contains(Contents.Workgroups);
    EXPECT_EQ(Contents.Insertions.size(), 2u);
    return refuse(RefusalReason::UnsupportedHook, "enough");
  };
  EXPECT_EQ(toString(Shared.instrument(First, Mutate, OfA, {})),
            "unsupported-hook: enough");
  EXPECT_EQ(NumRestricted, 0u);
}

TEST_F(SharedKernelTest, WhatNobodyWasAskedForIsNoVersion) {
  EXPECT_NE(toString(Shared.instrument(First, {}, OfA, {})).find("\"one\""),
            std::string::npos);
  ASSERT_FALSE(put(OfA, Garbage, {})) << "the failure is not remembered";
}

TEST(PresetSet, HasOnePresetOfEachTool) {
  struct : Tool {
  } A, B;
  const PresetSet Both = PresetSet(&A, "x").with({&B, "y"});
  EXPECT_EQ(Both.text(), "x+y");
  EXPECT_EQ(Both.with({&A, "z"}).text(), "z+y") << "in the order of the tools";
  EXPECT_EQ(Both.without(&A).text(), "y");
  EXPECT_NE(Both, PresetSet(&B, "y").with({&A, "x"}));
}

TEST_F(VersionCacheTest, ForgetsWhatIsUnloaded) {
  ASSERT_FALSE(instrument("one"));
  Cache.drop({0, Base});
  EXPECT_TRUE(bool(find("one"))) << "that was other code";
  Cache.drop({Base, Base + 0x100000});
  EXPECT_EQ(Hsa.NumUnloaded, 1u);
  EXPECT_FALSE(Cache.isInstrumented(Hsa.kernelObject(1)));
  Expected<Redirection> Found = find("one");
  EXPECT_FALSE(Found);
  consumeError(Found.takeError());
  ASSERT_FALSE(instrument("one"));
  EXPECT_EQ(Mutated, 2u);
}

TEST_F(VersionCacheTest, ExplainsAddressesOfItsOwnCodeOnly) {
  ASSERT_FALSE(instrument("one"));
  EXPECT_EQ(Cache.explain(0x1234), "");
}

TEST_F(VersionCacheTest, LiftsKernelsOnce) {
  Expected<VersionCache::SharedLift> Lifted = Cache.lift(First);
  ASSERT_TRUE(bool(Lifted));
  EXPECT_EQ(*Lifted, cantFail(Cache.lift(First))) << "lifted twice";
}

TEST_F(VersionCacheTest, KeepsTheLatestLiftsAndThoseThatAreInUse) {
  VersionCache Small({}, {}, /*MostLifted=*/1);
  VersionCache::SharedLift InUse = cantFail(Small.lift(First));
  const std::weak_ptr Known = InUse;
  cantFail(Small.lift(kernel("_Z6secondPi")));
  EXPECT_EQ(InUse->kernelName(), First.name());
  InUse.reset();
  EXPECT_TRUE(Known.expired());
  const std::weak_ptr Staying = cantFail(Small.lift(First, /*Stays=*/true));
  cantFail(Small.lift(kernel("_Z6secondPi")));
  EXPECT_FALSE(Staying.expired());
  Small.clear();
  EXPECT_TRUE(Staying.expired());
}

TEST(CallScopeTest, KeepsThingsUntilItsCallReturns) {
  auto Thing = std::make_shared<int>(7);
  const std::weak_ptr Known = Thing;
  EXPECT_FALSE(CallScope::keep(Thing)) << "nobody is called";
  const CallContext Context;
  {
    const CallScope Outer(Context);
    {
      const CallScope Inner(Context);
    }
    EXPECT_TRUE(CallScope::keep(std::move(Thing)));
    {
      const CallScope Inner(Context);
    }
    EXPECT_FALSE(Known.expired());
  }
  EXPECT_TRUE(Known.expired());
}

} // namespace
