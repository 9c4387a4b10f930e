// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/Linker.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "luthier/Refusal.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

// NOLINTBEGIN(readability-identifier-naming)
namespace llvm {
void InitializeAllTargets();
void InitializeAllTargetMCs();
void InitializeAllAsmPrinters();
void InitializeAllAsmParsers();
} // namespace llvm

using namespace llvm;
using namespace luthier;

/// lld calls this before each link, and gets this one instead of LLVM's: the
/// options belong to the program, which may use the same LLVM.
void llvm::cl::ResetAllOptionOccurrences() {}

/// Nor does lld get to register the code generators of all targets for its
/// first link: what it links here is machine code. These take the place of
/// inline functions of LLVM's Support/TargetSelect.h.
void llvm::InitializeAllTargets() {}
void llvm::InitializeAllTargetMCs() {}
void llvm::InitializeAllAsmPrinters() {}
void llvm::InitializeAllAsmParsers() {}
// NOLINTEND(readability-identifier-naming)

namespace {

Error failed(const Twine &What) {
  return refuse(RefusalReason::LinkFailed, What);
}

Error failedWithErrno(const Twine &What) {
  return failed(What + ": " + std::strerror(errno));
}

/// A descriptor and the name under which lld can open it: no directory needs to
/// be writable, and nothing is left behind.
class Descriptor {
public:
  explicit Descriptor(int FD = -1) : FD(FD) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;
  ~Descriptor() { reset(); }

  void reset(int NewFD = -1) {
    if (FD >= 0)
      close(FD);
    FD = NewFD;
  }
  int get() const { return FD; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(FD); }

private:
  int FD;
};

Error writeAll(int FD, ArrayRef<uint8_t> Bytes) {
  while (!Bytes.empty()) {
    const ssize_t Written = write(FD, Bytes.data(), Bytes.size());
    if (Written < 0 && errno != EINTR)
      return failedWithErrno("cannot write the linker's input");
    Bytes = Bytes.drop_front(std::max<ssize_t>(Written, 0));
  }
  return Error::success();
}

/// Collects what lld writes. A pipe, because for anything it can rename lld
/// makes a temporary file, and for that LLVM takes over the program's signal
/// handlers.
class OutputPipe {
public:
  ~OutputPipe() { finish(); }

  Error open() {
    int Ends[2];
    if (pipe2(Ends, O_CLOEXEC | O_NONBLOCK))
      return failedWithErrno("cannot make a pipe for the linker's output");
    ReadEnd.reset(Ends[0]);
    WriteEnd.reset(Ends[1]);
    // Closing our end does not tell the reader that all is written: if the
    // program forked meanwhile, the child holds another.
    Complete.reset(eventfd(0, EFD_CLOEXEC));
    if (Complete.get() < 0)
      return failedWithErrno("cannot make an event for the linker's output");
    Reader = std::thread([this] { drain(); });
    return Error::success();
  }
  std::string path() const { return WriteEnd.path(); }

  /// Everything that was written until now.
  std::vector<uint8_t> finish() {
    if (Reader.joinable()) {
      eventfd_write(Complete.get(), 1);
      Reader.join();
    }
    // Kept for as long as the kernel is.
    Bytes.shrink_to_fit();
    return std::move(Bytes);
  }

private:
  void drain() {
    pollfd Waits[] = {{Complete.get(), POLLIN, 0}, {ReadEnd.get(), POLLIN, 0}};
    do {
      poll(Waits, std::size(Waits), /*timeout=*/-1);
      readAvailable();
    } while (!Waits[0].revents);
  }

  void readAvailable() {
    uint8_t Buffer[1 << 14];
    for (ssize_t Count;
         (Count = read(ReadEnd.get(), Buffer, sizeof(Buffer))) > 0;)
      Bytes.insert(Bytes.end(), Buffer, Buffer + Count);
  }

  Descriptor ReadEnd, WriteEnd, Complete;
  std::vector<uint8_t> Bytes;
  std::thread Reader;
};

} // namespace

Expected<std::vector<uint8_t>>
luthier::linkSharedObject(ArrayRef<uint8_t> Object) {
  Descriptor Input(memfd_create("luthier-object", MFD_CLOEXEC));
  if (Input.get() < 0)
    return failedWithErrno("cannot make the linker's input");
  if (Error E = writeAll(Input.get(), Object))
    return E;
  OutputPipe Output;
  if (Error E = Output.open())
    return E;

  const std::string InputPath = Input.path(), OutputPath = Output.path();
  const char *Arguments[] = {
      "ld.lld", "-shared", "--build-id=none", "-z", "norelro",
      // In the thread that called: the program's own threads are its business.
      "--threads=1", "-o", OutputPath.c_str(), InputPath.c_str()};

  std::string Messages;
  raw_string_ostream Stream(Messages);
  static std::mutex OneLinkAtATime;
  std::lock_guard Lock(OneLinkAtATime);
  // Another setting that is not lld's alone.
  const ThreadPoolStrategy Threads = parallel::strategy;
  const bool Linked = lld::elf::link(Arguments, Stream, Stream,
                                     /*exitEarly=*/false,
                                     /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  parallel::strategy = Threads;
  if (!Linked)
    return failed(StringRef(Messages).trim());
  return Output.finish();
}
