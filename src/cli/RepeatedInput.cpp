// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/RepeatedInput.h"
#include "cli/RunProgram.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace luthier::cli {
namespace {

[[noreturn]] void fail(const char *What) {
  throw RunError(std::string("standard input for two runs: ") + What + ": " +
                 std::strerror(errno));
}

bool isStream(int File) {
  struct stat Its;
  return ::fstat(File, &Its) == 0 &&
         (S_ISFIFO(Its.st_mode) || S_ISSOCK(Its.st_mode));
}

} // namespace

RepeatedInput::RepeatedInput(const std::string &Keep) {
  Begin = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (!isStream(STDIN_FILENO))
    return;
  Source = ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (Source < 0)
    fail("dup");
  std::string Path = Keep + "/stdin-XXXXXX";
  Kept = ::mkostemp(Path.data(), O_CLOEXEC);
  if (Kept < 0)
    fail(Keep.c_str());
  ::unlink(Path.c_str());
  feed();
}

RepeatedInput::~RepeatedInput() {
  if (Source < 0)
    return;
  endFeeding();
  if (Failure)
    llvm::errs() << "luthier: the program has read standard input in part: "
                 << std::strerror(Failure) << '\n';
  ::dup2(Source, STDIN_FILENO);
  ::close(Source);
  ::close(Kept);
}

void RepeatedInput::rewind() {
  if (Source < 0) {
    if (Begin >= 0)
      ::lseek(STDIN_FILENO, Begin, SEEK_SET);
    return;
  }
  endFeeding();
  if (Failure) {
    errno = std::exchange(Failure, 0);
    fail("it cannot be kept");
  }
  feed();
}

void RepeatedInput::endFeeding() {
  if (!Feeder.joinable())
    return;         // Of an input that could not be kept.
  ::close(Stop[1]); // Which is seen at the other end.
  Feeder.join();
  ::close(Stop[0]);
}

/// False if the thread has to end.
bool RepeatedInput::waitFor(int File, short Events) const {
  pollfd Both[] = {{File, Events, 0}, {Stop[0], POLLIN, 0}};
  while (::poll(Both, 2, -1) < 0)
    if (errno != EINTR)
      return false;
  return !Both[1].revents;
}

ssize_t RepeatedInput::take(off_t Offset, void *To, size_t Size) const {
  if (const ssize_t Again = ::pread(Kept, To, Size, Offset))
    return Again;
  if (!waitFor(Source, POLLIN))
    return 0;
  const ssize_t Read = ::read(Source, To, Size);
  if (Read <= 0)
    return Read;
  const ssize_t Written = ::pwrite(Kept, To, Read, Offset);
  if (Written >= 0 && Written < Read)
    errno = ENOSPC;
  if (Written < Read)
    return -1;
  return Read;
}

void RepeatedInput::feed() {
  int Pipe[2];
  if (::pipe2(Pipe, O_CLOEXEC) || ::pipe2(Stop, O_CLOEXEC))
    fail("pipe");
  Feed = Pipe[1];
  ::fcntl(Feed, F_SETFL, O_NONBLOCK);
  ::dup2(Pipe[0], STDIN_FILENO);
  ::close(Pipe[0]);
  // Signals are for other threads, and the program may read no more.
  sigset_t All, Before;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, &Before);
  Feeder = std::thread([this] {
    off_t Offset = 0;
    char Bytes[4096];
    // Not more than the program's pipe has room for: what is not taken stays.
    while (waitFor(Feed, POLLOUT)) {
      const ssize_t Read = take(Offset, Bytes, sizeof(Bytes));
      if (Read < 0)
        Failure = errno;
      if (Read <= 0)
        break;
      Offset += Read;
      for (ssize_t At = 0; At < Read;) {
        const ssize_t Done = ::write(Feed, Bytes + At, Read - At);
        if (Done > 0)
          At += Done;
        else if (errno != EAGAIN || !waitFor(Feed, POLLOUT))
          break;
      }
    }
    ::close(Feed);
  });
  pthread_sigmask(SIG_SETMASK, &Before, nullptr);
}

} // namespace luthier::cli
