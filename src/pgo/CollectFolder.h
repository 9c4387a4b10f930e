// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder into which the processes of a run write their counters, and from
// which `luthier pgo collect` adds them up.
//
// A process that has loaded code of which there is to be a profile writes a
// note at once, so that one that is killed is missed. It writes a raw profile
// for each code object that has counted, now and then, and when the code is
// unloaded or the process ends; it completes its note then. Of code that does
// not count by itself, it leaves a copy: what marks its source is in there.
#ifndef LUTHIER_PGO_COLLECTFOLDER_H
#define LUTHIER_PGO_COLLECTFOLDER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace luthier::pgo {

/// Names the folder to the program's processes.
inline constexpr const char *CollectFolderVariable = "LUTHIER_PGO_FOLDER";

/// What a process says of itself. Each field is a line of the note.
struct ProcessNote {
  int64_t Process = 0;
  std::string Program;
  std::string Ended; ///< Empty while it runs: "exit", "_exit(3)", "SIGTERM".
  uint64_t Unfinished = 0; ///< Launches that had not ended by then.
  uint64_t Releases = 0;   ///< Launches of code that does not count by itself.
  std::string Failed;      ///< What could not be done; empty if all was.

  std::string text() const;
  static ProcessNote parse(llvm::StringRef Text);
  /// Why its counters are not all there; empty if they are.
  std::string whyPartial() const;
};

/// Of a process. Its names are its own.
class CollectFolder {
public:
  explicit CollectFolder(std::string Path) : Path(std::move(Path)) {}

  llvm::Error writeNote(const ProcessNote &Note);
  /// Takes the place of the file \p Name, whole at any time; if that is empty,
  /// makes one and says how it is called.
  llvm::Error writeProfile(llvm::StringRef Target,
                           llvm::ArrayRef<uint8_t> Bytes, std::string &Name);
  /// Notes that the code of this digest counts by itself.
  llvm::Error writeCounting(llvm::StringRef Digest);
  llvm::Error writeCode(llvm::StringRef Digest, llvm::ArrayRef<uint8_t> Bytes);

private:
  llvm::Error make(llvm::StringRef Suffix, std::string &Name) const;
  llvm::Error writeShared(const llvm::Twine &Name, llvm::StringRef Bytes) const;

  std::string Path, NoteName;
};

/// All of a folder.
struct Collected {
  struct Profile {
    std::string Target, Path;
  };
  std::vector<Profile> Profiles;  ///< In order of their names.
  std::set<std::string> Counting; ///< Digests of code that counts by itself.
  std::map<std::string, std::string> Code; ///< Copies of other code, by digest.
  std::vector<ProcessNote> Notes;
  /// What else is missing, and why.
  std::vector<std::string> Uncounted;
};
llvm::Expected<Collected> readCollectFolder(llvm::StringRef Path);

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COLLECTFOLDER_H
