// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sample profiles as clang's -fprofile-sample-use reads them: how often each
// place of a function's source was executed, inlined functions inside those
// that they were inlined into.
#ifndef LUTHIER_PGO_SAMPLEFILE_H
#define LUTHIER_PGO_SAMPLEFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/ProfileData/SampleProf.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/StringSaver.h"
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace llvm::sampleprof {
class SampleProfileReader;
}

namespace luthier::pgo {

/// What places are named by. Profiles of two kinds do not go together.
enum class PlaceKind { Probes, Lines };

/// What an execution counts for: one, or the lanes that were active.
enum class Weight { Waves, Lanes };

class SampleProfile {
public:
  explicit SampleProfile(PlaceKind Kind);
  ~SampleProfile();
  SampleProfile(SampleProfile &&);
  SampleProfile &operator=(SampleProfile &&);

  /// Of any format that LLVM has.
  static llvm::Expected<SampleProfile> read(const std::string &Path);
  /// For compilers, or, as \p IsText, for people, too. What is at \p Path is
  /// replaced only by a whole profile.
  llvm::Error write(const std::string &Path, bool IsText) const;

  PlaceKind kind() const { return Kind; }
  /// That of the function itself, to be filled.
  llvm::sampleprof::FunctionSamples &function(llvm::StringRef Name);
  /// Null if there is none.
  const llvm::sampleprof::FunctionSamples *find(llvm::StringRef Name) const;
  /// That of \p Callee where it was inlined into \p Caller at \p Place.
  llvm::sampleprof::FunctionSamples &
  inlinee(llvm::sampleprof::FunctionSamples &Caller,
          llvm::sampleprof::LineLocation Place, llvm::StringRef Callee);
  /// A name that lives as long as the profile.
  llvm::sampleprof::FunctionId name(llvm::StringRef Name);

  /// Sums up what was filled in; forgets functions of which nothing was
  /// executed: they would count as cold, when all that is known is that this
  /// run had no use for them.
  void finish();
  /// Adds \p Other, which may be used no more. Fails, with nothing added, if it
  /// is of another kind or has a function that was compiled from other source.
  llvm::Error merge(SampleProfile Other);
  /// Functions of which a sum has reached the largest number there is.
  const std::set<std::string> &overflown() const { return Overflown; }
  /// Notes what it was collected on, for targets().
  void addTarget(llvm::StringRef Target);
  /// Such as "gfx90a", sorted; none if nobody has noted them.
  std::vector<std::string> targets() const;
  /// Also where it was inlined. False if there was none of this name.
  bool drop(llvm::StringRef Name);
  /// Sorted.
  std::vector<std::string> functionNames() const;

private:
  struct Storage;
  llvm::Error writeTo(const std::string &Path, bool IsText) const;

  PlaceKind Kind;
  llvm::sampleprof::SampleProfileMap Functions;
  std::set<std::string> Overflown;
  std::unique_ptr<Storage> Kept;
};

} // namespace luthier::pgo

#endif // LUTHIER_PGO_SAMPLEFILE_H
