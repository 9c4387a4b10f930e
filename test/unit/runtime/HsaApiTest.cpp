// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/HsaApi.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include <array>

namespace luthier::runtime {
namespace {

using testing::HasSubstr;

/// The tables of a runtime, with members that differ from one another.
struct Tables {
  Tables(uint32_t RootMajor, uint32_t AmdMajor, size_t NumAmd) {
    Root.version = {RootMajor, sizeof(Root), 0, 0};
    Core.version = {1, sizeof(Core), 0, 0};
    Core.hsa_executable_load_agent_code_object_fn =
        reinterpret_cast<decltype(&hsa_executable_load_agent_code_object)>(1);
    Core.hsa_executable_iterate_agent_symbols_fn =
        reinterpret_cast<decltype(&hsa_executable_iterate_agent_symbols)>(1);
    for (size_t N = 0; N != Amd.Members.size(); ++N)
      Amd.Members[N] = 100 + N;
    Amd.Version = {AmdMajor,
                   uint32_t(sizeof(Amd.Version) + NumAmd * sizeof(void *)), 0,
                   0};
    Root.core_ = &Core;
    Root.amd_ext_ = reinterpret_cast<AmdExtTable *>(&Amd);
  }
  ~Tables() { closeHsaApi(); }

  HsaApiTable Root = {};
  CoreApiTable Core = {};
  struct {
    ApiTableVersion Version;
    std::array<uintptr_t, 100> Members;
  } Amd;
};

template <class Function> uintptr_t number(Function *Pointer) {
  return reinterpret_cast<uintptr_t>(Pointer);
}

TEST(HsaApiTest, ExtensionsAreFoundInRocm5) {
  Tables T(1, 1, 48);
  ASSERT_EQ(llvm::toString(saveHsaApi(T.Root)), "");
  EXPECT_EQ(number(amdApi().hsa_amd_memory_pool_free_fn), 114u);
  EXPECT_EQ(number(amdApi().hsa_amd_agents_allow_access_fn), 117u);
  EXPECT_EQ(number(amdApi().hsa_amd_queue_intercept_register_fn), 136u);
}

TEST(HsaApiTest, ExtensionsAreFoundWhereRocm6HasMovedThem) {
  Tables T(3, 2, 70);
  ASSERT_EQ(llvm::toString(saveHsaApi(T.Root)), "");
  EXPECT_EQ(number(amdApi().hsa_amd_memory_pool_free_fn), 114u);
  EXPECT_EQ(number(amdApi().hsa_amd_agents_allow_access_fn), 119u);
  EXPECT_EQ(number(amdApi().hsa_amd_queue_intercept_register_fn), 138u);
  *amdApiSlots(T.Root).hsa_amd_agents_allow_access_fn = nullptr;
  EXPECT_EQ(T.Amd.Members[19], 0u);
}

TEST(HsaApiTest, WhatAShorterTableLacksIsNull) {
  Tables T(1, 1, 40);
  ASSERT_EQ(llvm::toString(saveHsaApi(T.Root)), "");
  EXPECT_EQ(amdApi().hsa_amd_memory_lock_to_pool_fn, nullptr);
  EXPECT_NE(amdApi().hsa_amd_memory_lock_fn, nullptr);
}

TEST(HsaApiTest, UnknownVersionsAreRefusedByTheirNumbers) {
  for (Tables T : {Tables(4, 2, 70), Tables(3, 3, 70), Tables(1, 1, 55)}) {
    T.Root.core_ = &T.Core;
    T.Root.amd_ext_ = reinterpret_cast<AmdExtTable *>(&T.Amd);
    const std::string Text = llvm::toString(saveHsaApi(T.Root));
    EXPECT_THAT(Text, HasSubstr("does not know"));
    EXPECT_THAT(Text, HasSubstr(std::to_string(T.Amd.Version.minor_id)));
    EXPECT_FALSE(isHsaOpen());
  }
}

TEST(HsaApiTest, ARuntimeThatCannotShowPacketsIsRefused) {
  Tables T(1, 1, 30);
  EXPECT_THAT(llvm::toString(saveHsaApi(T.Root)), HasSubstr("too old"));
}

/// The columns of AmdExtMembers.def against the header we build with.
TEST(HsaApiTest, TheInstalledHeaderAgrees) {
  constexpr bool IsRocm5 = HSA_AMD_EXT_API_TABLE_MAJOR_VERSION == 1;
#define LUTHIER_AMD_EXT(Function, InRocm5, SinceRocm6)                         \
  EXPECT_EQ(offsetof(AmdExtTable, Function##_fn),                              \
            sizeof(ApiTableVersion) +                                          \
                (IsRocm5 ? InRocm5 : SinceRocm6) * sizeof(void *))             \
      << #Function;
#include "runtime/AmdExtMembers.def"
}

} // namespace
} // namespace luthier::runtime
