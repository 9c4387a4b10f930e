// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/SmiEvents.h"

#include "gtest/gtest.h"
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <linux/kfd_ioctl.h>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace luthier::emulator {
namespace {

constexpr uint64_t VMFault =
    KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_VMFAULT);

/// One who listens, as ROCm's libraries do.
class Listener {
public:
  Listener(SmiEvents &Events, uint32_t GpuId) : Fd(Events.listen(GpuId)) {}
  ~Listener() { leave(); }
  void leave() {
    if (Fd >= 0)
      ::close(Fd);
    Fd = -1;
  }
  int fd() const { return Fd; }
  bool wants(uint64_t Mask) {
    return ::write(Fd, &Mask, sizeof(Mask)) == sizeof(Mask);
  }
  /// All that is there.
  std::string read() {
    char Buffer[4096];
    const ssize_t Size = ::read(Fd, Buffer, sizeof(Buffer));
    return Size < 0 ? std::string() : std::string(Buffer, size_t(Size));
  }
  bool hears() {
    pollfd Poll{Fd, POLLIN, 0};
    return ::poll(&Poll, 1, /*timeout=*/0) == 1 && Poll.revents & POLLIN;
  }

private:
  int Fd;
};

std::string memoryFaultOfThisProcess() {
  char Text[64];
  std::snprintf(Text, sizeof(Text), "1 %x:%.15s\n", unsigned(::getpid()),
                program_invocation_short_name);
  return Text;
}

TEST(SmiEventsTest, ListenersHearWhatTheyAskFor) {
  SmiEvents Events;
  Listener All(Events, 1), OfReset(Events, 1), OfOther(Events, 2),
      OfNothing(Events, 1);
  ASSERT_TRUE(All.wants(~uint64_t(0)));
  ASSERT_TRUE(OfReset.wants(VMFault));
  ASSERT_TRUE(OfReset.wants(
      KFD_SMI_EVENT_MASK_FROM_INDEX(KFD_SMI_EVENT_GPU_PRE_RESET)));
  ASSERT_TRUE(OfOther.wants(~uint64_t(0)));
  EXPECT_FALSE(All.hears());
  Events.reportMemoryFault(1);
  EXPECT_TRUE(All.hears());
  EXPECT_EQ(All.read(), memoryFaultOfThisProcess());
  EXPECT_FALSE(All.hears());
  EXPECT_FALSE(OfReset.hears()) << "the last mask counts";
  EXPECT_FALSE(OfOther.hears()) << "another GPU's";
  EXPECT_FALSE(OfNothing.hears());
}

TEST(SmiEventsTest, ReadingDoesNotWait) {
  SmiEvents Events;
  Listener L(Events, 1);
  EXPECT_EQ(L.read(), "");
  EXPECT_EQ(errno, EAGAIN);
}

TEST(SmiEventsTest, WhoDoesNotReadHoldsNobodyUp) {
  SmiEvents Events;
  Listener Silent(Events, 1), Reader(Events, 1);
  ASSERT_TRUE(Silent.wants(VMFault) && Reader.wants(VMFault));
  for (unsigned I = 0; I != 10000; ++I) {
    Events.reportMemoryFault(1);
    ASSERT_EQ(Reader.read(), memoryFaultOfThisProcess());
  }
  EXPECT_TRUE(Silent.hears());
}

auto openDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

TEST(SmiEventsTest, WhoHasLeftCostsNoDescriptor) {
  const auto Before = openDescriptors();
  SmiEvents Events;
  Listener L(Events, 1), OfNothing(Events, 2);
  ASSERT_TRUE(L.wants(VMFault));
  EXPECT_EQ(openDescriptors(), Before + 4);
  L.leave();
  OfNothing.leave();
  Events.reportMemoryFault(1);
  EXPECT_EQ(openDescriptors(), Before);
}

TEST(SmiEventsTest, ThoseWhoComeAndGoCostNoDescriptors) {
  const auto Before = openDescriptors();
  SmiEvents Events;
  for (unsigned I = 0; I != 10; ++I) {
    Listener L(Events, 1);
    ASSERT_TRUE(L.wants(VMFault));
    EXPECT_EQ(openDescriptors(), Before + 2);
  }
}

TEST(SmiEventsTest, OnlyTheCallersEndGoesOnIntoOtherPrograms) {
  SmiEvents Events;
  const Listener L(Events, 1);
  EXPECT_EQ(::fcntl(L.fd(), F_GETFD) & FD_CLOEXEC, 0);
  // Descriptors are given out in order, and the pair is the last one made.
  EXPECT_EQ(::fcntl(L.fd() + 1, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

} // namespace
} // namespace luthier::emulator
