// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that run unchanged, and why.
#include "runtime/Refusals.h"
#include "luthier/Refusal.h"
#include "luthier/Tool.h"
#include "runtime/Log.h"
#include "runtime/Verification.h"
#include <mutex>
#include <set>
#include <utility>

using namespace llvm;

namespace luthier {
namespace {

struct RefusalLog {
  std::mutex Lock;
  std::set<std::pair<std::string, std::string>> Seen;
  std::vector<RefusedKernel> InOrder;
};

RefusalLog &refusalLog() {
  static auto *Log = new RefusalLog;
  return *Log;
}

void report(StringRef Kernel, StringRef Reason, StringRef Detail) {
  RefusalLog &Log = refusalLog();
  {
    std::lock_guard Guard(Log.Lock);
    if (!Log.Seen.emplace(Kernel, Reason).second)
      return;
    Log.InOrder.push_back({Kernel.str(), Reason.str()});
  }
  runtime::noteUnchangedKernel(Kernel, (Reason + ": " + Detail).str());
  runtime::logWarning("kernel " + Kernel + " runs unchanged: " + Reason + ": " +
                      Detail);
}

/// It does not run unchanged, so it is none of refusals().
/// Sizes in its text may differ from launch to launch, \p Reason does not.
void reportOtherTool(StringRef Kernel, StringRef Reason,
                     const ErrorInfoBase &E) {
  RefusalLog &Log = refusalLog();
  std::lock_guard Guard(Log.Lock);
  if (Log.Seen.emplace(Kernel, ("beside others: " + Reason).str()).second)
    runtime::logWarning(
        "kernel " + Kernel +
        " runs without the hooks of one of the tools: " + E.message());
}

} // namespace

char runtime::HasOtherTool::ID;
char runtime::RefusedBesideOthers::ID;

static constexpr char BesideOthers[] =
    "they cannot stand beside those of others: ";

void runtime::HasOtherTool::log(raw_ostream &OS) const {
  OS << BesideOthers << Why;
}

void runtime::RefusedBesideOthers::log(raw_ostream &OS) const {
  OS << BesideOthers;
  Refusal::log(OS);
}

std::error_code runtime::HasOtherTool::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

Error runtime::besideOthers(Error E) {
  return handleErrors(
      std::move(E),
      [](const Refusal &R) -> Error {
        return make_error<RefusedBesideOthers>(R.reason(), R.detail());
      },
      [](const ErrorInfoBase &Other) -> Error {
        return make_error<HasOtherTool>(Other.message());
      });
}

void runtime::reportLostHooks(StringRef Kernel, StringRef Tool) {
  RefusalLog &Log = refusalLog();
  std::lock_guard Guard(Log.Lock);
  if (Log.Seen.emplace(Kernel, ("lost: " + Tool).str()).second)
    logWarning("a launch of kernel " + Kernel + " runs without the hooks of " +
               Tool +
               ", whose module was unloaded before the other tools had added "
               "theirs");
}

void runtime::reportRefusal(StringRef Kernel, Error E) {
  handleAllErrors(
      std::move(E),
      [&](const RefusedBesideOthers &E) {
        reportOtherTool(Kernel, toString(E.reason()), E);
      },
      [&](const Refusal &R) {
        report(Kernel, toString(R.reason()), R.detail());
      },
      [&](const HasOtherTool &E) { reportOtherTool(Kernel, E.message(), E); },
      [&](const ErrorInfoBase &Other) {
        // A tool's own error, or a fault of ours.
        report(Kernel, "error", Other.message());
      });
}

void reportRefusal(const hsa::LoadedCodeObjectKernel &Kernel, Error E) {
  runtime::reportRefusal(Kernel.name(), std::move(E));
}

std::vector<RefusedKernel> refusals() {
  RefusalLog &Log = refusalLog();
  std::lock_guard Guard(Log.Lock);
  return Log.InOrder;
}

} // namespace luthier
