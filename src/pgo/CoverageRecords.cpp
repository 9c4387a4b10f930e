// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CoverageRecords.h"
#include "pgo/Problem.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace luthier::pgo {
namespace {

/// A record of the section __llvm_covfun, of the format's versions since 4 (see
/// LLVM's "LLVM Code Coverage Mapping Format"): the name's hash, the size of
/// what is behind these, the hash of the control flow, and that of the list of
/// files. The next record is at a multiple of eight bytes.
constexpr size_t DataSizeAt = 8, HeaderSize = 28, RecordAlign = 8;

Error malformed(const Twine &What) {
  return problem(ProblemKind::Malformed, "the code object: " + What);
}

} // namespace

Expected<CoverageRecords> namedCoverageRecords(const CodeObject &Object) {
  CoverageRecords Result{Object.bytes().vec()};
  const ArrayRef<uint8_t> Names =
      Object.section("__llvm_prf_names").value_or(ArrayRef<uint8_t>());
  const ArrayRef<uint8_t> Functions =
      Object.section("__llvm_covfun").value_or(ArrayRef<uint8_t>());
  InstrProfSymtab Known;
  if (Error E = Known.create(toStringRef(Names)))
    return malformed("names of functions: " + toString(std::move(E)));

  std::vector<size_t> Nameless;
  std::optional<uint64_t> Named;
  for (size_t At = 0, End; At < Functions.size();
       At = alignTo(End, RecordAlign)) {
    End = At + HeaderSize;
    if (End <= Functions.size())
      End += support::endian::read32le(&Functions[At + DataSizeAt]);
    if (End > Functions.size())
      return malformed("a record of __llvm_covfun is cut off");
    const uint64_t Name = support::endian::read64le(&Functions[At]);
    if (Known.getFuncOrVarName(Name).empty())
      Nameless.push_back(At);
    else
      Named = Name;
  }
  if (!Named || Nameless.empty())
    return Result;
  // Of two records with one name llvm-cov takes that of the function's code.
  uint8_t *const Records =
      Result.Code.data() + (Functions.data() - Object.bytes().data());
  for (size_t At : Nameless)
    support::endian::write64le(Records + At, *Named);
  Result.NumDropped = Nameless.size();
  return Result;
}

} // namespace luthier::pgo
