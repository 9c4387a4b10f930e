// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which launches a tool looks at, as the user says it of all tools with
// `luthier run --kernel ...`: only what both let through is seen.
//
//   struct MyTool : luthier::Tool {
//     luthier::LaunchFilter Wanted = llvm::cantFail(
//         luthier::LaunchFilter::create({.Kernel = "^gemm", .Every = 10}));
//
//     void onDispatch(luthier::KernelDispatch &Dispatch) override {
//       if (Wanted.admits(Dispatch))
//         Tool::onDispatch(Dispatch);
//     }
//   };
//
// Of the workgroups of a launch, InstrumentationTask::onlyInWorkgroups()
// chooses.
#ifndef LUTHIER_LAUNCHFILTER_H
#define LUTHIER_LAUNCHFILTER_H

#include "luthier/Export.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace luthier {

class KernelDispatch;
namespace runtime {
class DispatchFilter;
}

/// Thread-safe.
class LUTHIER_API LaunchFilter {
public:
  /// Both ends belong to it.
  struct Range {
    uint64_t First, Last = First;
  };
  /// What is not set chooses all.
  struct Choice {
    /// A regular expression (POSIX extended) that matches somewhere in the
    /// kernel's mangled or demangled name.
    std::string Kernel = {};
    /// The GPU's number, from 0 on, in HIP's order.
    std::optional<unsigned> Device = std::nullopt;
    /// Numbers of the launches of each kernel that Kernel and Device choose,
    /// from 1 on.
    std::vector<Range> Launches = {};
    /// Of those that are left, for each kernel: the first, and then each
    /// Every-th.
    uint64_t Every = 1;
    /// Name of the program's file, without its folder.
    std::string Process = {};
  };

  /// Admits all launches.
  LaunchFilter();
  /// Fails if \p Kernel is no regular expression, Every is 0, a range is empty
  /// or begins before 1, or \p Process has a folder.
  static llvm::Expected<LaunchFilter> create(Choice Wanted);
  ~LaunchFilter();
  LaunchFilter(LaunchFilter &&) noexcept;
  LaunchFilter &operator=(LaunchFilter &&) noexcept;

  /// Whether it is wanted. Counts it: once for each launch, from
  /// Tool::onDispatch().
  bool admits(const KernelDispatch &Dispatch);

private:
  explicit LaunchFilter(std::unique_ptr<runtime::DispatchFilter> Counting);

  std::unique_ptr<runtime::DispatchFilter> P; ///< Null for all.
};

} // namespace luthier

#endif // LUTHIER_LAUNCHFILTER_H
