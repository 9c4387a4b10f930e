// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/EventTable.h"
#include "Fixture.h"
#include "gtest/gtest.h"
#include <cerrno>
#include <thread>

namespace luthier::emulator {
namespace {

using Outcome = EventTable::Outcome;

class EventTableTest : public testing::Test {
protected:
  void SetUp() override { Events.setSlots(Slots); }

  uint32_t create(bool AutoReset = true, uint32_t Type = KFD_IOC_EVENT_SIGNAL) {
    return Events.create(Type, AutoReset);
  }
  static kfd_event_data waitFor(uint32_t Id, uint64_t LastAge = 0) {
    kfd_event_data Data{};
    Data.event_id = Id;
    kfd::setLastAge(Data, LastAge);
    return Data;
  }
  Outcome wait(std::vector<kfd_event_data> List, bool All = true,
               uint32_t Milliseconds = 0) {
    const Outcome Result = Events.wait(List, All, Milliseconds);
    Last = List.front();
    return Result;
  }
  Outcome wait(uint32_t Id) { return wait({waitFor(Id)}); }

  /// Milliseconds, for what comes at once or never.
  static constexpr uint32_t Patience = 20'000;
  uint64_t Slots[EventTable::Capacity] = {};
  EventTable Events;
  /// What the last wait() brought for the first event.
  kfd_event_data Last{};
};

TEST_F(EventTableTest, AutoResetEventsWakeOnce) {
  const uint32_t Id = create();
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
  Events.raise(Id);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
}

TEST_F(EventTableTest, OthersStayUntilTheyAreReset) {
  const uint32_t Id = create(/*AutoReset=*/false);
  EXPECT_EQ(Events.set(Id), 0);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(Events.reset(Id), 0);
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
}

TEST_F(EventTableTest, WaitsForAnyOrForAll) {
  const uint32_t First = create(false), Second = create(false);
  Events.raise(Second);
  EXPECT_EQ(wait({waitFor(First), waitFor(Second)}, false), Outcome::Raised);
  EXPECT_EQ(wait({waitFor(First), waitFor(Second)}, true), Outcome::TimedOut);
}

TEST_F(EventTableTest, AWaiterIsWoken) {
  const uint32_t Id = create();
  std::thread Raiser([&] {
    EXPECT_TRUE(eventually([&] { return Events.numWaiting() == 1; }));
    Events.raise(Id);
  });
  EXPECT_EQ(wait({waitFor(Id)}, true, EventTable::Forever), Outcome::Raised);
  Raiser.join();
}

/// The table is full but for one, so the id is given again at once.
TEST_F(EventTableTest, WhoWaitsForADestroyedEventDoesNotGetItsSuccessors) {
  std::vector<uint32_t> Ids;
  while (const uint32_t Id = create())
    Ids.push_back(Id);
  const uint32_t Id = Ids.front();
  Outcome Ended{};
  std::thread Waiter([&] {
    kfd_event_data List[] = {waitFor(Id)};
    Ended = Events.wait(List, true, Patience);
  });
  ASSERT_TRUE(eventually([&] { return Events.numWaiting() == 1; }));
  EXPECT_EQ(Events.destroy(Id), 0);
  ASSERT_EQ(create(), Id);
  Events.raise(Id);
  Waiter.join();
  EXPECT_EQ(Ended, Outcome::Destroyed);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  Events.raise(Id);
  EXPECT_EQ(wait(Id), Outcome::Raised) << "nobody waits for it any more";
}

/// Runtimes reuse events while others still wait for them.
TEST_F(EventTableTest, AllThatWaitAreWokenByOneRaise) {
  const uint32_t Id = create(), Other = create();
  Outcome First{}, Second{};
  std::thread Waiters[] = {std::thread([&] {
                             kfd_event_data List[] = {waitFor(Id)};
                             First = Events.wait(List, true, Patience);
                           }),
                           std::thread([&] {
                             kfd_event_data List[] = {waitFor(Other),
                                                      waitFor(Id)};
                             Second = Events.wait(List, false, Patience);
                           })};
  EXPECT_TRUE(eventually([&] { return Events.numWaiting() == 2; }));
  Events.raise(Id);
  for (std::thread &Each : Waiters)
    Each.join();
  EXPECT_EQ(First, Outcome::Raised);
  EXPECT_EQ(Second, Outcome::Raised);
}

/// Runtimes before ages: two signals share an event. One thread takes a raise
/// that was meant for another, which has not begun its next wait.
TEST_F(EventTableTest, WhoNamesNoAgesIsToldWhatAnotherThreadTook) {
  const uint32_t Id = create();
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
  Events.raise(Id);
  Outcome Others{};
  std::thread([&] {
    kfd_event_data List[] = {waitFor(Id)};
    Others = Events.wait(List, true, 0);
  }).join();
  EXPECT_EQ(Others, Outcome::Raised);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(wait(Id), Outcome::TimedOut) << "told again";
}

TEST_F(EventTableTest, WhoNeverWaitedIsToldWhatAnotherThreadTook) {
  const uint32_t Id = create();
  Events.raise(Id);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  Outcome Others[2]{};
  std::thread([&] {
    for (Outcome &Each : Others) {
      kfd_event_data List[] = {waitFor(Id)};
      Each = Events.wait(List, true, 0);
    }
  }).join();
  EXPECT_EQ(Others[0], Outcome::Raised);
  EXPECT_EQ(Others[1], Outcome::TimedOut) << "told again";
}

/// More threads than the table remembers.
TEST_F(EventTableTest, WhoWaitedLongAgoIsToldOnceMore) {
  const uint32_t Id = create();
  Events.raise(Id);
  EXPECT_EQ(wait(Id), Outcome::Raised);
  std::vector<std::thread> Others;
  for (unsigned I = 0; I < 20; ++I)
    Others.emplace_back([&] {
      kfd_event_data List[] = {waitFor(Id)};
      EXPECT_EQ(Events.wait(List, true, 0), Outcome::Raised);
    });
  for (std::thread &Each : Others)
    Each.join();
  EXPECT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
}

/// The table is full but for one, so the id is given again at once.
TEST_F(EventTableTest, RaisesOfADestroyedEventAreNotItsSuccessors) {
  std::vector<uint32_t> Ids;
  while (const uint32_t Id = create())
    Ids.push_back(Id);
  Events.raise(Ids.front());
  EXPECT_EQ(Events.destroy(Ids.front()), 0);
  ASSERT_EQ(create(), Ids.front());
  EXPECT_EQ(wait(Ids.front()), Outcome::TimedOut);
}

TEST_F(EventTableTest, WhatWasResetWakesNobody) {
  const uint32_t Id = create();
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
  Events.raise(Id);
  EXPECT_EQ(Events.reset(Id), 0);
  EXPECT_EQ(wait(Id), Outcome::TimedOut);
}

TEST_F(EventTableTest, AnOlderAgeThanTheEventsWakesAtOnce) {
  const uint32_t Id = create();
  EXPECT_EQ(wait({waitFor(Id, 1)}), Outcome::TimedOut);
  Events.raise(Id);
  // Somebody else takes the signal; the age tells of it all the same.
  EXPECT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(wait({waitFor(Id, 1)}), Outcome::Raised);
  EXPECT_EQ(kfd::lastAge(Last), 2u);
  EXPECT_EQ(wait({waitFor(Id, 2)}), Outcome::TimedOut);
}

TEST_F(EventTableTest, WhoForgetsAnAgeIsToldAgainAndMissesNothing) {
  const uint32_t Id = create(), Other = create();
  Events.raise(Id);
  for (unsigned Times = 0; Times != 3; ++Times) {
    EXPECT_EQ(
        wait({waitFor(Id, 1), waitFor(Other, 1)}, /*All=*/false, Patience),
        Outcome::Raised);
    EXPECT_EQ(kfd::lastAge(Last), 2u);
  }
  // What happens meanwhile is news.
  Events.raise(Id);
  EXPECT_EQ(wait({waitFor(Id, 1), waitFor(Other, 1)}, /*All=*/false, Patience),
            Outcome::Raised);
  EXPECT_EQ(kfd::lastAge(Last), 3u);
  Events.raise(Other);
  EXPECT_EQ(wait({waitFor(Other, 1), waitFor(Id, 1)}, /*All=*/true, Patience),
            Outcome::Raised);
  EXPECT_EQ(kfd::lastAge(Last), 2u);
}

TEST_F(EventTableTest, AWrittenSlotRaisesItsEventOnly) {
  const uint32_t Written = create(), Other = create();
  Slots[Written] = Written;
  Events.raiseFromSlots();
  EXPECT_EQ(wait(Written), Outcome::Raised);
  EXPECT_EQ(wait(Other), Outcome::TimedOut);
  EXPECT_EQ(Slots[Written], 0u);
}

TEST_F(EventTableTest, MemoryFaultsReachWhoWaitsForThem) {
  EXPECT_FALSE(Events.raiseMemoryFault(1, 0x1000));
  const uint32_t Id = create(true, KFD_IOC_EVENT_MEMORY);
  EXPECT_GE(Id, EventTable::Capacity) << "it has no slot";
  EXPECT_TRUE(Events.raiseMemoryFault(1, 0xabc000));
  ASSERT_EQ(wait(Id), Outcome::Raised);
  EXPECT_EQ(Last.memory_exception_data.va, 0xabc000u);
  EXPECT_EQ(Last.memory_exception_data.gpu_id, 1u);
  EXPECT_EQ(Last.memory_exception_data.failure.NotPresent, 1u);
}

TEST_F(EventTableTest, DestroyingAnEventEndsTheWaitForIt) {
  const uint32_t Id = create();
  std::thread Destroyer([&] {
    EXPECT_TRUE(eventually([&] { return Events.numWaiting() == 1; }));
    EXPECT_EQ(Events.destroy(Id), 0);
  });
  EXPECT_EQ(wait({waitFor(Id)}, true, EventTable::Forever), Outcome::Destroyed);
  Destroyer.join();
  EXPECT_EQ(wait(Id), Outcome::NoSuchEvent);
  EXPECT_EQ(Events.destroy(Id), EINVAL);
}

TEST_F(EventTableTest, IdsAreReusedAndRunOut) {
  for (unsigned Round = 0; Round < 3; ++Round) {
    std::vector<uint32_t> All;
    while (const uint32_t Id = create())
      All.push_back(Id);
    EXPECT_EQ(All.size(), 4095u);
    for (uint32_t Id : All)
      EXPECT_EQ(Events.destroy(Id), 0);
  }
}

} // namespace
} // namespace luthier::emulator
