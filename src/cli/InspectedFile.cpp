// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/InspectedFile.h"
#include "cli/FileCommand.h"
#include "codeobject/GenericTarget.h"
#include "codeobject/Linker.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include <cstring>

using namespace llvm;

namespace luthier::cli {

bool matchesTarget(const TargetID &Have, const TargetID &Wanted) {
  return Have.Processor == Wanted.Processor &&
         (!Wanted.Xnack || Have.Xnack == Wanted.Xnack) &&
         (!Wanted.SramEcc || Have.SramEcc == Wanted.SramEcc);
}

Error selectImages(std::vector<BundledCodeObject> &Images, StringRef Target,
                   StringRef Path) {
  Expected<TargetID> Wanted = TargetID::parse(Target);
  if (!Wanted)
    return Wanted.takeError();
  std::vector<std::string> Others; // A library has many bundles.
  for (const BundledCodeObject &Image : Images)
    if (const std::string Other = Image.Target.str();
        !is_contained(Others, Other))
      Others.push_back(Other);
  llvm::erase_if(Images, [&](const BundledCodeObject &Image) {
    return !matchesTarget(Image.Target, *Wanted);
  });
  if (Images.empty())
    return failed(Path + ": no code for " + Target + ", only for " +
                  join(Others, ", "));
  return Error::success();
}

/// Code for a generic target is that of \p Wanted, where that runs it.
static void takeForProcessor(BundledCodeObject &Image, const TargetID &Wanted) {
  const TargetID Taken = targetOn(Image.Target, Wanted);
  ELF::Elf64_Ehdr Header;
  if (Taken.Processor == Image.Target.Processor ||
      Image.Bytes.size() < sizeof(Header))
    return;
  Image.Target = Taken;
  Image.Storage = std::make_shared<std::vector<uint8_t>>(Image.Bytes.vec());
  Image.Bytes = *Image.Storage;
  std::memcpy(&Header, Image.Bytes.data(), sizeof(Header));
  Header.e_flags = flagsFor(Taken.Processor, Header.e_flags);
  std::memcpy(Image.Storage->data(), &Header, sizeof(Header));
}

void takeGenericCode(std::vector<BundledCodeObject> &Images, StringRef Target) {
  Expected<TargetID> Wanted = TargetID::parse(Target);
  if (!Wanted)
    return consumeError(Wanted.takeError()); // Is said where images are chosen.
  if (any_of(Images, [&](const BundledCodeObject &Image) {
        return matchesTarget(Image.Target, *Wanted);
      }))
    return;
  for (BundledCodeObject &Image : Images)
    takeForProcessor(Image, *Wanted);
}

/// What is left to the linker, as in object files, is done here: kernels have
/// no addresses before.
static Error linkIfNeeded(BundledCodeObject &Image) {
  ELF::Elf64_Ehdr Header;
  if (Image.Bytes.size() < sizeof(Header))
    return Error::success();
  std::memcpy(&Header, Image.Bytes.data(), sizeof(Header));
  if (!Header.checkMagic() || Header.e_type != ELF::ET_REL)
    return Error::success();
  Expected<std::vector<uint8_t>> Linked = linkSharedObject(Image.Bytes);
  if (!Linked)
    return Linked.takeError();
  Image.Storage = std::make_shared<std::vector<uint8_t>>(std::move(*Linked));
  Image.Bytes = *Image.Storage;
  return Error::success();
}

Expected<InspectedFile> InspectedFile::open(const std::string &Path,
                                            const std::string *Target) {
  InspectedFile File;
  ErrorOr<std::unique_ptr<MemoryBuffer>> Buffer = MemoryBuffer::getFile(
      Path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!Buffer)
    return failed("cannot read " + Path + ": " + Buffer.getError().message());
  File.Buffer = std::move(*Buffer);
  Expected<std::vector<BundledCodeObject>> Images =
      findCodeObjects(arrayRefFromStringRef(File.Buffer->getBuffer()));
  if (!Images)
    return failed(Path + ": " + detailOf(Images.takeError()));
  if (Images->empty())
    return failed(Path + ": no code for AMD GPUs in this file");
  File.Images = std::move(*Images);
  if (Target) {
    takeGenericCode(File.Images, *Target);
    if (Error E = selectImages(File.Images, *Target, Path))
      return E;
  }
  for (BundledCodeObject &Image : File.Images)
    if (Error E = linkIfNeeded(Image))
      return failed(Path + ": " + detailOf(std::move(E)));
  return File;
}

Expected<std::vector<InspectedFile>>
openProgramCode(const std::string &Program, ArrayRef<std::string> Others) {
  std::vector<InspectedFile> Files;
  Expected<InspectedFile> File = InspectedFile::open(Program, nullptr);
  if (File)
    Files.push_back(std::move(*File));
  else if (Others.empty())
    return File.takeError();
  else
    consumeError(File.takeError());
  for (const std::string &Path : Others) {
    Expected<InspectedFile> Other = InspectedFile::open(Path, nullptr);
    if (!Other)
      return Other.takeError();
    Files.push_back(std::move(*Other));
  }
  return Files;
}

Error forEachCodeObject(ArrayRef<InspectedFile> Files,
                        function_ref<Error(std::unique_ptr<CodeObject>)> Use) {
  for (const InspectedFile &File : Files)
    for (const BundledCodeObject &Image : File.Images) {
      auto Object = CodeObject::create(Image.Bytes);
      if (!Object)
        return failed(detailOf(Object.takeError()));
      if (Error E = Use(std::move(*Object)))
        return E;
    }
  return Error::success();
}

} // namespace luthier::cli
