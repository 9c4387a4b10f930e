// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/ModuleImages.h"
#include "hook/HookBitcode.h"
#include "luthier/Refusal.h"
#include "runtime/EngineLock.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace luthier::runtime {

Error moduleError(ModuleFault Fault, const Twine &Message) {
  return make_error<ModuleError>(Fault, Message.str());
}

static Error notAModule(StringRef Name, const Twine &Why) {
  return moduleError(ModuleFault::NotAModule,
                     Name + " is no module with hooks: " + Why);
}

/// A code object made of bitcode.
static Expected<BundledCodeObject> compiled(ArrayRef<uint8_t> Bitcode) {
  auto Made = [&] {
    std::lock_guard Guard(EngineLock);
    return makeCodeObject(Bitcode);
  }();
  if (!Made)
    return Made.takeError();
  auto Storage = std::make_shared<std::vector<uint8_t>>(std::move(*Made));
  auto Object = CodeObject::create(*Storage);
  if (!Object)
    return Object.takeError();
  return BundledCodeObject{(*Object)->target(), *Storage, Storage};
}

static Expected<BundledCodeObject> readImage(const BundledCodeObject &Given) {
  if (isBitcode(Given.Bytes))
    return compiled(Given.Bytes);
  auto Object = CodeObject::create(Given.Bytes);
  if (!Object)
    return Object.takeError();
  const auto Hooks = (*Object)->section(HooksSection);
  if (!Hooks || Hooks->empty())
    return createStringError("its code object for " + Given.Target.str() +
                             " has no hooks");
  auto Storage = std::make_shared<std::vector<uint8_t>>(Given.Bytes.vec());
  return BundledCodeObject{Given.Target, *Storage, Storage};
}

Expected<std::vector<BundledCodeObject>> readModule(ArrayRef<uint8_t> Bytes,
                                                    StringRef Name) {
  std::vector<BundledCodeObject> Given;
  if (isBitcode(Bytes))
    Given.push_back({TargetID(), Bytes, nullptr});
  else if (auto Found = findCodeObjects(Bytes))
    Given = std::move(*Found);
  else
    return notAModule(Name, detailOf(Found.takeError()));
  if (Given.empty())
    return notAModule(Name, "it is neither a code object for an AMD GPU nor a "
                            "clang offload bundle nor LLVM bitcode");
  std::vector<BundledCodeObject> Images;
  for (const BundledCodeObject &Each : Given) {
    Expected<BundledCodeObject> Image = readImage(Each);
    if (!Image)
      return notAModule(Name, detailOf(Image.takeError()));
    if (any_of(Images, [&](const BundledCodeObject &Other) {
          return Other.Target == Image->Target;
        }))
      return notAModule(Name, "it has several code objects for " +
                                  Image->Target.str() +
                                  ", which are of several sources");
    Images.push_back(std::move(*Image));
  }
  return Images;
}

} // namespace luthier::runtime
