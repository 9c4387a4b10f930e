// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the program's processes: a tool that changes no kernel, but reads the
// counters of code that was compiled to count, when it is unloaded and when the
// process ends.
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include "pgo/CollectFolder.h"
#include "pgo/CounterSections.h"
#include "pgo/RawProfile.h"
#include "llvm/ADT/StringExtras.h"
#include <atomic>
#include <cstdlib>
#include <errno.h>
#include <map>
#include <mutex>
#include <unistd.h>

using namespace llvm;
using luthier::hsa::LoadedCodeObject;

namespace luthier::pgo {
namespace {

class Collector : public Tool {
public:
  void onDispatch(KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    if (isCounted(Dispatch.Packet.kernel_object))
      ++Running;
    else
      Dispatch.SkipCompletion = true;
  }

  /// The end of the process waits for those that are to come here.
  void onComplete(const KernelDispatch &) override {
    std::lock_guard Guard(Lock);
    --Running;
  }

  void onCodeObjectLoaded(const LoadedCodeObject &Object) override {
    auto Sections = findCounterSections(Object.bytes());
    std::lock_guard Guard(Lock);
    if (!Sections)
      return fail(Sections.takeError());
    if (!*Sections)
      return;
    if (Objects.empty() && Note.Process == 0) {
      Note.Process = ::getpid();
      Note.Program = ::program_invocation_short_name;
      if (Error E = Folder.writeNote(Note))
        fail(std::move(E));
    }
    Objects.emplace(Object.address(), Counted{Object, **Sections});
  }

  void onCodeObjectUnloaded(const LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    if (auto Node = Objects.extract(Object.address()))
      fetch(Node.mapped());
  }

  void onExit() override {
    // Whoever holds the lock may be the thread that stands still.
    std::unique_lock Guard(Lock, std::try_to_lock);
    if (!Guard)
      return;
    for (const auto &[Address, Object] : Objects)
      fetch(Object);
    Objects.clear();
    if (Note.Process == 0 && Note.Failed.empty())
      return;
    Note.Process = ::getpid();
    Note.Ended = howProcessEnds();
    Note.Unfinished = Running;
    if (Error E = Folder.writeNote(Note))
      printReport("luthier pgo: " + toString(std::move(E)) + "\n");
  }

private:
  struct Counted {
    LoadedCodeObject Object;
    CounterSections Sections;
  };

  bool isCounted(uint64_t KernelObject) const {
    auto It = Objects.upper_bound(KernelObject);
    if (It == Objects.begin())
      return false;
    const LoadedCodeObject &Object = std::prev(It)->second.Object;
    return KernelObject - Object.address() < Object.size();
  }

  void fetch(const Counted &From) {
    const auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
      return From.Object.read(Address, To);
    };
    auto Profile = makeRawProfile(From.Sections, Read);
    if (!Profile)
      return fail(Profile.takeError());
    if (Error E = Folder.writeProfile(From.Sections.Processor, *Profile))
      fail(std::move(E));
  }

  /// The first one counts.
  void fail(Error E) {
    std::string Text = toString(std::move(E));
    std::replace(Text.begin(), Text.end(), '\n', ' ');
    if (Note.Failed.empty())
      Note.Failed = std::move(Text);
  }

  static std::string folder() {
    const char *Path = std::getenv(CollectFolderVariable);
    return Path ? Path : ".";
  }

  std::mutex Lock;
  CollectFolder Folder{folder()};
  ProcessNote Note;
  uint64_t Running = 0;                ///< Launches of counted code.
  std::map<uint64_t, Counted> Objects; ///< By address on the device.
};

} // namespace
} // namespace luthier::pgo

LUTHIER_TOOL(luthier::pgo::Collector)
