// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that a command starts and waits for. Uses no LLVM, see Commands.h.
#ifndef LUTHIER_CLI_CHILDPROGRAM_H
#define LUTHIER_CLI_CHILDPROGRAM_H

#include <string>
#include <vector>

namespace luthier::cli {

/// A folder that goes away with this object. Throws RunError.
class TemporaryFolder {
public:
  /// The folder's name begins with \p Prefix.
  explicit TemporaryFolder(const std::string &Prefix);
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return Path; }

private:
  std::string Path;
};

/// The program's exit code, or 128 and its signal, as shells have it. Signals
/// to this process go to the program. Throws RunError.
int runAndWait(const std::vector<std::string> &Command);

} // namespace luthier::cli

#endif // LUTHIER_CLI_CHILDPROGRAM_H
