// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges instrumented dispatches: before one runs, its original and it run in
// lockstep on copies of the device's memory. What comes out goes to a report;
// the dispatch itself then runs as it would have.
//
// The report is a text file to which each process appends lines of fields
// separated by tabs: what (below), the kernel, and
//   verified   original instructions compared, instructions inserted
//   differs    the first difference
//   noted      where what the instrumented version does depends on registers
//              that nobody wrote, and that the original reads itself
//   unjudged   why there was no comparison, or no complete one
//   unchanged  why a tool left the kernel alone; empty if it did not say
#ifndef LUTHIER_EMULATOR_VERIFY_VERIFIER_H
#define LUTHIER_EMULATOR_VERIFY_VERIFIER_H

#include "emulator/cp/DispatchJudge.h"
#include "emulator/exec/CodeCache.h"
#include "emulator/lockstep/Lockstep.h"
#include "emulator/memory/Snapshot.h"
#include "emulator/verify/RedirectedPackets.h"
#include "luthier/detail/EmulatorVerify.h"
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace luthier::emulator {

/// Thread-safe; judges one dispatch at a time.
class Verifier final : public DispatchJudge {
public:
  struct Settings {
    std::string ReportPath;
    uint64_t Seed = 0;
    strict::Options Strict;
    /// For the comparison of one dispatch; 0 for ever.
    uint64_t TimeoutNanoseconds = 0;
  };
  explicit Verifier(Settings S) : S(std::move(S)) {}

  // What luthier/detail/EmulatorVerify.h says of each.
  void addKernel(const luthier_verify_kernel &K);
  void removeKernel(uint64_t Instrumented);
  void addOwnMemory(uint64_t Begin, uint64_t End);
  void removeOwnMemory(uint64_t Begin);
  void redirected(const hsa_kernel_dispatch_packet_t &Original,
                  const hsa_kernel_dispatch_packet_t &Submitted);
  void noteUnchanged(const std::string &Kernel, const std::string &Reason);

  void judge(const hsa_kernel_dispatch_packet_t &Packet, const Dispatch &Work,
             const DeviceModel &Model, AddressSpace &Memory) override;

private:
  struct Kernel {
    uint64_t Original = 0;
    std::map<uint64_t, uint64_t> ToOriginal;
    uint64_t InPlaceBegin = 0, InPlaceEnd = 0;
    std::multimap<uint64_t, std::string> Hooks; ///< By the original's PC.
  };
  struct Judged;
  struct Pair;
  struct Attempt;

  lockstep::Options optionsFor(const Kernel &K, const Dispatch &New) const;
  static std::string hooksNear(const Kernel &K, const lockstep::Difference &D);
  bool copy(Pair &P, const Judged &J);
  /// From the beginning, on copies of the memory as it is.
  Attempt compareOnce(const Judged &J, const lockstep::Options &O);
  std::optional<std::string> compare(const Judged &J);
  CodeCache *codeOf(const DeviceModel &Model, unsigned WaveSize,
                    AddressSpace &Memory, std::string &Error);
  void report(const char *What, const std::string &Kernel,
              const std::string &Text);

  struct Code {
    std::unique_ptr<CodeCache> Cache;
    uint64_t Generation = 0;
  };

  const Settings S;
  std::mutex Mutex;
  std::map<uint64_t, std::shared_ptr<const Kernel>>
      Kernels; ///< By instrumented kernel object.
  std::vector<lockstep::Options::Extent> OwnMemory;
  RedirectedPackets Redirected;
  std::set<std::pair<std::string, std::string>> Unchanged;

  std::mutex JudgeMutex;
  Snapshot::Storage Copies;
  std::map<std::pair<AddressSpace *, unsigned>, Code> Codes;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_VERIFY_VERIFIER_H
