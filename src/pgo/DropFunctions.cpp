// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/DropFunctions.h"
#include "pgo/Problem.h"
#include "pgo/ProfileSum.h"
#include "pgo/ReplaceFile.h"
#include "pgo/SampleFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Object/BuildID.h"
#include "llvm/ProfileData/InstrProfReader.h"
#include "llvm/ProfileData/InstrProfWriter.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;
using namespace luthier::pgo;

namespace {

/// Names of functions that other files may have, too, begin with their own
/// file's name and ';'.
bool isOneOf(StringRef Name, ArrayRef<std::string> Functions) {
  const size_t Behind = Name.rfind(';');
  if (Behind != StringRef::npos)
    Name = Name.drop_front(Behind + 1);
  return is_contained(Functions, Name);
}

Error cannotWrite(const std::string &Path, std::error_code Why) {
  return problem(ProblemKind::Failure,
                 "cannot write " + Path + ": " + Why.message());
}

Error writeCounters(InstrProfWriter &Writer, const std::string &Path) {
  std::error_code Wrong;
  raw_fd_ostream OS(Path, Wrong);
  if (Wrong)
    return cannotWrite(Path, Wrong);
  if (Error E = Writer.write(OS))
    return E;
  OS.close();
  if ((Wrong = OS.error())) {
    OS.clear_error();
    return cannotWrite(Path, Wrong);
  }
  return Error::success();
}

Expected<std::vector<std::string>>
dropCounters(std::unique_ptr<MemoryBuffer> File, const std::string &Path,
             ArrayRef<std::string> Functions) {
  auto Reader = IndexedInstrProfReader::create(std::move(File));
  if (!Reader)
    return explainProfileError(Reader.takeError(), Path);
  InstrProfWriter Writer;
  if (Error E = Writer.mergeProfileKind((*Reader)->getProfileKind()))
    return std::move(E);
  std::vector<object::BuildID> Ids;
  if (Error E = (*Reader)->readBinaryIds(Ids))
    return std::move(E);
  Writer.addBinaryIds(Ids);
  std::vector<std::string> Dropped;
  Error Wrong = Error::success();
  for (NamedInstrProfRecord &Record : **Reader) {
    if (isOneOf(Record.Name, Functions)) {
      Dropped.push_back(Record.Name.str());
      continue;
    }
    Writer.addRecord(std::move(Record), [&](Error E) {
      Wrong = joinErrors(std::move(Wrong), std::move(E));
    });
  }
  if (Wrong)
    return std::move(Wrong);
  if ((*Reader)->hasError())
    return explainProfileError((*Reader)->getError(), Path);
  if (!Dropped.empty())
    if (Error E = replaceFile(Path, [&](const std::string &New) {
          return writeCounters(Writer, New);
        }))
      return std::move(E);
  return Dropped;
}

Expected<std::vector<std::string>>
dropSamples(const std::string &Path, ArrayRef<std::string> Functions) {
  Expected<SampleProfile> Profile = SampleProfile::read(Path);
  if (!Profile)
    return Profile.takeError();
  std::vector<std::string> Dropped;
  for (const std::string &Name : Functions)
    if (Profile->drop(Name))
      Dropped.push_back(Name);
  if (!Dropped.empty())
    if (Error E = Profile->write(Path, /*IsText=*/false))
      return std::move(E);
  return Dropped;
}

} // namespace

Expected<std::vector<std::string>>
luthier::pgo::dropFunctions(const std::string &Path,
                            ArrayRef<std::string> Functions) {
  auto File = MemoryBuffer::getFile(Path);
  if (!File)
    return problem(ProblemKind::Failure,
                   "cannot read " + Path + ": " + File.getError().message());
  if (IndexedInstrProfReader::hasFormat(**File))
    return dropCounters(std::move(*File), Path, Functions);
  return dropSamples(Path, Functions);
}
