// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors and wave sizes that the engine is for.
#ifndef LUTHIER_TEST_SUPPORT_TARGETS_H
#define LUTHIER_TEST_SUPPORT_TARGETS_H

#include <gtest/gtest.h>
#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace luthier::test {

struct EngineTarget {
  const char *Processor = "gfx90a";
  unsigned WaveSize = 64;

  /// Such as "gfx1030w64"; the wave size is left out where there is only one.
  std::string name() const {
    return Processor + (isRdna() ? "w" + std::to_string(WaveSize) : "");
  }
  /// GFX10 and later, with two wave sizes.
  bool isRdna() const { return std::string(Processor).starts_with("gfx1"); }
  /// LLVM's subtarget features; empty where there is one wave size.
  std::string features() const {
    if (!isRdna())
      return "";
    return WaveSize == 64 ? "-wavefrontsize32,+wavefrontsize64"
                          : "+wavefrontsize32,-wavefrontsize64";
  }
};

inline void PrintTo(const EngineTarget &T, std::ostream *OS) {
  *OS << T.name();
}

/// All processors, those that have two wave sizes in both.
inline std::vector<EngineTarget> allTargets() {
  std::vector<EngineTarget> All;
  for (const char *P : {"gfx906", "gfx908", "gfx90a", "gfx942", "gfx950"})
    All.push_back({P, 64});
  for (const char *P : {"gfx1030", "gfx1100", "gfx1201"})
    for (unsigned WaveSize : {32, 64})
      All.push_back({P, WaveSize});
  return All;
}

/// Tests of a feature are instantiated over the targets that have it, so that
/// none counts as passed where nothing ran.
template <class Predicate>
std::vector<EngineTarget> targetsWhere(Predicate HasFeature) {
  std::vector<EngineTarget> Some = allTargets();
  std::erase_if(Some, [&](const EngineTarget &T) { return !HasFeature(T); });
  return Some;
}
inline std::vector<EngineTarget> gfx9Targets() {
  return targetsWhere([](const EngineTarget &T) { return !T.isRdna(); });
}
inline std::vector<EngineTarget> rdnaTargets() {
  return targetsWhere([](const EngineTarget &T) { return T.isRdna(); });
}
/// These processors, in each of their wave sizes.
inline std::vector<EngineTarget>
targetsOf(std::initializer_list<const char *> Processors) {
  return targetsWhere([&](const EngineTarget &T) {
    for (const char *Processor : Processors)
      if (T.Processor == std::string_view(Processor))
        return true;
    return false;
  });
}

/// For INSTANTIATE_TEST_SUITE_P.
inline std::string
targetName(const ::testing::TestParamInfo<EngineTarget> &Info) {
  return Info.param.name();
}

} // namespace luthier::test

#endif // LUTHIER_TEST_SUPPORT_TARGETS_H
