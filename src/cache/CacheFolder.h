// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of the cache, and the rules for what is taken from it: code comes
// only from regular files of this user, in a folder of this user, that nobody
// else may write to. Files appear as a whole and are never changed, so any
// number of processes may read, write and remove at the same time.
#ifndef LUTHIER_CACHE_CACHEFOLDER_H
#define LUTHIER_CACHE_CACHEFOLDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace luthier::cache {

/// Below XDG_CACHE_HOME or HOME; empty if neither says where, or if the program
/// has more rights than who started it.
std::string defaultFolder();

/// Bytes that files may have, from \p Mebibytes as LUTHIER_CACHE_SIZE has them;
/// null: the default. Nothing if they are no number.
std::optional<uint64_t> limitOf(const char *Mebibytes);

class CacheFolder {
public:
  struct File {
    std::string Name;
    uint64_t Bytes = 0;
    int64_t LastUse = 0; ///< Nanoseconds since 1970.
  };

  /// \p Why says what is wrong, unless the folder is just not there.
  static std::optional<CacheFolder> open(const std::string &Path,
                                         std::string &Why);
  /// The same; creates the folder if need be.
  static std::optional<CacheFolder> create(const std::string &Path,
                                           std::string &Why);
  CacheFolder(CacheFolder &&Other) : Handle(Other.Handle) { Other.Handle = -1; }
  CacheFolder &operator=(CacheFolder &&) = delete;
  ~CacheFolder();

  /// Marks it as used. \p Why as for open().
  std::optional<std::vector<uint8_t>> read(const std::string &Name,
                                           std::string &Why) const {
    return read(Name, Why, /*Marks=*/true);
  }
  /// Does not.
  std::optional<std::vector<uint8_t>> peek(const std::string &Name,
                                           std::string &Why) const {
    return read(Name, Why, /*Marks=*/false);
  }
  /// In place of what may be there. \p Why says why it returns false.
  bool write(const std::string &Name, llvm::ArrayRef<uint8_t> Bytes,
             std::string &Why) const;
  bool remove(const std::string &Name) const;
  /// Entries, in no order. Removes what processes left that ended while they
  /// wrote; with \p Everything also what may still be written.
  std::vector<File> list(bool Everything = false) const;

private:
  std::optional<std::vector<uint8_t>> read(const std::string &Name,
                                           std::string &Why, bool Marks) const;

  explicit CacheFolder(int Handle) : Handle(Handle) {}
  int Handle;
};

} // namespace luthier::cache

#endif // LUTHIER_CACHE_CACHEFOLDER_H
