// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/CollectFolder.h"
#include "pgo/Execution.h"
#include "pgo/Problem.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <unistd.h>

using namespace llvm;

namespace luthier::pgo {
namespace {

constexpr StringRef NoteSuffix = "process", ProfileSuffix = "profraw",
                    CountingSuffix = "counting", CodeSuffix = "code";

Error failure(const Twine &Path, std::error_code Why) {
  return problem(ProblemKind::Failure, Path + ": " + Why.message());
}

/// Others never see half of a file.
Error writeWhole(const std::string &Path, StringRef Bytes) {
  const std::string New = Path + ".new";
  std::error_code Failure;
  raw_fd_ostream OS(New, Failure);
  if (Failure)
    return failure(New, Failure);
  OS << Bytes;
  OS.close();
  if (OS.has_error()) {
    Failure = OS.error();
    OS.clear_error();
    return failure(New, Failure);
  }
  Failure = sys::fs::rename(New, Path);
  return Failure ? failure(Path, Failure) : Error::success();
}

} // namespace

std::string ProcessNote::text() const {
  std::string Text;
  raw_string_ostream(Text) << "process " << Process << "\nprogram " << Program
                           << "\nended " << Ended << "\nunfinished "
                           << Unfinished << "\nreleases " << Releases
                           << "\nfailed " << Failed << '\n';
  return Text;
}

ProcessNote ProcessNote::parse(StringRef Text) {
  ProcessNote Note;
  SmallVector<StringRef, 8> Lines;
  Text.split(Lines, '\n');
  for (StringRef Line : Lines) {
    const auto [Key, Value] = Line.split(' ');
    if (Key == "process")
      Value.getAsInteger(10, Note.Process);
    else if (Key == "program")
      Note.Program = Value;
    else if (Key == "ended")
      Note.Ended = Value;
    else if (Key == "unfinished")
      Value.getAsInteger(10, Note.Unfinished);
    else if (Key == "releases")
      Value.getAsInteger(10, Note.Releases);
    else if (Key == "failed")
      Note.Failed = Value;
  }
  return Note;
}

std::string ProcessNote::whyPartial() const {
  const std::string Who =
      "process " + std::to_string(Process) + " (" + Program + ")";
  if (Ended.empty())
    return Who +
           " was killed; what it counted is that of some time before, or lost";
  if (!Failed.empty())
    return Who + ": " + Failed;
  if (Unfinished)
    return Who + " ended by " + Ended + " while " + std::to_string(Unfinished) +
           " launches ran";
  if (isAbrupt(Ended))
    return Who + " ended by " + Ended;
  return {};
}

Error CollectFolder::make(StringRef Suffix, std::string &Name) const {
  SmallString<128> Unique;
  int File;
  if (std::error_code Failure = sys::fs::createUniqueFile(
          Path + "/" + std::to_string(::getpid()) + "-%%%%%%%%." + Suffix, File,
          Unique))
    return failure(Path, Failure);
  ::close(File);
  Name = Unique.str();
  return Error::success();
}

Error CollectFolder::writeNote(const ProcessNote &Note) {
  if (NoteName.empty())
    if (Error E = make(NoteSuffix, NoteName))
      return E;
  return writeWhole(NoteName, Note.text());
}

Error CollectFolder::writeProfile(StringRef Target, ArrayRef<uint8_t> Bytes,
                                  std::string &Name) {
  if (Name.empty())
    if (Error E = make((Target + "." + ProfileSuffix).str(), Name))
      return E;
  return writeWhole(
      Name, {reinterpret_cast<const char *>(Bytes.data()), Bytes.size()});
}

/// Several processes may write the same; what they write is the same, too.
Error CollectFolder::writeShared(const Twine &Name, StringRef Bytes) const {
  const std::string Whole = Path + "/" + Name.str();
  std::string New;
  if (sys::fs::exists(Whole))
    return Error::success();
  if (Error E = make("new", New))
    return E;
  if (Error E = writeWhole(New, Bytes))
    return E;
  const std::error_code Failure = sys::fs::rename(New, Whole);
  return Failure ? failure(Whole, Failure) : Error::success();
}

Error CollectFolder::writeCounting(StringRef Digest) {
  return writeShared(Digest + "." + CountingSuffix, "");
}

Error CollectFolder::writeCode(StringRef Digest, ArrayRef<uint8_t> Bytes) {
  return writeShared(Digest + "." + CodeSuffix, toStringRef(Bytes));
}

Expected<Collected> readCollectFolder(StringRef Path) {
  Collected Result;
  std::error_code Failure;
  std::vector<std::string> Names;
  for (sys::fs::directory_iterator I(Path, Failure), End; I != End && !Failure;
       I.increment(Failure))
    Names.push_back(I->path());
  if (Failure)
    return failure(Path, Failure);
  sort(Names);
  for (const std::string &Name : Names) {
    SmallVector<StringRef, 3> Parts; // 12-abcdef, gfx90a, profraw
    sys::path::filename(Name).split(Parts, '.');
    if (Parts.back() == ProfileSuffix && Parts.size() == 3) {
      // A process that was killed may have come no further than to the name.
      uint64_t Size = 0;
      if ((Failure = sys::fs::file_size(Name, Size)))
        return failure(Name, Failure);
      if (Size == 0)
        continue;
      Result.Profiles.push_back({Parts[1].str(), Name});
    } else if (Parts.back() == CountingSuffix) {
      Result.Counting.insert(Parts.front().str());
    } else if (Parts.back() == CodeSuffix) {
      Result.Code[Parts.front().str()] = Name;
    } else if (Parts.back() == NoteSuffix) {
      auto Text = MemoryBuffer::getFile(Name);
      if (!Text)
        return failure(Name, Text.getError());
      Result.Notes.push_back(ProcessNote::parse((*Text)->getBuffer()));
    }
  }
  return Result;
}

} // namespace luthier::pgo
