// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kmt/EventTable.h"
#include "Fixture.h"
#include "gtest/gtest.h"
#include <thread>

namespace luthier::emulator {
namespace {

class EventTableTest : public testing::Test {
protected:
  HsaEvent *create(bool ManualReset = false,
                   HSA_EVENTTYPE Type = HSA_EVENTTYPE_SIGNAL) {
    HsaEventDescriptor Descriptor{};
    Descriptor.EventType = Type;
    return Events.create(Descriptor, ManualReset, false);
  }
  EventTable Events;
};

TEST_F(EventTableTest, AutoResetEventsWakeOnce) {
  HsaEvent *Event = create();
  EXPECT_EQ(Events.wait(Event, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  Events.raise(Event->EventId);
  EXPECT_EQ(Events.wait(Event, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Events.wait(Event, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(EventTableTest, ManualResetEventsStay) {
  HsaEvent *Event = create(/*ManualReset=*/true);
  Events.raise(Event->EventId);
  EXPECT_EQ(Events.wait(Event, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Events.wait(Event, true, 0), HSAKMT_STATUS_SUCCESS);
}

TEST_F(EventTableTest, WaitsForAnyOrForAll) {
  HsaEvent *Both[] = {create(true), create(true)};
  Events.raise(Both[1]->EventId);
  EXPECT_EQ(Events.wait(Both, false, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Events.wait(Both, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(EventTableTest, AWaiterIsWoken) {
  HsaEvent *Event = create();
  std::thread Raiser([&] {
    EXPECT_TRUE(eventually([&] { return Events.numWaiting() == 1; }));
    Events.raise(Event->EventId);
  });
  EXPECT_EQ(Events.wait(Event, true, HSA_EVENTTIMEOUT_INFINITE),
            HSAKMT_STATUS_SUCCESS);
  Raiser.join();
}

/// As the driver does: runtimes reuse events while others still wait for them.
TEST_F(EventTableTest, AllThatWaitAreWokenByOneRaise) {
  HsaEvent *Event = create(), *Other = create();
  constexpr uint32_t Patience = 20'000;
  HSAKMT_STATUS First = HSAKMT_STATUS_ERROR, Second = HSAKMT_STATUS_ERROR;
  std::thread Waiters[] = {
      std::thread([&] { First = Events.wait(Event, true, Patience); }),
      std::thread([&] {
        HsaEvent *Either[] = {Other, Event};
        Second = Events.wait(Either, false, Patience);
      })};
  EXPECT_TRUE(eventually([&] { return Events.numWaiting() == 2; }));
  Events.raise(Event->EventId);
  for (std::thread &Each : Waiters)
    Each.join();
  EXPECT_EQ(First, HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Second, HSAKMT_STATUS_SUCCESS);
}

TEST_F(EventTableTest, AWrittenMailboxRaisesItsEventOnly) {
  HsaEvent *Written = create(), *Other = create();
  *reinterpret_cast<uint64_t *>(Written->EventData.HWData2) = Written->EventId;
  Events.raiseFromMailboxes();
  EXPECT_EQ(Events.wait(Written, true, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(Events.wait(Other, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
}

TEST_F(EventTableTest, MemoryFaultsReachTheWaitersEvent) {
  EXPECT_FALSE(Events.raiseMemoryFault(1, 0x1000));
  HsaEvent *Event = create(true, HSA_EVENTTYPE_MEMORY);
  EXPECT_TRUE(Events.raiseMemoryFault(1, 0xabc000));
  ASSERT_EQ(Events.wait(Event, true, 0), HSAKMT_STATUS_SUCCESS);
  // The thunk's structures are packed: take values, not references.
  const HsaMemoryAccessFault &Fault =
      Event->EventData.EventData.MemoryAccessFault;
  EXPECT_EQ(uint64_t(Fault.VirtualAddress), 0xabc000u);
  EXPECT_EQ(Fault.NodeId, 1u);
  EXPECT_EQ(Fault.Flags, HSA_EVENTID_MEMORY_FATAL_PROCESS);
}

TEST_F(EventTableTest, IdsAreReusedAndRunOut) {
  for (unsigned Round = 0; Round < 3; ++Round) {
    std::vector<HsaEvent *> All;
    while (HsaEvent *Event = create())
      All.push_back(Event);
    EXPECT_EQ(All.size(), 4095u);
    for (HsaEvent *Event : All)
      EXPECT_TRUE(Events.destroy(Event));
  }
}

} // namespace
} // namespace luthier::emulator
