// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assembly.h"

using namespace llvm;

namespace luthier::test {

Assembly::Assembly(const EngineTarget &T, uint64_t Seed)
    : T(T), D(Seed * 2), Is32(T.WaveSize == 32) {
  HasAGPRs = !is("gfx906") && !T.isRdna();
  const bool IsFull = D.chance(15);
  SGPRs = IsFull ? (T.isRdna() ? 106 : 102) : D.between(24, 60);
  VGPRs = IsFull ? 256 : D.between(8, 40);
  AGPRs = HasAGPRs && D.chance(50) ? (IsFull ? 256 : D.between(4, 24)) : 0;
  HasLds = D.chance(50);
  HasScratch = D.chance(40);
}

std::string Assembly::sPair() {
  return tuple('s', FirstSGPR + 2 * D.below((SGPRs - FirstSGPR) / 2), 2);
}

std::string Assembly::mask() {
  const unsigned First = FirstSGPR + 2 * D.below((SGPRs - FirstSGPR) / 2);
  return Is32 ? reg('s', First) : tuple('s', First, 2);
}

/// FLAT_SCRATCH comes out of s[2:3] and the wave's offset, where it is not
/// there from the start.
void Assembly::beginScratch() {
  if (is("gfx906") || is("gfx908") || is("gfx90a")) {
    line("s_add_u32 flat_scratch_lo, s2, s5");
    line("s_addc_u32 flat_scratch_hi, s3, 0");
  } else if (is("gfx10")) {
    line("s_add_u32 s2, s2, s5");
    line("s_addc_u32 s3, s3, 0");
    line("s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s2");
    line("s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s3");
  }
}

/// Lanes without a work-item compute, too; nothing is uninitialised.
void Assembly::fillRegisters() {
  for (unsigned N = FirstSGPR; N != SGPRs; ++N)
    line("s_mov_b32 s" + std::to_string(N) + ", " + number());
  line("s_mov_b32 s15, 0");
  line("v_mov_b32_e32 v2, 0");
  for (unsigned N = FirstVGPR; N != VGPRs; ++N)
    line("v_mul_u32_u24_e32 v" + std::to_string(N) + ", " + inlined() + ", v" +
         std::to_string(N % 2 ? 0 : 1));
  for (unsigned N = 0; N != AGPRs; ++N)
    line("v_accvgpr_write_b32 a" + std::to_string(N) + ", v" +
         std::to_string(N % 3));
  if (HasLds)
    line("ds_write_b32 v1, v0");
  for (unsigned N = 0; HasScratch && N != ScratchWords; ++N)
    line("scratch_store_dword off, v0, s15 offset:" + std::to_string(4 * N));
}

void Assembly::begin() {
  line("workgroup_id_x s12");
  if (HasScratch)
    beginScratch();
  line("s_load_dwordx2 s[8:9], s[0:1], 0x0");
  line(wide("s_mov") + launched() + ", " + exec());
  // A workgroup is one wave.
  line(wide("s_mov") + exec() + ", -1");
  line("v_mbcnt_lo_u32_b32 v0, -1, 0");
  if (!Is32)
    line("v_mbcnt_hi_u32_b32 v0, -1, v0");
  line(std::string("s_lshl_b32 s12, s12, ") + (Is32 ? "5" : "6"));
  line("vadd v0, s12, v0");
  line("v_lshlrev_b32_e32 v1, 2, v0");
  fillRegisters();
  line(wide("s_mov") + vcc() + ", " + launched());
  line("s_mov_b32 m0, 7");
  line("s_cmp_eq_u32 s16, s17");
  line(wide("s_mov") + exec() + ", " + launched());
  line("wait_all");
}

void Assembly::step() {
  const unsigned What = D.below(100);
  if (What < 36)
    vector();
  else if (What < 42)
    comparisons();
  else if (What < 46)
    floats();
  else if (What < 56)
    lanes();
  else if (What < 74)
    scalar();
  else if (What < 83)
    masks();
  else if (What < 89)
    memory();
  else if (What < 91)
    mode();
  else if (What < 93)
    halves();
  else if (What < 94)
    clause();
  else if (What < 95)
    dual();
  else if (What < 96)
    indexed();
  else if (What < 97)
    call();
  else if (Loading == NoLoad && VGPRs > FirstVGPR + 2) {
    // Nobody touches it until the wait, which may be in another block.
    Loading = D.between(FirstVGPR + 1, VGPRs - 1);
    line("global_load_dword v" + std::to_string(Loading) +
         ", v1, s[8:9] offset:1024");
  } else {
    waitForLoad();
  }
}

void Assembly::waitForLoad() {
  if (Loading != NoLoad)
    line("wait_all");
  Loading = NoLoad;
}

void Assembly::skip(unsigned Depth) {
  static const char *const Branches[] = {"s_cbranch_scc0",  "s_cbranch_scc1",
                                         "s_cbranch_vccz",  "s_cbranch_vccnz",
                                         "s_cbranch_execz", "s_cbranch_execnz"};
  const std::string Label = newLabel();
  line(std::string(Branches[D.below(6)]) + " " + Label);
  // A load that is waited for on one way only would still be in flight.
  const unsigned Before = Loading;
  region(D.between(1, 8), Depth + 1);
  if (Loading != Before)
    line("wait_all"), Loading = NoLoad;
  label(Label);
  if (Before != NoLoad)
    line("wait_all"), Loading = NoLoad;
}

/// Some are entered in the middle, too.
void Assembly::loop(unsigned Depth) {
  waitForLoad();
  const std::string Label = newLabel(), Middle = newLabel();
  const std::string Counter = reg('s', 12 + Depth);
  line("s_mov_b32 " + Counter + ", " + std::to_string(D.between(1, 4)));
  if (D.chance(30))
    line((D.chance(50) ? "s_cbranch_vccz " : "s_cbranch_execnz ") + Middle);
  label(Label);
  region(D.between(1, 5), Depth + 1);
  waitForLoad();
  label(Middle);
  region(D.between(1, 5), Depth + 1);
  waitForLoad();
  line("s_sub_u32 " + Counter + ", " + Counter + ", 1");
  line("s_cmp_lg_u32 " + Counter + ", 0");
  line("s_cbranch_scc1 " + Label);
}

void Assembly::region(unsigned Count, unsigned Depth) {
  for (unsigned N = 0; N != Count; ++N) {
    const unsigned What = D.below(12);
    if (What == 0 && Depth < 3)
      skip(Depth);
    else if (What == 1 && Depth < 3)
      loop(Depth);
    else
      step();
  }
}

/// Returns through s[6:7], which it keeps in s[2:3] if it calls. Counters of
/// loops are the kernel's.
void Assembly::function(unsigned Number) {
  std::string Kernel;
  std::swap(Kernel, Code);
  const std::string Name = "f" + std::to_string(Number);
  Code = ".p2align 8\n.type " + Name + ",@function\n" + Name + ":\n";
  // Only the second calls, and only the first.
  Callable = 0;
  region(D.between(2, 10), 3);
  if (D.chance(30)) {
    const std::string Label = newLabel();
    waitForLoad();
    line("s_cbranch_scc1 " + Label);
    region(D.between(1, 4), 3);
    waitForLoad();
    label(Label);
  }
  waitForLoad();
  if (Number && D.chance(70)) {
    const bool Returns = D.chance(60);
    if (Returns)
      line("s_mov_b64 s[2:3], s[6:7]");
    address(0);
    line(Returns ? "s_swappc_b64 s[6:7], s[4:5]" : "s_setpc_b64 s[4:5]");
    if (Returns) {
      region(D.between(1, 4), 3);
      waitForLoad();
      line("s_setpc_b64 s[2:3]");
    }
  } else {
    line("s_setpc_b64 s[6:7]");
  }
  Code += ".L" + Name + "_end:\n.size " + Name + ", .L" + Name + "_end-" +
          Name + "\n";
  FunctionCode += Code;
  std::swap(Kernel, Code);
}

/// Everything goes into what is stored.
void Assembly::end() {
  waitForLoad();
  line("s_cselect_b32 s12, 1, 0");
  line(wide("s_mov") + exec() + ", " + launched());
  line("v_xor_b32_e32 v2, s12, v2");
  line("v_xor_b32_e32 v2, vcc_lo, v2");
  line("s_mov_b32 s12, m0");
  line("v_xor_b32_e32 v2, s12, v2");
  for (unsigned N = FirstSGPR; N != SGPRs; ++N)
    line("v_xor_b32_e32 v2, s" + std::to_string(N) + ", v2");
  for (unsigned N = FirstVGPR; N != VGPRs; ++N) {
    line("v_lshlrev_b32_e32 v2, 1, v2");
    line("vadd v2, v" + std::to_string(N) + ", v2");
  }
  for (unsigned N = 0; N != AGPRs; ++N) {
    line("v_accvgpr_read_b32 v3, a" + std::to_string(N));
    line("v_xor_b32_e32 v2, v3, v2");
  }
  line("global_store_dword v1, v2, s[8:9]");
  line("s_endpgm");
}

RandomKernel Assembly::kernelOf(std::shared_ptr<const CodeObject> Object) {
  RandomKernel Result;
  Result.Object = std::move(Object);
  Result.Source = Code + FunctionCode;
  Result.Launch.Grid = {D.chance(50) ? 128u : 100u, 1, 1};
  Result.Launch.Workgroup = {T.WaveSize, 1, 1};
  std::vector<uint32_t> Words(2048);
  for (uint32_t &Word : Words)
    Word = D.bits();
  Result.Launch.Arguments.buffer(Words);
  return Result;
}

Expected<RandomKernel> Assembly::run() {
  NumFunctions = D.chance(35) ? D.between(1, 2) : 0;
  for (unsigned N = 0; N != NumFunctions; ++N)
    function(N);
  Callable = NumFunctions;
  begin();
  region(D.between(10, 80), 0);
  end();
  AssemblyKernel K;
  K.Body = Code;
  K.Functions = FunctionCode;
  K.SGPRs = SGPRs;
  K.VGPRs = VGPRs;
  K.AGPRs = AGPRs;
  K.Lds = HasLds ? LdsBytes : 0;
  K.Scratch = HasScratch ? 4 * ScratchWords : 0;
  K.MaxWorkgroup = 64;
  Expected<Bytes> Built = assembleKernel(T, K, D.between(4, 6));
  if (!Built)
    return Built.takeError();
  auto Object = CodeObject::create(*Built);
  if (!Object)
    return Object.takeError();
  return kernelOf(std::move(*Object));
}

Expected<RandomKernel> randomAssemblyKernel(const EngineTarget &T,
                                            uint64_t Seed) {
  return Assembly(T, Seed).run();
}

} // namespace luthier::test
