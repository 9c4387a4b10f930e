// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Standard input for a program that is run twice and has to read the same.
#ifndef LUTHIER_CLI_REPEATEDINPUT_H
#define LUTHIER_CLI_REPEATEDINPUT_H

#include <string>
#include <sys/types.h>
#include <thread>

namespace luthier::cli {

/// While it exists, this process's standard input can be read again: that of a
/// file from where it stood; of a pipe or socket, what a run has taken from it
/// is kept. Nobody waits for the end of a pipe that the program does not read.
/// Of terminals, each run reads what is typed next.
class RepeatedInput {
public:
  /// Keeps a pipe's contents in the folder \p Keep. Throws RunError.
  explicit RepeatedInput(const std::string &Keep);
  /// Puts standard input back. Says if the last run's ended too early.
  ~RepeatedInput();
  RepeatedInput(const RepeatedInput &) = delete;
  RepeatedInput &operator=(const RepeatedInput &) = delete;

  /// Before another run: its input begins where that of the first began. Throws
  /// RunError if what the first has read could not be kept, so that its input
  /// ended too early.
  void rewind();

private:
  void feed();
  void endFeeding();
  /// Reads on, behind what is kept, at \p Offset of that; the number of bytes,
  /// 0 at the end, -1 with errno.
  ssize_t take(off_t Offset, void *To, size_t Size) const;
  bool waitFor(int File, short Events) const;

  off_t Begin = 0;  ///< Of a file.
  int Source = -1;  ///< The pipe; none for other input.
  int Kept = -1;    ///< What was taken from it.
  int Feed = -1;    ///< The program's pipe, to write to.
  int Stop[2] = {}; ///< Ends the thread if there is something to read.
  std::thread Feeder;
  int Failure = 0; ///< Why it ended before its time; an errno.
};

} // namespace luthier::cli

#endif // LUTHIER_CLI_REPEATEDINPUT_H
