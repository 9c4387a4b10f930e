// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory instructions in many forms, run with a hook that is given their
// addresses and loads from there: what it finds must be what the instruction
// itself loads or has stored. So the emulator says where the instruction went.
#ifndef LUTHIER_TEST_UNIT_REWRITE_ADDRESSCASES_H
#define LUTHIER_TEST_UNIT_REWRITE_ADDRESSCASES_H

#include "EngineTest.h"
#include "luthier/MemoryAccess.h"

namespace luthier::test {

/// One instruction. When Setup runs, s[4:5] is the address of Data, LDS holds
/// the same words, v0 is the lane, v1 a multiple of 16 below 1024, different in
/// the lanes, v[2:3] the address of Data plus v1, v12 to v15 hold numbers of
/// their lane. s[8:23], v4 to v8, v20 to v47 and M0 are free.
struct AddressCase {
  std::string Setup;
  std::string Instruction;
  MemorySpace Space;
  uint32_t Flags;
  unsigned Bytes;
  /// The register whose value is that in memory: loaded, or stored.
  std::string Value = "v10";
  bool IsStore = false;
  unsigned Access = 0;
  /// Behind the instruction, when it has been waited for.
  std::string Post = "";
};

class AddressTest : public EngineTest {
protected:
  AddressTest();

  /// Runs all of \p Cases in one kernel, under the given EXEC, which is cut to
  /// the wave size.
  void expectFound(const std::vector<AddressCase> &Cases,
                   uint64_t Exec = 0xfffffffffffffff7);

  bool isAnyOf(std::initializer_list<const char *> Processors) const {
    for (const char *P : Processors)
      if (std::string(P) == target().Processor)
        return true;
    return false;
  }
  unsigned generation() const {
    std::string P = target().Processor;
    return P.starts_with("gfx12")   ? 12
           : P.starts_with("gfx11") ? 11
           : P.starts_with("gfx10") ? 10
                                    : 9;
  }
  /// How an atomic operation says that it returns the old value.
  std::string returning() const {
    return generation() == 12              ? " th:TH_ATOMIC_RETURN"
           : isAnyOf({"gfx942", "gfx950"}) ? " sc0"
                                           : " glc";
  }

  static constexpr unsigned DataWords = 1 << 16;
  static uint32_t dataWord(uint32_t I) {
    return (I * 2654435761u) ^ (I << 7) ^ 0x5bd1e995u;
  }
  unsigned Lds = 8192, Scratch = 0;

private:
  std::string kernelText(const std::vector<AddressCase> &Cases, uint64_t Exec);
};

/// Targets that the engine instruments, in both wave sizes.
inline std::vector<EngineTarget> instrumentedTargets() { return allTargets(); }

/// Loads, stores and atomic operations with a return value.
inline AddressCase load(MemorySpace Space, std::string Instruction,
                        unsigned Bytes, std::string Setup = "") {
  return {std::move(Setup), std::move(Instruction), Space, ReadsMemory, Bytes};
}
inline AddressCase store(MemorySpace Space, std::string Instruction,
                         unsigned Bytes, std::string Setup = "") {
  return {std::move(Setup),
          std::move(Instruction),
          Space,
          WritesMemory,
          Bytes,
          "v12",
          true};
}
inline AddressCase atomic(MemorySpace Space, std::string Instruction,
                          unsigned Bytes, std::string Setup = "") {
  return {std::move(Setup), std::move(Instruction), Space,
          ReadsMemory | WritesMemory | IsAtomic, Bytes};
}

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_REWRITE_ADDRESSCASES_H
