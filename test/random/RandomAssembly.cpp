// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "RandomKernel.h"

using namespace llvm;

namespace luthier::test {
namespace {

/// s[8:9] is the buffer, s[10:11] the mask of the launch, s12 to s14 count
/// loops, v0 is the work-item in the grid and v1 where it stores; all registers
/// from FirstSGPR and FirstVGPR on are the dice's.
class Assembly {
public:
  Assembly(const EngineTarget &T, uint64_t Seed)
      : T(T), D(Seed * 2), Is32(T.WaveSize == 32) {
    const std::string P = T.Processor;
    HasAGPRs = P != "gfx906" && !T.isRdna();
    const bool IsFull = D.chance(15);
    SGPRs = IsFull ? (T.isRdna() ? 106 : 102) : D.between(24, 60);
    VGPRs = IsFull ? 256 : D.between(8, 40);
    AGPRs = HasAGPRs && D.chance(50) ? (IsFull ? 256 : D.between(4, 24)) : 0;
  }
  Expected<RandomKernel> run();

private:
  static constexpr unsigned FirstSGPR = 16, FirstVGPR = 3;

  void line(const std::string &Text) { Code += "  " + Text + "\n"; }
  std::string s() { return "s" + std::to_string(sgpr()); }
  unsigned sgpr() { return D.between(FirstSGPR, SGPRs - 1); }
  /// An aligned pair; in wave32, where masks have one register, that.
  std::string mask() {
    const unsigned First = FirstSGPR + 2 * D.below((SGPRs - FirstSGPR) / 2);
    return Is32 ? "s" + std::to_string(First) : pair(First);
  }
  static std::string pair(unsigned First) {
    return "s[" + std::to_string(First) + ":" + std::to_string(First + 1) + "]";
  }
  std::string v() {
    unsigned N = D.between(FirstVGPR, VGPRs - 1);
    return "v" + std::to_string(N == Loading ? FirstVGPR : N);
  }
  std::string a() { return "a" + std::to_string(D.below(AGPRs)); }
  std::string number() {
    return D.chance(50) ? std::to_string(D.below(64))
                        : std::to_string(D.bits());
  }
  std::string inlined() { return std::to_string(D.below(64)); }
  std::string exec() const { return Is32 ? "exec_lo" : "exec"; }
  std::string vcc() const { return Is32 ? "vcc_lo" : "vcc"; }
  std::string launched() const { return Is32 ? "s10" : "s[10:11]"; }
  std::string wide(const std::string &Op) const {
    return Op + (Is32 ? "_b32 " : "_b64 ");
  }

  void begin();
  void vector();
  void lanes();
  void scalar();
  void masks();
  void step();
  void region(unsigned Count, unsigned Depth);
  void end();

