// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Turns a request into a dispatch: arguments, packet, queue and scratch in
// device memory.
#ifndef LUTHIER_EMULATOR_API_LAUNCH_H
#define LUTHIER_EMULATOR_API_LAUNCH_H

#include "emulator/api/Device.h"
#include "emulator/api/LoadedCode.h"
#include "emulator/exec/Workgroup.h"

namespace luthier::emulator::api {

struct LaunchRequest {
  std::array<uint32_t, 3> Grid{1, 1, 1};
  std::array<uint32_t, 3> Workgroup{1, 1, 1};
  llvm::ArrayRef<uint8_t> Kernarg;
  uint32_t DynamicLds = 0;
  /// 0 for what the descriptor says.
  uint32_t PrivateSegmentSize = 0;
  /// Scratch memory is made as if work-items had at least so much.
  uint32_t MinScratch = 0;
};

struct RawLaunchRequest {
  uint64_t EntryAddress = 0;
  std::array<uint32_t, 3> Grid{1, 1, 1};
  std::array<uint32_t, 3> Workgroup{1, 1, 1};
  unsigned WaveSize = 64;
  uint32_t Vgprs = 0, Agprs = 0, Sgprs = 0;
  llvm::ArrayRef<uint32_t> UserSgprs;
  unsigned WorkgroupIds = 0;
  unsigned WorkItemAxes = 1;
  uint32_t LdsSize = 0, ScratchSize = 0;
  uint32_t MinScratch = 0;
  uint32_t Mode = 0;
};

/// Owns what a dispatch needs in device memory.
class Launch {
public:
  explicit Launch(Device &Dev) : Dev(Dev) {}
  ~Launch();
  Launch(const Launch &) = delete;

  /// False with a reason if the hardware would refuse it, or memory is short.
  bool prepare(const LoadedKernel &K, const LaunchRequest &R,
               std::string &Error);
  bool prepare(const RawLaunchRequest &R, std::string &Error);

  const Dispatch &dispatch() const { return D; }
  const LaunchPlan &plan() const { return Plan; }
  LaunchPlan &plan() { return Plan; }
  /// Memory that belongs to the launch rather than to the program.
  struct Extent {
    uint64_t Begin, End;
  };
  std::vector<Extent> ownMemory() const;
  /// Whether the dispatch alone says everything: no explicit user registers.
  bool isPlain() const { return Plain; }

private:
  uint64_t allocate(uint64_t Size, std::string &Error);
  bool makeKernarg(const LoadedKernel &K, const LaunchRequest &R,
                   std::string &Error);
  bool makePacket(const LoadedKernel &K, std::string &Error);
  bool makeScratch(uint32_t MinSize, std::string &Error);
  bool initPlan(std::string &Error);

  Device &Dev;
  Dispatch D;
  LaunchPlan Plan;
  bool Plain = true;
  std::vector<uint64_t> Owned;
};

} // namespace luthier::emulator::api

#endif // LUTHIER_EMULATOR_API_LAUNCH_H
