// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/RunProgram.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace luthier::cli {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// What a machine or a container has of the kernel's driver.
class WhyNoGPU : public testing::Test {
protected:
  void SetUp() override {
    std::string Name = fs::temp_directory_path() / "luthier-gpu-XXXXXX";
    ASSERT_TRUE(::mkdtemp(Name.data()));
    Root = Name;
  }
  void TearDown() override { fs::remove_all(Root); }

  void write(const std::string &Path, const std::string &Text) {
    fs::create_directories((Root + Path).substr(0, (Root + Path).rfind('/')));
    std::ofstream(Root + Path) << Text;
  }
  void addNode(unsigned Number, unsigned Id, unsigned Minor) {
    const std::string Node =
        "/sys/class/kfd/kfd/topology/nodes/" + std::to_string(Number);
    write(Node + "/gpu_id", std::to_string(Id) + "\n");
    write(Node + "/properties", "simd_count 32\ndrm_render_minor " +
                                    std::to_string(Minor) + "\nhive_id 0\n");
  }

  std::string Root;
};

TEST_F(WhyNoGPU, TheDriverIsMissing) {
  EXPECT_EQ(whyNoGPU(Root), "/dev/kfd is missing");
  fs::create_directories(Root + "/dev/kfd");
  EXPECT_EQ(whyNoGPU(Root), "/dev/kfd cannot be opened: Is a directory");
}

TEST_F(WhyNoGPU, TheDriverHasNoneForTheProcess) {
  write("/dev/kfd", "");
  EXPECT_THAT(whyNoGPU(Root), HasSubstr("has no GPU for this process"));
  addNode(0, 0, 0);
  EXPECT_THAT(whyNoGPU(Root), HasSubstr("has no GPU for this process"));
}

TEST_F(WhyNoGPU, ItsDeviceIsNotInTheContainer) {
  write("/dev/kfd", "");
  addNode(0, 0, 0);
  addNode(1, 4711, 128);
  EXPECT_EQ(whyNoGPU(Root), "/dev/dri/renderD128 is missing");
  fs::create_directories(Root + "/dev/dri/renderD128");
  EXPECT_EQ(whyNoGPU(Root),
            "/dev/dri/renderD128 cannot be opened: Is a directory");
}

TEST_F(WhyNoGPU, OneOfSeveralIsEnough) {
  write("/dev/kfd", "");
  addNode(0, 0, 0);
  addNode(1, 4711, 128);
  addNode(2, 4712, 129);
  write("/dev/dri/renderD129", "");
  EXPECT_EQ(whyNoGPU(Root), "");
}

} // namespace
} // namespace luthier::cli
