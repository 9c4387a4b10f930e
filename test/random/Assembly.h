// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One random kernel in assembly.
#ifndef LUTHIER_TEST_RANDOM_ASSEMBLY_H
#define LUTHIER_TEST_RANDOM_ASSEMBLY_H

#include "RandomKernel.h"
#include "llvm/ADT/StringRef.h"

namespace luthier::test {

/// s[8:9] is the buffer, s[10:11] the mask of the launch, s12 to s14 count
/// loops, s15 is 0, s[2:7] are for calls and indices, v0 is the work-item in
/// the grid and v1 where it stores; all registers from FirstSGPR and FirstVGPR
/// on are the dice's.
class Assembly {
public:
  Assembly(const EngineTarget &T, uint64_t Seed);
  llvm::Expected<RandomKernel> run();

private:
  static constexpr unsigned FirstSGPR = 16, FirstVGPR = 3, LdsBytes = 1024,
                            ScratchWords = 8, NoLoad = ~0u;

  void line(const std::string &Text) { Code += "  " + Text + "\n"; }
  void label(const std::string &Name) { Code += Name + ":\n"; }
  std::string newLabel() { return "L" + std::to_string(NumLabels++); }
  std::string s() { return "s" + std::to_string(sgpr()); }
  unsigned sgpr() { return D.between(FirstSGPR, SGPRs - 1); }
  std::string sPair();
  /// A pair; in wave32, where masks have one register, the first of it.
  std::string mask();
  static std::string tuple(char File, unsigned First, unsigned Count) {
    return File + ("[" + std::to_string(First) + ":") +
           std::to_string(First + Count - 1) + "]";
  }
  static std::string reg(char File, unsigned N) {
    return File + std::to_string(N);
  }
  std::string v() { return reg('v', vgpr()); }
  unsigned vgpr() {
    const unsigned N = D.between(FirstVGPR, VGPRs - 1);
    return N == Loading ? FirstVGPR : N;
  }
  std::string a() { return reg('a', D.below(AGPRs)); }
  std::string number() {
    return std::to_string(D.chance(50) ? D.below(64) : D.bits());
  }
  std::string inlined() { return std::to_string(D.below(64)); }
  std::string exec() const { return Is32 ? "exec_lo" : "exec"; }
  std::string vcc() const { return Is32 ? "vcc_lo" : "vcc"; }
  std::string launched() const { return Is32 ? "s10" : "s[10:11]"; }
  std::string wide(const std::string &Op) const {
    return Op + (Is32 ? "_b32 " : "_b64 ");
  }
  bool is(llvm::StringRef Prefix) const {
    return llvm::StringRef(T.Processor).starts_with(Prefix);
  }

  // RandomAssembly.cpp: what a kernel consists of.
  void begin();
  void beginScratch();
  void fillRegisters();
  void function(unsigned Number);
  void step();
  void region(unsigned Count, unsigned Depth);
  void skip(unsigned Depth);
  void loop(unsigned Depth);
  void waitForLoad();
  void end();
  RandomKernel kernelOf(std::shared_ptr<const CodeObject> Object);

  // AssemblySteps.cpp: what it does.
  void vector();
  void comparisons();
  void floats();
  void lanes();
  void accumulators();
  void scalar();
  void masks();
  void memory();
  void loadAndWait(const std::string &Load);
  void mode();
  void halves();
  void clause();
  void dual();
  void indexed();
  void call();
  void address(unsigned Function);

  const EngineTarget &T;
  Dice D;
  const bool Is32;
  bool HasAGPRs, HasLds, HasScratch;
  unsigned SGPRs, VGPRs, AGPRs, NumLabels = 0;
  /// Those that may be called; of a function, those before it.
  unsigned NumFunctions = 0, Callable = 0;
  /// A load into it is in flight.
  unsigned Loading = NoLoad;
  std::string Code, FunctionCode;
};

} // namespace luthier::test

#endif // LUTHIER_TEST_RANDOM_ASSEMBLY_H
