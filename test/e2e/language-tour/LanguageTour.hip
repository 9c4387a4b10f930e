// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook for each thing that HIP can say, at the entry of the application's
// kernel; when the program ends, the host says whether all got the right
// numbers.
#include "luthier/luthier.h"

#include "DeviceOnly.h"
#include "Features.h"
#include "OwnIntrinsic.h"

using namespace luthier;
using tour::Items;

MARK_LUTHIER_DEVICE_MODULE

#define NUMBER(Name) Name##Number,
enum FeatureNumber {
  TOUR_FEATURES(NUMBER) DEVICE_FEATURES(NUMBER) NumFeatures
};

__attribute__((managed)) uint32_t Seen[NumFeatures][Items];
__attribute__((managed)) uint32_t Visits[NumFeatures];

/// Of each feature. Counting shows that no lane was left out.
#define HOOK(Name)                                                             \
  LUTHIER_HOOK_ANNOTATE Name##Hook() {                                         \
    if (blockIdx.x != 0)                                                       \
      return;                                                                  \
    Seen[Name##Number][threadIdx.x] = tour::Name(threadIdx.x);                 \
    atomicAdd(&Visits[Name##Number], 1u);                                      \
  }                                                                            \
  LUTHIER_EXPORT_HOOK_HANDLE(Name##Hook);
TOUR_FEATURES(HOOK)
DEVICE_FEATURES(HOOK)

/// Hooks of another file of this tool.
const void *otherFilesHook();
uint32_t otherFilesResult(uint32_t Item);

class LanguageTour : public Tool {
public:
  LanguageTour() { tour::registerIntrinsic(); }

private:
  llvm::Error instrument(LiftedRepresentation &LR,
                         InstrumentationTask &Task) override {
    if (llvm::StringRef(LR.functions().front().first.Name).starts_with("__amd"))
      return llvm::Error::success();
#define INSERT(Name)                                                           \
  LUTHIER_RETURN_ON_ERROR(                                                     \
      Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(Name##Hook)));
    TOUR_FEATURES(INSERT)
    DEVICE_FEATURES(INSERT)
    LUTHIER_RETURN_ON_ERROR(tour::insertOwnIntrinsic(Task));
    return Task.insertHookAtKernelEntry(otherFilesHook());
  }

  void report(llvm::raw_ostream &OS) override {
#define EXPECT(Name)                                                           \
  expect(OS, #Name, Seen[Name##Number], Visits[Name##Number],                  \
         tour::expected::Name);
    TOUR_FEATURES(EXPECT)
    DEVICE_FEATURES(EXPECT)
    for (uint32_t Item = 0; Item < Items; ++Item)
      check(OS, "hook of another file", Item, otherFilesResult(Item),
            tour::notInlined(Item) + 5);
    check(OS, "intrinsic of the tool", 0, tour::ownIntrinsicIsRight(), true);
    OS << "language tour: " << (Wrong ? "FAILED" : "passed") << ", "
       << unsigned(NumFeatures) << " features\n";
  }

  void expect(llvm::raw_ostream &OS, const char *Name, const uint32_t *Values,
              uint32_t Count, uint32_t (*Expected)(uint32_t)) {
    check(OS, Name, Items, Count, Items);
    for (uint32_t Item = 0; Item < Items; ++Item)
      check(OS, Name, Item, Values[Item], Expected(Item));
  }

  void check(llvm::raw_ostream &OS, const char *Name, uint32_t Item,
             uint32_t Value, uint32_t Expected) {
    if (Value == Expected || ++Wrong > 20)
      return;
    OS << Name << ", item " << Item << ": " << Value << " instead of "
       << Expected << '\n';
  }

  uint32_t Wrong = 0;
};
LUTHIER_TOOL(LanguageTour)
