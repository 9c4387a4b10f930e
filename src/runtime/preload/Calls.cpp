// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls that end the process without exit handlers. Not seen are system calls
// without libc, and what libc calls inside itself: exit(), which runs the
// handlers, and quick_exit(), which has handlers of its own.
#include "runtime/preload/Ends.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

namespace luthier::preload {

namespace {
/// Children have copies of it and are nobody's business.
struct Listener {
  luthier_end_answer (*Handler)(const luthier_process_end *) = nullptr;
  pid_t Owner = 0;

  bool listens() const {
    return __atomic_load_n(&Handler, __ATOMIC_ACQUIRE) && getpid() == Owner;
  }
  void set(luthier_end_answer (*Told)(const luthier_process_end *)) {
    Owner = getpid();
    __atomic_store_n(&Handler, Told, __ATOMIC_RELEASE);
  }
  luthier_end_answer tell(const luthier_process_end &How) const {
    auto *Told = __atomic_load_n(&Handler, __ATOMIC_ACQUIRE);
    return !Told || getpid() != Owner ? LUTHIER_END_NOW : Told(&How);
  }
};
} // namespace

static Listener First, Last;

bool isWatched() { return First.listens() || Last.listens(); }

luthier_end_answer tellStep(const luthier_process_end &How) {
  const luthier_end_answer Answer = First.tell(How);
  return Answer == LUTHIER_END_NOW ? Last.tell(How) : Answer;
}

void tell(luthier_end_kind Kind, int Value, const char *Program) {
  const luthier_process_end How = {Kind, Value, Program};
  while (tellStep(How) == LUTHIER_END_WAIT)
    ;
}

/// Whether there is something to start: the tools end only once.
static bool canStart(const char *Path) {
  struct stat About;
  return Path && stat(Path, &About) == 0 && S_ISREG(About.st_mode) &&
         access(Path, X_OK) == 0;
}

static void tellOfExec(const char *Path) {
  checkProgram(Path);
  if (isWatched() && canStart(Path))
    tell(LUTHIER_END_EXEC, 0, Path);
}

/// \p Result is that of exec, which has returned.
static int failed(int Result) {
  const int Why = errno;
  Last.tell({LUTHIER_END_NO_EXEC, 0, nullptr});
  errno = Why;
  return Result;
}

/// As execvp() looks for it: \p Name, what is in \p Path then, or null.
static const char *findInPath(const char *Name, char (&Path)[PATH_MAX]) {
  if (!Name || strchr(Name, '/'))
    return Name;
  const char *Folders = getenv("PATH");
  for (const char *From = Folders ? Folders : "/bin:/usr/bin"; From;) {
    const char *Colon = strchr(From, ':');
    const int Length = int(Colon ? Colon - From : strlen(From));
    const int Written = snprintf(Path, sizeof(Path), "%.*s%s%s", Length, From,
                                 Length ? "/" : "", Name);
    if (Written < int(sizeof(Path)) && canStart(Path))
      return Path;
    From = Colon ? Colon + 1 : nullptr;
  }
  return nullptr;
}

static void tellOfExecInPath(const char *Name) {
  char Path[PATH_MAX];
  tellOfExec(findInPath(Name, Path));
}

/// "/proc/self/fd/7", or in a folder that is open there.
static void tellOfExecAt(int Folder, const char *Path) {
  char Whole[PATH_MAX];
  if (Path && (Path[0] == '/' || Folder == AT_FDCWD))
    return tellOfExec(Path);
  const int Written =
      snprintf(Whole, sizeof(Whole), "/proc/self/fd/%d%s%s", Folder,
               Path && *Path ? "/" : "", Path ? Path : "");
  if (Written < int(sizeof(Whole)))
    tellOfExec(Whole);
}

/// How many arguments \p First and \p Rest are; a null pointer ends them.
static size_t count(const char *First, va_list Rest) {
  size_t Count = 0;
  for (const char *Next = First; Next; Next = va_arg(Rest, const char *))
    ++Count;
  return Count;
}

} // namespace luthier::preload

using namespace luthier::preload;

/// Signal handlers call these, but may not look for them.
static void findNext() {
  (void)LUTHIER_NEXT(_exit);
  (void)LUTHIER_NEXT(_Exit);
  (void)LUTHIER_NEXT(execve);
  (void)LUTHIER_NEXT(execv);
}

// NOLINTBEGIN(readability-identifier-naming)
LUTHIER_INTERPOSED void luthier_on_process_end(
    luthier_end_answer (*Told)(const luthier_process_end *)) {
  findNext();
  First.set(Told);
  if (Told)
    coverSignals();
  else
    Last.set(nullptr);
}

LUTHIER_INTERPOSED void luthier_behind_process_end(
    luthier_end_answer (*Told)(const luthier_process_end *)) {
  findNext();
  Last.set(Told);
  coverSignals();
}
// NOLINTEND(readability-identifier-naming)

