// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command processor needs from whatever it is plugged into: a
// driver, a test.
#ifndef LUTHIER_EMULATOR_CP_HOST_H
#define LUTHIER_EMULATOR_CP_HOST_H

#include <cstdint>

namespace luthier::emulator {

/// Called from queue threads and from the shader array's threads.
class Host {
public:
  virtual ~Host() = default;

  /// An end-of-packet interrupt for one event.
  virtual void raiseEvent(uint32_t EventId) = 0;

  /// Device code sent an interrupt; which events it means is only known from
  /// their mailboxes.
  virtual void raiseMailboxEvents() = 0;

  /// A dispatch ended in a fault at this address, 0 where no instruction is at
  /// fault; its message is out.
  virtual void explainFault(uint64_t /*PC*/) {}

  /// An error was reported, which may end the process without further notice.
  virtual void prepareForEnd() {}

  /// The device touched memory it has no mapping for. Nothing more runs on the
  /// queue that did.
  virtual void reportMemoryFault(uint64_t Address) = 0;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_CP_HOST_H
