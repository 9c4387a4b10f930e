// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CoverageRecords.h"
#include "pgo/Problem.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

constexpr StringRef SectionName = "__llvm_covfun";
/// A record of the section, of the format's versions since 4 (see LLVM's "LLVM
/// Code Coverage Mapping Format"): the name's hash, the size of what is behind
/// these, the hash of the control flow, and that of the list of files. The next
/// record is at a multiple of eight bytes.
constexpr size_t DataSizeAt = 8, HeaderSize = 28, RecordAlign = 8;

Error malformed(const Twine &What) {
  return problem(ProblemKind::Malformed, "the code object: " + What);
}

/// Gives the section of \p Code another size.
Error resize(MutableArrayRef<uint8_t> Code, uint64_t Size) {
  auto File = object::ELF64LEFile::create(toStringRef(Code));
  if (!File)
    return malformed(toString(File.takeError()));
  auto Sections = File->sections();
  if (!Sections)
    return malformed(toString(Sections.takeError()));
  for (const auto &Section : *Sections) {
    auto Name = File->getSectionName(Section);
    if (!Name)
      return malformed(toString(Name.takeError()));
    if (*Name == SectionName)
      const_cast<object::ELF64LE::Shdr &>(Section).sh_size = Size;
  }
  return Error::success();
}

} // namespace

Expected<CoverageRecords> namedCoverageRecords(const CodeObject &Object) {
  CoverageRecords Result{Object.bytes().vec()};
  const ArrayRef<uint8_t> Names =
      Object.section("__llvm_prf_names").value_or(ArrayRef<uint8_t>());
  const ArrayRef<uint8_t> Functions =
      Object.section(SectionName).value_or(ArrayRef<uint8_t>());
  InstrProfSymtab Known;
  if (Error E = Known.create(toStringRef(Names)))
    return malformed("names of functions: " + toString(std::move(E)));

  std::vector<uint8_t> Named;
  for (size_t At = 0, End; At < Functions.size();
       At = alignTo(End, RecordAlign)) {
    End = At + HeaderSize;
    if (End <= Functions.size())
      End += support::endian::read32le(&Functions[At + DataSizeAt]);
    if (End > Functions.size())
      return malformed("a record of " + SectionName + " is cut off");
    const uint64_t Name = support::endian::read64le(&Functions[At]);
    if (Known.getFuncOrVarName(Name).empty()) {
      ++Result.NumDropped;
      continue;
    }
    Named.resize(alignTo(Named.size(), RecordAlign));
    append_range(Named, Functions.slice(At, End - At));
  }
  if (!Result.NumDropped)
    return Result;
  copy(Named, Result.Code.begin() + (Functions.data() - Object.bytes().data()));
  if (Error E = resize(Result.Code, Named.size()))
    return std::move(E);
  return Result;
}

} // namespace luthier::pgo
