// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The channels that tools have opened (luthier/Channel.h): their rings on each
// device, and the threads that consume.
#ifndef LUTHIER_RUNTIME_CHANNELS_H
#define LUTHIER_RUNTIME_CHANNELS_H

#include "luthier/Channel.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Error.h"
#include <hsa/hsa.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace luthier::runtime {

class OwnExecutable;

/// Thread-safe.
class Channels {
public:
  using Pointer = std::shared_ptr<detail::OpenChannel>;

  using WhenLoaded = std::function<void(const OwnExecutable &, hsa_agent_t)>;

  /// \p Variable is the host's address of the tool's variable, or another one
  /// that stands for it, and \p Owner what messages call it. \p Loaded is told
  /// of the code that the variable is in.
  llvm::Expected<Pointer> open(const void *Variable, const std::string &Owner,
                               uint32_t LargestRecord,
                               detail::RawConsumer Consume,
                               const ChannelOptions &Options,
                               WhenLoaded Loaded = {});
  /// The variable is gone, from all devices.
  void close(const void *Variable);

  /// \p Variable has come to be at \p Address on \p Agent, as a part of
  /// \p Code. If it is an open channel, it gets a ring there.
  llvm::Error loaded(const void *Variable, const OwnExecutable &Code,
                     hsa_agent_t Agent, uint64_t Address);

  /// Until all that devices have pushed before has been consumed.
  void flush();
  /// The same for what there is in the end, with blocks that were never
  /// finished left out; nothing is consumed behind it.
  void finish();
  /// Whether no tool has ever opened one.
  bool empty();
  /// A queue of \p Agent has stopped, perhaps with waves that were pushing.
  void expectKilledWaves(hsa_agent_t Agent);
  /// The GPU runtime ends: its memory is gone.
  void unloaded();

private:
  struct Known {
    const void *Variable; ///< Null once it is closed.
    Pointer Channel;
    WhenLoaded Loaded;
  };
  std::vector<Pointer> all();

  std::mutex Lock;
  std::vector<Known> Open;
  llvm::DenseSet<const void *> Seen; ///< Variables that were loaded.
};

/// Lives until the process is gone.
Channels &channels();

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_CHANNELS_H
