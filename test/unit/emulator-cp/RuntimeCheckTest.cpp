// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/kfd/RuntimeCheck.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace luthier::emulator {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(RuntimeCheckTest, DevicesThatALibraryDoesNotNameAreTold) {
  const DeviceModel *Models[] = {findDeviceModel("gfx90a"),
                                 findDeviceModel("gfx942")};
  const RuntimeLibrary Old{"/lib/libhsa-runtime64.so.1", {"x", "a gfx90a b"}};
  const RuntimeLibrary New{"/lib/libamdhip64.so.7", {"gfx942", "gfx90a"}};
  EXPECT_THAT(unknownDevices({Old, New}, Models),
              ElementsAre(AllOf(HasSubstr("libhsa-runtime64"),
                                HasSubstr("gfx942"), HasSubstr("6.0"))));
  EXPECT_THAT(unknownDevices(New, Models), IsEmpty());
  EXPECT_THAT(
      unknownDevices(RuntimeLibrary{"/lib/libamdhip64.so.7", {}}, Models),
      IsEmpty())
      << "nothing is known about it";
}

} // namespace
} // namespace luthier::emulator
