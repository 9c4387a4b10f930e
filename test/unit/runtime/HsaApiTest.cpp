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

/// As ROCm 5.2 has them, with the performance monitor's, and with dmabufs.
TEST(HsaApiTest, ExtensionsAreFoundInEarlyTables) {
  for (size_t NumAmd : {48, 51, 53}) {
    Tables T(1, 1, NumAmd);
    ASSERT_EQ(llvm::toString(saveHsaApi(T.Root)), "") << NumAmd;
    EXPECT_EQ(number(amdApi().hsa_amd_memory_pool_free_fn), 114u);
    EXPECT_EQ(number(amdApi().hsa_amd_agents_allow_access_fn), 117u);
    EXPECT_EQ(number(amdApi().hsa_amd_queue_intercept_register_fn), 136u);
    EXPECT_EQ(number(amdApi().hsa_amd_svm_attributes_set_fn), 144u);
  }
}

TEST(HsaApiTest, ExtensionsAreFoundWhereThisVersionHasMovedThem) {
  for (size_t NumAmd : {55, 68}) {
    Tables T(1, 1, NumAmd);
    ASSERT_EQ(llvm::toString(saveHsaApi(T.Root)), "") << NumAmd;
    EXPECT_EQ(number(amdApi().hsa_amd_memory_pool_free_fn), 114u);
    EXPECT_EQ(number(amdApi().hsa_amd_agents_allow_access_fn), 119u);
    EXPECT_EQ(number(amdApi().hsa_amd_queue_intercept_register_fn), 138u);
  }
}

TEST(HsaApiTest, ExtensionsAreFoundInTheNextVersion) {
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

/// Lengths, too, between those that are known, of half members and of less
/// than the version takes.
TEST(HsaApiTest, UnknownVersionsAreRefusedByTheirNumbers) {
  struct {
    uint32_t Root, Amd, Bytes;
  } const Cases[] = {{4, 2, 576},
                     {3, 3, 576},
                     {1, 1, 16 + 8 * 49},
                     {1, 1, 16 + 8 * 50},
                     {1, 1, 16 + 8 * 52},
                     {1, 1, 16 + 8 * 54},
                     {1, 1, 16 + 8 * 55 + 4},
                     {1, 1, 8}};
  for (const auto &[Root, Amd, Bytes] : Cases) {
    Tables T(Root, Amd, 0);
    T.Amd.Version.minor_id = Bytes;
    const std::string Text = llvm::toString(saveHsaApi(T.Root));
    EXPECT_THAT(Text, HasSubstr("does not know"));
    EXPECT_THAT(Text, HasSubstr("of " + std::to_string(Bytes) + " bytes"));
    EXPECT_FALSE(isHsaOpen());
  }
}

TEST(HsaApiTest, ARuntimeThatCannotShowPacketsIsRefused) {
  Tables T(1, 1, 30);
  EXPECT_THAT(llvm::toString(saveHsaApi(T.Root)), HasSubstr("too old"));
}

/// The columns of AmdExtMembers.def against the header we build with.
TEST(HsaApiTest, TheInstalledHeaderAgrees) {
  constexpr size_t LongestEarly = 53;
  constexpr bool IsEarly =
      sizeof(AmdExtTable) <=
      sizeof(ApiTableVersion) + LongestEarly * sizeof(void *);
#define LUTHIER_AMD_EXT(Function, Early, Late)                                 \
  EXPECT_EQ(offsetof(AmdExtTable, Function##_fn),                              \
            sizeof(ApiTableVersion) +                                          \
                (IsEarly ? Early : Late) * sizeof(void *))                     \
      << #Function;
#include "runtime/AmdExtMembers.def"
}

} // namespace
} // namespace luthier::runtime
