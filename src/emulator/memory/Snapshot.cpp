// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/memory/Snapshot.h"
#include "emulator/memory/ProcessPages.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace luthier::emulator {

namespace {

/// Calls \p Use with the begin and the end of each longest run of pages of
/// [\p Begin, \p End) for whose addresses \p Is gives one answer, and with it.
template <typename Predicate, typename Function>
void forEachRun(uint64_t Begin, uint64_t End, Predicate Is, Function Use) {
  for (uint64_t At = Begin; At < End;) {
    const uint64_t From = At;
    const bool Answer = Is(At);
    do
      At = (At / PageBytes + 1) * PageBytes;
    while (At < End && Is(At) == Answer);
    Use(From, std::min(At, End), Answer);
  }
}

} // namespace

/// The bytes of one moment, each at its device address in a file in memory.
class Snapshot::Moment {
public:
  Moment()
      : File(memfd_create("luthier-snapshot", MFD_CLOEXEC)), Process(getpid()) {
    if (File >= 0 && fstat(File, &Identity) != 0)
      File = -1;
  }
  ~Moment() {
    if (isThere())
      close(File);
  }
  Moment(const Moment &) = delete;
  Moment &operator=(const Moment &) = delete;

  /// A forked process has the same file.
  bool isOwn() const { return Process == getpid() && isThere(); }

  /// Functions that change it return false if there is no memory for that.
  bool resize(uint64_t Size) const {
    // Beyond what a file may have (ulimit -f), a signal would end the program.
    rlimit Limit;
    return File >= 0 && getrlimit(RLIMIT_FSIZE, &Limit) == 0 &&
           Size <= Limit.rlim_cur && ftruncate(File, off_t(Size)) == 0;
  }

  bool clear(uint64_t Begin, uint64_t End) const {
    return Begin == End ||
           fallocate(File, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                     off_t(Begin), off_t(End - Begin)) == 0;
  }

  /// From the host's address \p From, by the kernel, so that what the host has
  /// taken away is no fault but zero.
  bool copy(uint64_t At, uint64_t End, uint64_t From) const {
    while (At != End) {
      const ssize_t Copied = pwrite(File, reinterpret_cast<const void *>(From),
                                    End - At, off_t(At));
      uint64_t Step = Copied > 0 ? uint64_t(Copied) : 0;
      if (Copied < 0 && errno == EFAULT) {
        Step = std::min(End - At, PageBytes - From % PageBytes);
        if (!clear(At, At + Step))
          return false;
      } else if (Copied < 0 && errno != EINTR) {
        return false;
      }
      At += Step, From += Step;
    }
    return true;
  }

  void *mapPrivately(uint64_t Begin, uint64_t Size) const {
    return mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_NORESERVE, File, off_t(Begin));
  }

private:
  /// The application may have closed all that it does not know, and have got
  /// the number for a file of its own.
  bool isThere() const {
    struct stat Now;
    return File >= 0 && fstat(File, &Now) == 0 &&
           Now.st_dev == Identity.st_dev && Now.st_ino == Identity.st_ino;
  }

  int File;
  pid_t Process;
  struct stat Identity = {};
};

Snapshot::~Snapshot() {
  for (const Piece &P : Pieces)
    munmap(P.Pages, P.PagesSize);
}

bool Snapshot::add(uint64_t Begin, uint64_t Size) {
  const uint64_t Before = Begin % PageBytes;
  void *Pages = Copied->mapPrivately(Begin - Before, Before + Size);
  if (Pages == MAP_FAILED)
    return false;
  auto *First = static_cast<uint8_t *>(Pages);
  Pieces.push_back({Begin, Size, First, Before + Size});
  return Space.mapAt(Begin, Size, First + Before);
}

std::unique_ptr<Snapshot> Snapshot::create(const AddressSpace &From,
                                           Storage &In) {
  const bool IsFree = In.Last && In.Last.use_count() == 1 && In.Last->isOwn();
  if (!IsFree)
    In.Last = std::make_shared<const Moment>();
  const Moment &M = *In.Last;
  const std::vector<AddressSpace::Range> Ranges = From.ranges();
  if (!M.resize(Ranges.empty() ? 0 : Ranges.back().End))
    return nullptr;
  std::unique_ptr<Snapshot> New(new Snapshot(In.Last));
  PageMap Pages;
  const FileMappings Files;
  uint64_t End = 0;
  for (const AddressSpace::Range &Range : Ranges) {
    bool Done = M.clear(End, Range.Begin);
    End = Range.End;
    // What the application registered may be anything.
    const bool IsRegistered = Range.ToHost != 0;
    forEachRun(
        Range.Begin + Range.ToHost, Range.End + Range.ToHost,
        [&](uint64_t Host) {
          return IsRegistered || Files.contain(Host) || Pages.isWritten(Host);
        },
        [&](uint64_t Host, uint64_t HostEnd, bool Written) {
          const uint64_t RunBegin = Host - Range.ToHost;
          const uint64_t RunEnd = HostEnd - Range.ToHost;
          Done &= Written ? M.copy(RunBegin, RunEnd, Host)
                          : M.clear(RunBegin, RunEnd);
        });
    if (!Done || !New->add(Range.Begin, Range.End - Range.Begin))
      return nullptr;
  }
  return New;
}

std::unique_ptr<Snapshot> Snapshot::again() const {
  std::unique_ptr<Snapshot> New(new Snapshot(Copied));
  for (const Piece &P : Pieces)
    if (!New->add(P.Begin, P.Size))
      return nullptr;
  return New;
}

bool Snapshot::write(uint64_t Address, const void *From, uint64_t Size) {
  void *To = Space.pointer(Address, Size);
  if (To)
    std::memcpy(To, From, Size);
  return To;
}

std::vector<Snapshot::Extent> Snapshot::written() const {
  std::vector<Extent> Found;
  PageMap Map;
  for (const Piece &P : Pieces) {
    const uint64_t Host =
        reinterpret_cast<uint64_t>(P.Pages) + P.PagesSize - P.Size;
    forEachRun(
        Host, Host + P.Size, [&](uint64_t At) { return Map.isOwn(At); },
        [&](uint64_t Begin, uint64_t End, bool Own) {
          if (Own)
            Found.push_back({P.Begin + (Begin - Host), P.Begin + (End - Host)});
        });
  }
  return Found;
}

} // namespace luthier::emulator
