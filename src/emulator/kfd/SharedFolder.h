// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder for temporary files that processes of one user share: those that
// need the same files use one, and it goes when no process uses it any more.
//
// Which process uses it is told by a lock on a file in it, which the system
// takes back however the process ends, SIGKILL included, and which is also
// right between containers that share the place, where process ids are not. The
// lock is held by a mapping of the file: programs close descriptors that are
// not theirs, and a forked child holds it, too.
#ifndef LUTHIER_EMULATOR_KFD_SHAREDFOLDER_H
#define LUTHIER_EMULATOR_KFD_SHAREDFOLDER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include <filesystem>
#include <optional>

namespace luthier::emulator {

class SharedFolder {
public:
  using Path = std::filesystem::path;
  /// Writes what is missing; may throw std::filesystem::filesystem_error.
  using Writer = llvm::function_ref<void(const Path &Folder)>;

  /// The folder \p Place / (\p Prefix + \p Key) with what \p Write writes.
  /// Removes others of this user whose names begin with \p Prefix and that no
  /// process uses. May throw as \p Write does.
  static SharedFolder open(const Path &Place, llvm::StringRef Prefix,
                           llvm::StringRef Key, Writer Write);

  SharedFolder() = default;
  SharedFolder(SharedFolder &&Other);
  SharedFolder &operator=(SharedFolder &&Other);
  ~SharedFolder();

  /// Empty for none.
  const Path &path() const { return Folder; }

private:
  SharedFolder(Path Folder, void *Lock)
      : Folder(std::move(Folder)), Lock(Lock) {}
  static std::optional<SharedFolder> use(const Path &Folder);

  Path Folder;
  void *Lock = nullptr;
};

} // namespace luthier::emulator

#endif // LUTHIER_EMULATOR_KFD_SHAREDFOLDER_H
