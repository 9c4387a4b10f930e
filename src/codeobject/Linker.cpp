// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "codeobject/Linker.h"
#include "lld/Common/CommonLinkerContext.h"
#include "lld/Common/Driver.h"
#include "luthier/Refusal.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileOutputBuffer.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <mutex>
#include <sys/mman.h>
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

/// What lld is linking, while it does so. One link runs at a time.
static std::vector<uint8_t> *LinkedBytes = nullptr;

namespace {

/// lld writes what it links into these bytes, and into no file.
class OutputInMemory : public FileOutputBuffer {
public:
  explicit OutputInMemory(size_t Size) : FileOutputBuffer(""), Bytes(Size) {}
  uint8_t *getBufferStart() const override { return Bytes.data(); }
  uint8_t *getBufferEnd() const override { return Bytes.data() + Bytes.size(); }
  size_t getBufferSize() const override { return Bytes.size(); }
  Error commit() override {
    *LinkedBytes = std::move(Bytes);
    return Error::success();
  }

private:
  mutable std::vector<uint8_t> Bytes;
};

} // namespace

/// lld asks for its output here, and gets this one instead of LLVM's, which
/// makes a temporary file: no folder needs to be writable, and LLVM does not
/// take over the program's signal handlers to remove such a file.
Expected<std::unique_ptr<FileOutputBuffer>>
FileOutputBuffer::create(StringRef, size_t Size, unsigned) {
  if (!LinkedBytes)
    return createStringError("nothing is being linked");
  return std::make_unique<OutputInMemory>(Size);
}

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

/// A file in memory, and the name under which lld can open it.
class InputInMemory {
public:
  InputInMemory() = default;
  InputInMemory(const InputInMemory &) = delete;
  InputInMemory &operator=(const InputInMemory &) = delete;
  ~InputInMemory() {
    if (FD >= 0)
      close(FD);
  }

  Error write(ArrayRef<uint8_t> Bytes) {
    FD = memfd_create("luthier-object", MFD_CLOEXEC);
    if (FD < 0)
      return failedWithErrno("cannot make the linker's input");
    while (!Bytes.empty()) {
      const ssize_t Written = ::write(FD, Bytes.data(), Bytes.size());
      if (Written < 0 && errno != EINTR)
        return failedWithErrno("cannot write the linker's input");
      Bytes = Bytes.drop_front(std::max<ssize_t>(Written, 0));
    }
    return Error::success();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(FD); }

private:
  int FD = -1;
};

} // namespace

Expected<std::vector<uint8_t>>
luthier::linkSharedObject(ArrayRef<uint8_t> Object) {
  InputInMemory Input;
  if (Error E = Input.write(Object))
    return E;
  const std::string InputPath = Input.path();
  const char *Arguments[] = {
      "ld.lld", "-shared", "--build-id=none", "-z", "norelro",
      // In the thread that called: the program's own threads are its business.
      "--threads=1",
      // No file gets what is linked.
      "-o", "/dev/null", InputPath.c_str()};

  std::string Messages;
  raw_string_ostream Stream(Messages);
  static std::mutex OneLinkAtATime;
  std::lock_guard Lock(OneLinkAtATime);
  std::vector<uint8_t> Result;
  LinkedBytes = &Result;
  // Another setting that is not lld's alone.
  const ThreadPoolStrategy Threads = parallel::strategy;
  const bool Linked = lld::elf::link(Arguments, Stream, Stream,
                                     /*exitEarly=*/false,
                                     /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  LinkedBytes = nullptr;
  parallel::strategy = Threads;
  if (!Linked)
    return failed(StringRef(Messages).trim());
  if (Result.empty())
    return failed("lld has linked into a file");
  return Result;
}
