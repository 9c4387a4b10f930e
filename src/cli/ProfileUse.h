// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a profile may be used by a command that compiles, and by which flags.
#ifndef LUTHIER_CLI_PROFILEUSE_H
#define LUTHIER_CLI_PROFILEUSE_H

#include "pgo/CompileCommand.h"
#include "pgo/ProfileFacts.h"
#include "pgo/StaleCheck.h"

namespace luthier::pgo {
struct Route;
} // namespace luthier::pgo

namespace luthier::cli {

/// Device libraries that may be inlined into functions with a profile of
/// samples, as they are installed; empty if they are not.
std::string sampleLibraries();
/// The header by which device code records values; empty if it is not there.
std::string valueHeader();
/// What the linker is given to make counters of units; empty likewise.
std::string linkedCounters();

class ProfileUse {
public:
  /// Files that are made on the way go into \p Folder, which has to be there
  /// while the flags are in use.
  ProfileUse(const pgo::CompileCommand &Command, const std::string &Profile,
             const std::string &Folder)
      : Command(Command), Profile(Profile), Folder(Folder) {}

  std::string Route; ///< That it has to be of; empty for any.
  /// Device libraries for profiles of samples. If there are none, a copy is
  /// made of those that the command takes.
  std::string SampleLibraries;
  bool IsChecked = true; ///< The source is compiled to compare.
  /// Other targets have profiles of their own.
  bool IsOneOfSeveral = false;

  /// Fails, with the reason, if the profile may not be used. Otherwise says
  /// which parts of it may not.
  llvm::Expected<std::vector<std::string>> findFlags();
  /// Then, whether all of it is used.
  bool isWhole() const { return IsWhole; }
  /// Then, those of the command's targets that it is used for, if it is not of
  /// all or one of several.
  llvm::ArrayRef<std::string> targets() const { return OnlyTargets; }

private:
  llvm::Error checkTarget();
  llvm::Error findSampleLibraries();
  llvm::Error checkSource(const pgo::Route &Its);
  llvm::Expected<bool> addFacts(const pgo::Route &Its, size_t Input,
                                pgo::CodeFacts &To) const;
  llvm::Error refuseParts(const pgo::StaleCheck &Check);
  void limitToTargets(std::vector<std::string> &Flags) const;

  const pgo::CompileCommand &Command;
  const std::string Profile, Folder;
  pgo::ProfileFacts Facts;
  std::string UsedProfile;
  std::vector<std::string> OnlyTargets;
  bool IsWhole = true;
};

} // namespace luthier::cli

#endif // LUTHIER_CLI_PROFILEUSE_H