LUTHIER_INTERPOSED void _exit(int Status) {
  tell(LUTHIER_END_EXIT, Status);
  LUTHIER_NEXT(_exit)(Status);
  __builtin_unreachable();
}
LUTHIER_INTERPOSED void _Exit(int Status) {
  tell(LUTHIER_END_EXIT, Status);
  LUTHIER_NEXT(_Exit)(Status);
  __builtin_unreachable();
}

LUTHIER_INTERPOSED int execve(const char *Path, char *const Arguments[],
                              char *const Environment[]) {
  checkEnvironment(Path, Environment);
  tellOfExec(Path);
  return failed(LUTHIER_NEXT(execve)(Path, Arguments, Environment));
}
LUTHIER_INTERPOSED int execv(const char *Path, char *const Arguments[]) {
  checkEnvironment(Path, environ);
  tellOfExec(Path);
  return failed(LUTHIER_NEXT(execv)(Path, Arguments));
}
LUTHIER_INTERPOSED int execvp(const char *Name, char *const Arguments[]) {
  checkEnvironment(Name, environ);
  tellOfExecInPath(Name);
  return failed(LUTHIER_NEXT(execvp)(Name, Arguments));
}
LUTHIER_INTERPOSED int execvpe(const char *Name, char *const Arguments[],
                               char *const Environment[]) {
  checkEnvironment(Name, Environment);
  tellOfExecInPath(Name);
  return failed(LUTHIER_NEXT(execvpe)(Name, Arguments, Environment));
}
LUTHIER_INTERPOSED int fexecve(int Fd, char *const Arguments[],
                               char *const Environment[]) {
  checkEnvironment("a program", Environment);
  tellOfExecAt(Fd, nullptr);
  return failed(LUTHIER_NEXT(fexecve)(Fd, Arguments, Environment));
}
LUTHIER_INTERPOSED int execveat(int Folder, const char *Path,
                                char *const Arguments[],
                                char *const Environment[], int Flags) {
  checkEnvironment(*Path ? Path : "a program", Environment);
  tellOfExecAt(Folder, Path);
  return failed(
      LUTHIER_NEXT(execveat)(Folder, Path, Arguments, Environment, Flags));
}

LUTHIER_INTERPOSED int posix_spawn(pid_t *Child, const char *Path,
                                   const posix_spawn_file_actions_t *Actions,
                                   const posix_spawnattr_t *Attributes,
                                   char *const Arguments[],
                                   char *const Environment[]) {
  checkEnvironment(Path, Environment);
  checkProgram(Path);
  return LUTHIER_NEXT(posix_spawn)(Child, Path, Actions, Attributes, Arguments,
                                   Environment);
}
LUTHIER_INTERPOSED int posix_spawnp(pid_t *Child, const char *Name,
                                    const posix_spawn_file_actions_t *Actions,
                                    const posix_spawnattr_t *Attributes,
                                    char *const Arguments[],
                                    char *const Environment[]) {
  checkEnvironment(Name, Environment);
  char Path[PATH_MAX];
  checkProgram(findInPath(Name, Path));
  return LUTHIER_NEXT(posix_spawnp)(Child, Name, Actions, Attributes, Arguments,
                                    Environment);
}

// These start a shell inside libc, with the environment as it is.
LUTHIER_INTERPOSED int system(const char *Command) {
  checkEnvironment(Command, environ);
  return LUTHIER_NEXT(system)(Command);
}
LUTHIER_INTERPOSED FILE *popen(const char *Command, const char *Mode) {
  checkEnvironment(Command, environ);
  return LUTHIER_NEXT(popen)(Command, Mode);
}

// Those with a list of arguments, which become an array that ends like it.

// NOLINTBEGIN(readability-identifier-naming)
#define LUTHIER_EXEC_LIST(NAME, ENVIRONMENT, CALL)                             \
  LUTHIER_INTERPOSED int NAME(const char *Path, const char *First, ...) {      \
    va_list Rest;                                                              \
    va_start(Rest, First);                                                     \
    const size_t Count = count(First, Rest);                                   \
    va_end(Rest);                                                              \
    auto **Array =                                                             \
        static_cast<char **>(__builtin_alloca((Count + 1) * sizeof(char *)));  \
    Array[0] = const_cast<char *>(First);                                      \
    va_start(Rest, First);                                                     \
    for (size_t N = 1; N <= Count; ++N)                                        \
      Array[N] = va_arg(Rest, char *);                                         \
    ENVIRONMENT;                                                               \
    va_end(Rest);                                                              \
    return CALL;                                                               \
  }
LUTHIER_EXEC_LIST(execl, (void)0, execv(Path, Array))
LUTHIER_EXEC_LIST(execlp, (void)0, execvp(Path, Array))
LUTHIER_EXEC_LIST(execle,
                  auto *const *Environment = va_arg(Rest, char *const *),
                  execve(Path, Array, Environment))
// NOLINTEND(readability-identifier-naming)
