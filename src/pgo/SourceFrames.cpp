// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/SourceFrames.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

Expected<SourceFrames> SourceFrames::open(const CodeObject &Object) {
  auto File = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(toStringRef(Object.bytes()), "code object"));
  if (!File)
    return File.takeError();
  SourceFrames Result;
  Result.File = std::move(*File);
  Result.Context = DWARFContext::create(
      *Result.File, DWARFContext::ProcessDebugRelocations::Process, nullptr, "",
      [](Error E) { consumeError(std::move(E)); },
      [](Error E) { consumeError(std::move(E)); });
  return Result;
}

DIInliningInfo SourceFrames::at(uint64_t Address) const {
  using Specifier = DILineInfoSpecifier;
  return Context->getInliningInfoForAddress(
      {Address, object::SectionedAddress::UndefSection},
      Specifier(Specifier::FileLineInfoKind::RawValue,
                Specifier::FunctionNameKind::LinkageName));
}
