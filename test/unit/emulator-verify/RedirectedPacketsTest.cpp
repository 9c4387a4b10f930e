// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whose packet it is that comes out of a queue.
#include "emulator/verify/RedirectedPackets.h"
#include "gtest/gtest.h"

namespace luthier::test {
namespace {

using emulator::RedirectedPackets;
using Packet = hsa_kernel_dispatch_packet_t;

Packet packet(uint64_t Kernel, uint64_t Arguments, uint64_t Signal = 0) {
  Packet P = {};
  P.kernel_object = Kernel;
  P.kernarg_address = reinterpret_cast<void *>(Arguments);
  P.completion_signal.handle = Signal;
  return P;
}
/// An original that can be told from others.
Packet original(uint32_t Number) {
  Packet P = {};
  P.grid_size_x = Number;
  return P;
}
uint32_t numberOf(const std::optional<Packet> &P) {
  return P ? P->grid_size_x : 0;
}

TEST(RedirectedPackets, AreKnownOnce) {
  RedirectedPackets All;
  All.note(original(1), packet(8, 16));
  EXPECT_FALSE(All.take(packet(9, 16)));
  EXPECT_EQ(numberOf(All.take(packet(8, 16))), 1u);
  EXPECT_FALSE(All.take(packet(8, 16)));
}

TEST(RedirectedPackets, OfOneKernelAreToldByArgumentsAndSignal) {
  RedirectedPackets All;
  All.note(original(1), packet(8, 16, 1));
  All.note(original(2), packet(8, 32, 1));
  All.note(original(3), packet(8, 32, 2));
  EXPECT_EQ(numberOf(All.take(packet(8, 32, 2))), 3u);
  EXPECT_EQ(numberOf(All.take(packet(8, 32, 1))), 2u);
  EXPECT_EQ(numberOf(All.take(packet(8, 16, 1))), 1u);
}

TEST(RedirectedPackets, ThatAreEqualComeInTheirOrder) {
  RedirectedPackets All;
  All.note(original(1), packet(8, 16));
  All.note(original(2), packet(8, 16));
  EXPECT_EQ(numberOf(All.take(packet(8, 16))), 1u);
  EXPECT_EQ(numberOf(All.take(packet(8, 16))), 2u);
}

/// Tools may write what they like into a packet after it was redirected, and
/// queues write the header.
TEST(RedirectedPackets, AreKnownThoughFieldsHaveChanged) {
  RedirectedPackets All;
  All.note(original(1), packet(8, 16));
  Packet Found = packet(8, 16);
  Found.reserved2 = 0x1234;
  Found.header = 0x1502;
  EXPECT_EQ(numberOf(All.take(Found)), 1u);
}

} // namespace
} // namespace luthier::test
