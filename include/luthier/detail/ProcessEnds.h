// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How libluthier.so and the emulated GPU learn that the process is about to end
// by other means than exit(), and whether it has a stderr: from
// libluthier-ends.so, which `luthier run` preloads.
#ifndef LUTHIER_DETAIL_PROCESSENDS_H
#define LUTHIER_DETAIL_PROCESSENDS_H

#ifdef __cplusplus
extern "C" {
#endif

enum luthier_end_kind {
  LUTHIER_END_EXIT,   ///< _exit() or _Exit(); value is the status.
  LUTHIER_END_SIGNAL, ///< Not handled by the program; value is its number.
  LUTHIER_END_EXEC,   ///< Another program takes the process over.
  /// It could not be started, and the process goes on. Only the handler of
  /// luthier_behind_process_end() is told.
  LUTHIER_END_NO_EXEC
};

struct luthier_process_end {
  enum luthier_end_kind kind;
  int value;
  const char *program; ///< Of LUTHIER_END_EXEC.
};

enum luthier_end_answer {
  LUTHIER_END_WAIT, ///< Ask again.
  LUTHIER_END_NOW,  ///< The process ends.
  /// Of signals: the thread goes on, and raises the signal again itself.
  LUTHIER_END_LATER
};

/// From now on \p handler is called before this process ends in one of these
/// ways, in the thread that does so. That may be inside a signal handler: only
/// what signal-safety(7) allows may be done, and waiting in steps of some
/// milliseconds. It is not called in children. Null takes all handlers away.
void luthier_on_process_end(
    enum luthier_end_answer (*handler)(const struct luthier_process_end *how));

/// The same of another handler, which is called when that one has answered
/// LUTHIER_END_NOW: the emulated GPU's, which has counted all kernels by then.
void luthier_behind_process_end(
    enum luthier_end_answer (*handler)(const struct luthier_process_end *how));

/// In the environment of programs that Luthier itself starts: they need no GPU,
/// so nobody has to be told that they find none.
#define LUTHIER_STARTS_PROGRAM "LUTHIER_STARTS_PROGRAM=1"

/// Not 0 if this process was started without stderr or has closed it, and has
/// put nothing in its place by dup2() since.
int luthier_is_stderr_closed(void);

#ifdef __cplusplus
}
#endif

#endif // LUTHIER_DETAIL_PROCESSENDS_H
