// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A user's command that compiles with clang: what has to be known of it to add
// a profile, and to compile the same for another purpose.
#ifndef LUTHIER_PGO_COMPILECOMMAND_H
#define LUTHIER_PGO_COMPILECOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace luthier::pgo {

class CompileCommand {
public:
  /// \p Words has the compiler, and may begin with a launcher such as ccache.
  /// Fails if there is none, or if a file with words (\@FILE) is there but
  /// cannot be read.
  static llvm::Expected<CompileCommand> read(llvm::ArrayRef<std::string> Words);

  /// As the user gave it, with the words of files in place of their names.
  llvm::ArrayRef<std::string> words() const { return Words; }
  const std::string &compiler() const { return Words[Compiler]; }
  /// Of --offload-arch, such as "gfx90a:xnack-"; none if it is left to the
  /// compiler.
  llvm::ArrayRef<std::string> targets() const { return Targets; }
  /// Files to compile or to link, by their position in words().
  llvm::ArrayRef<size_t> inputs() const { return Inputs; }
  /// Whether the one at this position is source with code for devices, as far
  /// as the command says: by -x or its name, or, if it names targets or a
  /// configuration file, and no other is certain, maybe.
  bool isSource(size_t Input) const;
  /// Whether there is source, and none of it has code for devices.
  bool isForHostAlone() const { return HasHostSource && Sources.empty(); }
  /// Of -o; empty if there is none.
  const std::string &output() const { return Output; }
  /// Makes a program, not object files.
  bool links() const { return Links; }
  /// Units are linked for the GPU, by -fgpu-rdc.
  bool linksUnits() const { return LinksUnits; }

  /// The same with more flags.
  std::vector<std::string> with(llvm::ArrayRef<std::string> Flags) const;
  /// The same with more flags and another output. Rules for make stay those of
  /// output().
  std::vector<std::string> with(llvm::ArrayRef<std::string> Flags,
                                llvm::StringRef Output) const;
  /// For the code for devices alone, of the source at \p Input, as a file with
  /// that of all targets.
  std::vector<std::string> deviceOnly(size_t Input,
                                      llvm::ArrayRef<std::string> Flags,
                                      llvm::StringRef Output) const;

private:
  /// \p Languages are those by -x of each input.
  void findSources(llvm::ArrayRef<llvm::StringRef> Languages);
  bool isHipcc() const;
  bool hasConfiguration() const;
  /// What the word at \p I says about rules for make.
  void readDependencies(size_t I);
  /// What keeps them, if the output is another.
  std::vector<std::string> dependencyFlags() const;
  std::vector<std::string>
  withoutOutput(llvm::ArrayRef<size_t> WithoutInputs = {}) const;

  std::vector<std::string> Words, Targets;
  std::vector<size_t> Inputs, Sources, OutputWords;
  std::string Output;
  size_t Compiler = 0;
  bool HasHostSource = false;
  bool Links = true, LinksUnits = false, WritesDependencies = false;
  bool NamesDependencyFile = false, NamesDependent = false; ///< By -MF, -MT.
};

} // namespace luthier::pgo

#endif // LUTHIER_PGO_COMPILECOMMAND_H