  const EngineTarget &T;
  Dice D;
  const bool Is32;
  bool HasAGPRs;
  unsigned SGPRs, VGPRs, AGPRs, NumLabels = 0;
  /// A load into it is in flight.
  unsigned Loading = ~0u;
  std::string Code;
};

void Assembly::begin() {
  line("workgroup_id_x s12");
  line("s_load_dwordx2 s[8:9], s[0:1], 0x0");
  line(wide("s_mov") + launched() + ", " + exec());
  // Lanes without a work-item compute, too; nothing is uninitialised. A
  // workgroup is one wave.
  line(wide("s_mov") + exec() + ", -1");
  line("v_mbcnt_lo_u32_b32 v0, -1, 0");
  if (!Is32)
    line("v_mbcnt_hi_u32_b32 v0, -1, v0");
  line(std::string("s_lshl_b32 s12, s12, ") + (Is32 ? "5" : "6"));
  line("vadd v0, s12, v0");
  line("v_lshlrev_b32_e32 v1, 2, v0");
  for (unsigned N = FirstSGPR; N != SGPRs; ++N)
    line("s_mov_b32 s" + std::to_string(N) + ", " + number());
  line("v_mov_b32_e32 v2, 0");
  for (unsigned N = FirstVGPR; N != VGPRs; ++N)
    line("v_mul_u32_u24_e32 v" + std::to_string(N) + ", " + inlined() + ", v" +
         std::to_string(N % 2 ? 0 : 1));
  for (unsigned N = 0; N != AGPRs; ++N)
    line("v_accvgpr_write_b32 a" + std::to_string(N) + ", v" +
         std::to_string(N % 3));
  line(wide("s_mov") + vcc() + ", " + launched());
  line("s_mov_b32 m0, 7");
  line("s_cmp_eq_u32 s16, s17");
  line(wide("s_mov") + exec() + ", " + launched());
  line("wait_all");
}

void Assembly::vector() {
  static const char *const TwoOperands[] = {
      "v_xor_b32_e32 ", "v_and_b32_e32 ",     "v_or_b32_e32 ",
      "vadd ",          "v_lshrrev_b32_e32 ", "v_max_u32_e32 ",
      "v_min_i32_e32 ", "v_mul_u32_u24_e32 "};
  const std::string To = v(), X = v(), Y = v();
  switch (D.below(10)) {
  case 0:
    return line("v_mul_lo_u32 " + To + ", " + X + ", " + Y);
  case 1:
    return line("v_add3_u32 " + To + ", " + X + ", " + Y + ", " + s());
  case 2:
    return line("v_cndmask_b32_e32 " + To + ", " + X + ", " + Y + ", " + vcc());
  case 3:
    return line(
        std::string(D.chance(50) ? "v_cmp_lt_u32_e32 " : "v_cmp_eq_u32_e32 ") +
        vcc() + ", " + X + ", " + Y);
  case 4:
    return line("v_mov_b32_e32 " + To + ", " + (D.chance(50) ? s() : number()));
  default:
    return line(TwoOperands[D.below(8)] + To + ", " + (D.chance(30) ? s() : X) +
                ", " + Y);
  }
}

void Assembly::lanes() {
  const std::string Lane = std::to_string(D.below(T.WaveSize));
  switch (D.below(AGPRs ? 7 : 5)) {
  case 0:
    return line("v_readlane_b32 " + s() + ", " + v() + ", " + Lane);
  case 1:
    return line("v_writelane_b32 " + v() + ", " + s() + ", " + Lane);
  case 2:
    return line("v_readfirstlane_b32 " + s() + ", " + v());
  case 3:
    return line("v_mov_b32_dpp " + v() + ", " + v() +
                " quad_perm:[3,0,1,2] row_mask:0xf bank_mask:" +
                (D.chance(50) ? "0xf" : "0x5"));
  case 4:
    return line("v_swap_b32 " + v() + ", " + v());
  case 5:
    return line("v_accvgpr_write_b32 " + a() + ", " + v());
  default:
    return line("v_accvgpr_read_b32 " + v() + ", " + a());
  }
}

void Assembly::scalar() {
  switch (D.below(8)) {
  case 0:
    return line("s_add_u32 " + s() + ", " + s() + ", " + number());
  case 1:
    return line("s_addc_u32 " + s() + ", " + s() + ", " + s());
  case 2:
    return line("s_cselect_b32 " + s() + ", " + s() + ", " + s());
  case 3:
    return line("s_cmp_lt_u32 " + s() + ", " + s());
  case 4:
    return line("s_mov_b32 " + s() + ", " + (D.chance(30) ? "m0" : number()));
  case 5:
    return line("s_mov_b32 m0, " + s());
  case 6:
    return line("s_lshl_b32 " + s() + ", " + s() + ", 3");
  default:
    return line("s_xor_b32 " + s() + ", " + s() + ", " + s());
  }
}

/// EXEC and VCC as masks, in all the ways that analyses tell apart.
void Assembly::masks() {
  switch (D.below(8)) {
  case 0:
    return line(wide("s_and_saveexec") + mask() + ", " + vcc());
  case 1:
    return line(wide("s_mov") + exec() + ", " + launched());
  case 2:
    return line(wide("s_and") + exec() + ", " + exec() + ", " + vcc());
  case 3:
    return line(wide("s_or") + exec() + ", " + exec() + ", " + mask());
  case 4:
    return line(wide("s_xor") + exec() + ", " + exec() + ", " + launched());
  case 5:
    return line(wide("s_not") + exec() + ", " + exec());
  case 6:
    return line(wide("s_mov") + exec() + ", -1");
  default:
    return line(wide("s_mov") + vcc() + ", " + mask());
  }
}

void Assembly::step() {
  const unsigned What = D.below(100);
  if (What < 50)
    vector();
  else if (What < 62)
    lanes();
  else if (What < 85)
    scalar();
  else if (What < 95)
    masks();
  else if (Loading == ~0u && VGPRs > FirstVGPR + 2) {
    // Nobody touches it until the wait, which may be in another block.
    Loading = D.between(FirstVGPR + 1, VGPRs - 1);
    line("global_load_dword v" + std::to_string(Loading) +
         ", v1, s[8:9] offset:1024");
  } else if (Loading != ~0u) {
    line("wait_all");
    Loading = ~0u;
  }
}

void Assembly::region(unsigned Count, unsigned Depth) {
  static const char *const Branches[] = {"s_cbranch_scc0",  "s_cbranch_scc1",
                                         "s_cbranch_vccz",  "s_cbranch_vccnz",
                                         "s_cbranch_execz", "s_cbranch_execnz"};
  for (unsigned N = 0; N != Count; ++N) {
    const unsigned What = D.below(12);
    if (What > 1 || Depth == 3) {
      step();
      continue;
    }
    const std::string Label = "L" + std::to_string(NumLabels++);
    if (What == 0) {
      line(std::string(Branches[D.below(6)]) + " " + Label);
      // A load that is waited for on one way only would still be in flight.
      const unsigned Before = Loading;
      region(D.between(1, 8), Depth + 1);
      if (Loading != Before)
        line("wait_all"), Loading = ~0u;
      Code += Label + ":\n";
      if (Before != ~0u)
        line("wait_all"), Loading = ~0u;
    } else {
      if (Loading != ~0u)
        line("wait_all"), Loading = ~0u;
      const std::string Counter = "s" + std::to_string(12 + Depth);
      line("s_mov_b32 " + Counter + ", " + std::to_string(D.between(1, 4)));
      Code += Label + ":\n";
      region(D.between(2, 10), Depth + 1);
      if (Loading != ~0u)
        line("wait_all"), Loading = ~0u;
      line("s_sub_u32 " + Counter + ", " + Counter + ", 1");
      line("s_cmp_lg_u32 " + Counter + ", 0");
      line("s_cbranch_scc1 " + Label);
    }
  }
}

/// Everything goes into what is stored.
void Assembly::end() {
  if (Loading != ~0u)
    line("wait_all");
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

Expected<RandomKernel> Assembly::run() {
  begin();
  region(D.between(10, 80), 0);
  end();
  AssemblyKernel K;
  K.Body = Code;
  K.SGPRs = SGPRs;
  K.VGPRs = VGPRs;
  K.AGPRs = AGPRs;
  K.MaxWorkgroup = 64;
  Expected<Bytes> Built = assembleKernel(T, K, D.between(4, 6));
  if (!Built)
    return Built.takeError();
  auto Object = CodeObject::create(*Built);
  if (!Object)
    return Object.takeError();
  RandomKernel Result;
  Result.Object = std::move(*Object);
  Result.Source = Code;
  Result.Launch.Grid = {D.chance(50) ? 128u : 100u, 1, 1};
  Result.Launch.Workgroup = {T.WaveSize, 1, 1};
  std::vector<uint32_t> Words(2048);
  for (uint32_t &Word : Words)
    Word = D.bits();
  Result.Launch.Arguments.buffer(Words);
  return Result;
}

} // namespace

Expected<RandomKernel> randomAssemblyKernel(const EngineTarget &T,
                                            uint64_t Seed) {
  return Assembly(T, Seed).run();
}

} // namespace luthier::test
