// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads an AMD GPU code object: one ELF for one processor. Everything is
// checked against the file's bounds; bad input is an error that says what and
// where.
#ifndef LUTHIER_CODEOBJECT_CODEOBJECT_H
#define LUTHIER_CODEOBJECT_CODEOBJECT_H

#include "codeobject/KernelDescriptor.h"
#include "codeobject/KernelMetadata.h"
#include "codeobject/TargetID.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace luthier {

class SourceLines;

struct KernelInfo {
  std::string Name; ///< Without ".kd".
  /// Addresses as linked; the loader adds one bias to all of them.
  uint64_t DescriptorAddress = 0;
  uint64_t EntryAddress = 0;
  /// Bytes of code that belong to the kernel's own symbol.
  uint64_t CodeSize = 0;
  KernelDescriptor Descriptor;
  KernelMetadata Metadata;
  /// Its part of the note; empty if there is none.
  std::string MetadataEntry = {};
};

struct FunctionInfo {
  std::string Name;
  uint64_t Address = 0;
  uint64_t Size = 0;
};

class CodeObject {
public:
  /// Copies \p Bytes.
  static llvm::Expected<std::unique_ptr<CodeObject>>
  create(llvm::ArrayRef<uint8_t> Bytes);
  ~CodeObject();

  llvm::ArrayRef<uint8_t> bytes() const { return Bytes; }
  const TargetID &target() const { return Target; }
  /// Takes it for code of \p Settings, one of those that it runs with.
  void assume(TargetID Settings) { Target = std::move(Settings); }
  /// 4, 5 or 6.
  unsigned version() const { return Version; }
  /// e_flags and EI_ABIVERSION, for writing a sibling.
  uint32_t elfFlags() const { return ElfFlags; }
  uint8_t abiVersion() const { return AbiVersion; }

  /// In order of their code.
  llvm::ArrayRef<KernelInfo> kernels() const { return Kernels; }
  const KernelInfo *findKernel(llvm::StringRef Name) const;
  /// By the address of its descriptor.
  const KernelInfo *findKernelAt(uint64_t Descriptor) const;
  /// Whether the code of a kernel begins at \p Address.
  bool isKernelEntry(uint64_t Address) const;
  /// Functions that are not kernels, in order of their addresses.
  llvm::ArrayRef<FunctionInfo> functions() const { return Functions; }
  /// The first that begins at \p Address, or null.
  const FunctionInfo *findFunction(uint64_t Address) const;

  /// \p Size bytes as loaded at \p Address; fails outside the file's segments.
  llvm::Expected<llvm::ArrayRef<uint8_t>> contents(uint64_t Address,
                                                   uint64_t Size) const;
  /// What is in the file from \p Address to the end of its segment, if that is
  /// executable.
  std::optional<llvm::ArrayRef<uint8_t>> code(uint64_t Address) const;
  /// All executable segments: address, and what is in the file.
  std::vector<std::pair<uint64_t, llvm::ArrayRef<uint8_t>>> code() const;
  /// The address as linked that the loader's relocations put, with its bias,
  /// into the eight bytes at \p Address. Nothing if there is no relocation, if
  /// the file does not say what for, or if the program may write there.
  std::optional<uint64_t> constantPointer(uint64_t Address) const;
  /// All addresses as linked that those relocations put anywhere, also where
  /// the program may write; in order, each once.
  llvm::ArrayRef<uint64_t> pointers() const { return Pointers; }
  /// Contents of the named section, or nothing.
  std::optional<llvm::ArrayRef<uint8_t>> section(llvm::StringRef Name) const;
  /// The msgpack blob of the NT_AMDGPU_METADATA notes; may be empty.
  llvm::StringRef metadataBlob() const { return Metadata; }
  /// The part of it that is not about single kernels.
  llvm::StringRef commonMetadata() const { return CommonMetadata; }
  /// Source lines of its code. Empty without debug information. Thread-safe.
  const SourceLines &lines() const;

private:
  friend class CodeObjectReader;
  /// Bytes of the file that the loader maps as they are.
  struct Segment {
    uint64_t Address, Size, FileOffset;
    bool Executable;
  };

  CodeObject() = default;
  std::vector<uint8_t> Bytes;
  TargetID Target;
  unsigned Version = 0;
  uint32_t ElfFlags = 0;
  uint8_t AbiVersion = 0;
  std::vector<KernelInfo> Kernels;
  /// Places in Kernels.
  llvm::StringMap<unsigned> KernelNamed;
  llvm::DenseMap<uint64_t, unsigned> KernelAt; ///< By descriptor.
  std::vector<FunctionInfo> Functions;
  std::vector<Segment> Segments;
  std::map<uint64_t, uint64_t> ConstantPointers;
  std::vector<uint64_t> Pointers;
  std::string Metadata, CommonMetadata;
  mutable std::once_flag HasLines;
  mutable std::unique_ptr<const SourceLines> Lines;
};

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_CODEOBJECT_H
