// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A regular expression that names of kernels are chosen by, wherever a command
// or the runtime takes one. Uses no LLVM: `luthier` does not load it.
#ifndef LUTHIER_CODEOBJECT_NAMEPATTERN_H
#define LUTHIER_CODEOBJECT_NAMEPATTERN_H

#include <memory>
#include <string>

namespace luthier {

/// POSIX extended syntax; matches anywhere in a name unless anchored.
/// Thread-safe.
class NamePattern {
public:
  /// Null if \p Text is no regular expression; \p Wrong then says why.
  static std::unique_ptr<NamePattern> create(const std::string &Text,
                                             std::string &Wrong);
  ~NamePattern();

  bool matches(const std::string &Name) const;
  /// A kernel can be called by either of its names.
  bool matches(const std::string &Mangled, const std::string &Readable) const {
    return matches(Mangled) || matches(Readable);
  }

private:
  struct Impl;
  explicit NamePattern(std::unique_ptr<Impl> P);

  std::unique_ptr<Impl> P;
};

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_NAMEPATTERN_H
