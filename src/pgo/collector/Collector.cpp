// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the program's processes: a tool that changes no kernel, but reads the
// counters of code that was compiled to count: when it is unloaded, when the
// process ends, and in between, for a process that is killed. Of other code
// that a profile can be made of, it leaves a copy beside whatever counts it.
#include "luthier/Report.h"
#include "luthier/Tool.h"
#include "pgo/CollectFolder.h"
#include "pgo/CounterSections.h"
#include "pgo/Execution.h"
#include "pgo/Marks.h"
#include "pgo/RawProfile.h"
#include "llvm/ADT/StringExtras.h"
#include <chrono>
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
    const Counted *Of = find(Dispatch.Packet.kernel_object);
    if (!Of) {
      Dispatch.SkipCompletion = true;
      return;
    }
    ++Running;
    if (!Of->Sections)
      ++Note.Releases;
  }

  /// The end of the process waits for those that are to come here.
  void onComplete(const KernelDispatch &Dispatch) override {
    std::lock_guard Guard(Lock);
    --Running;
    Counted *Of = find(Dispatch.Packet.kernel_object);
    if (!Of || !Of->Sections || Clock::now() < Of->NotBefore)
      return;
    const Clock::time_point Begin = Clock::now();
    // What could not be read now may be read later: the last time counts.
    consumeError(fetch(*Of));
    const Clock::time_point End = Clock::now();
    Of->NotBefore = End + FetchRest * (End - Begin);
  }

  void onCodeObjectLoaded(const LoadedCodeObject &Object) override {
    auto Sections = findCounterSections(Object.bytes());
    std::lock_guard Guard(Lock);
    if (!Sections)
      return fail(Sections.takeError());
    if (!*Sections && !hasMarks(Object.bytes()))
      return;
    const std::string Digest = digestOf(Object.bytes());
    if (Error E = *Sections ? Folder.writeCounting(Digest)
                            : Folder.writeCode(Digest, Object.bytes()))
      fail(std::move(E));
    if (Objects.empty() && Note.Process == 0) {
      Note.Process = ::getpid();
      Note.Program = ::program_invocation_short_name;
      if (Error E = Folder.writeNote(Note))
        fail(std::move(E));
    }
    Objects.emplace(Object.address(), Counted(Object, std::move(*Sections)));
  }

  void onCodeObjectUnloaded(const LoadedCodeObject &Object) override {
    std::lock_guard Guard(Lock);
    if (auto Node = Objects.extract(Object.address()))
      if (Error E = fetch(Node.mapped()))
        fail(std::move(E));
  }

  void onExit() override {
    // Whoever holds the lock may be the thread that stands still.
    std::unique_lock Guard(Lock, std::try_to_lock);
    if (!Guard)
      return;
    for (auto &[Address, Object] : Objects)
      if (Error E = fetch(Object))
        fail(std::move(E));
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
  using Clock = std::chrono::steady_clock;
  /// A twentieth of the time may go to what is only for processes that are
  /// killed.
  static constexpr int FetchRest = 19;

  struct Counted {
    Counted(const LoadedCodeObject &Object,
            std::optional<CounterSections> Sections)
        : Object(Object), Sections(std::move(Sections)) {}
    LoadedCodeObject Object;
    std::optional<CounterSections> Sections; ///< None if others count it.
    std::string FileName;
    Clock::time_point NotBefore; ///< Of the next fetch before the end.
  };

  /// The code of which there is to be a profile that a kernel belongs to.
  Counted *find(uint64_t KernelObject) {
    auto It = Objects.upper_bound(KernelObject);
    if (It == Objects.begin())
      return nullptr;
    Counted &Found = std::prev(It)->second;
    const bool IsInside =
        KernelObject - Found.Object.address() < Found.Object.size();
    return IsInside ? &Found : nullptr;
  }

  Error fetch(Counted &From) {
    if (!From.Sections)
      return Error::success();
    const auto Read = [&](uint64_t Address, MutableArrayRef<uint8_t> To) {
      return From.Object.read(Address, To);
    };
    auto Profile = makeRawProfile(*From.Sections, Read);
    if (!Profile)
      return Profile.takeError();
    return Folder.writeProfile(From.Sections->Processor, *Profile,
                               From.FileName);
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
