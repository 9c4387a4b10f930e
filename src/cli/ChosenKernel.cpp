// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/ChosenKernel.h"
#include "cli/FileCommand.h"
#include "luthier/Refusal.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace luthier::cli {
namespace {

/// Every image's code object, all for one target.
using Objects = std::vector<std::shared_ptr<CodeObject>>;

Expected<Objects> readAll(const InspectedFile &File, const std::string &Path) {
  std::vector<std::string> Targets;
  for (const BundledCodeObject &Image : File.Images)
    if (!is_contained(Targets, Image.Target.str()))
      Targets.push_back(Image.Target.str());
  if (Targets.size() > 1)
    return failed(Path + ": choose a --target from " + join(Targets, ", "));
  Objects Result;
  for (const BundledCodeObject &Image : File.Images) {
    auto Read = CodeObject::create(Image.Bytes);
    if (!Read)
      return failed(Path + ": " + detailOf(Read.takeError()));
    Result.push_back(std::move(*Read));
  }
  return Result;
}

std::string listKernels(const Objects &All) {
  constexpr size_t MostListed = 20;
  size_t Count = 0;
  std::string Text;
  for (const auto &Object : All)
    for (const KernelInfo &K : Object->kernels())
      if (Count++ < MostListed)
        Text += "\n  " + readableName(K.Name);
  if (Count > MostListed)
    Text += "\n  and " + std::to_string(Count - MostListed) + " more";
  return Count ? "; there are:" + Text : "; there is none in the file";
}

} // namespace

std::vector<OptionSpec> kernelOptions() {
  return {{"--kernel", true}, {"--target", true}};
}

Expected<ChosenKernel> chooseKernel(const Arguments &Args,
                                    const std::string &Path) {
  ChosenKernel Result;
  Expected<InspectedFile> Opened =
      InspectedFile::open(Path, Args.value("--target"));
  if (!Opened)
    return Opened.takeError();
  Result.File = std::move(*Opened);
  Expected<Objects> All = readAll(Result.File, Path);
  if (!All)
    return All.takeError();
  const std::string *Name = Args.value("--kernel");
  if (!Name)
    return failed("no --kernel given" + listKernels(*All));
  for (auto [Image, Object] : zip(Result.File.Images, *All)) {
    Expected<const KernelInfo *> Found = findKernelByName(*Object, *Name);
    if (!Found)
      return Found.takeError();
    if (!*Found)
      continue;
    Result.Image = &Image;
    Result.Object = Object;
    Result.Kernel = *Found;
    return std::move(Result);
  }
  // The first image's near names are as good as any.
  const CodeObject &First = *All->front();
  return failed("no kernel '" + *Name + "' in the code for " +
                First.target().str() + listNearNames(First, *Name) +
                listKernels(*All));
}

} // namespace luthier::cli
