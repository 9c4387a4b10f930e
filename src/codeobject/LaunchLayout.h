// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a wave finds its launch state in scalar registers. Hardware lays the
// values out one after the other, in a fixed order, as far as the descriptor
// asks for them: asking for one more moves those behind it.
#ifndef LUTHIER_CODEOBJECT_LAUNCHLAYOUT_H
#define LUTHIER_CODEOBJECT_LAUNCHLAYOUT_H

#include "amdgpu/TargetTraits.h"
#include "codeobject/KernelDescriptor.h"
#include "llvm/ADT/StringRef.h"
#include <array>
#include <optional>

namespace luthier {

/// In the order of their registers.
enum class LaunchValue : uint8_t {
  PrivateSegmentBuffer,
  DispatchPtr,
  QueuePtr,
  KernargPtr,
  DispatchId,
  FlatScratchInit,
  PrivateSegmentSize,
  WorkgroupIdX, ///< From here on behind all user registers.
  WorkgroupIdY,
  WorkgroupIdZ,
  WorkgroupInfo,
  WaveOffset, ///< Of the wave's scratch.
};
inline constexpr unsigned NumLaunchValues = 12;
unsigned dwordsOf(LaunchValue Value);

/// Whether the count of user registers has room for all that \p Descriptor asks
/// for, with its preloaded arguments if there are any, and hardware has that
/// many.
bool hasPossibleUserSGPRs(const KernelDescriptor &Descriptor,
                          bool PreloadsArguments);
/// Whether \p Descriptor asks for \p Value; where no register would hold it,
/// never.
bool isEnabled(const KernelDescriptor &Descriptor, LaunchValue Value,
               const LaunchTraits &Traits);
/// Asks for \p Value, and makes the count of user registers fit.
void enable(KernelDescriptor &Descriptor, LaunchValue Value,
            const LaunchTraits &Traits);
/// Makes hardware leave the registers for preloaded arguments alone; what comes
/// behind stays where it is.
void disablePreload(KernelDescriptor &Descriptor);

class LaunchLayout {
public:
  LaunchLayout(const KernelDescriptor &Descriptor, const LaunchTraits &Traits);

  /// First SGPR of a value; nothing if the descriptor does not ask for it.
  std::optional<unsigned> at(LaunchValue Value) const {
    return First[unsigned(Value)];
  }
  /// First SGPR of preloaded arguments, if there are any.
  unsigned preloaded() const { return Preloaded; }
  /// One past the last register.
  unsigned end() const { return End; }

private:
  std::array<std::optional<unsigned>, NumLaunchValues> First;
  unsigned Preloaded = 0, End = 0;
};

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_LAUNCHLAYOUT_H
