// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Assembly.h"

namespace luthier::test {

void Assembly::vector() {
  static const char *const TwoOperands[] = {
      "v_xor_b32_e32 ", "v_and_b32_e32 ",     "v_or_b32_e32 ",
      "vadd ",          "v_lshrrev_b32_e32 ", "v_max_u32_e32 ",
      "v_min_i32_e32 ", "v_mul_u32_u24_e32 "};
  const std::string To = v(), X = v(), Y = v();
  switch (D.below(9)) {
  case 0:
    return line("v_mul_lo_u32 " + To + ", " + X + ", " + Y);
  case 1:
    return line("v_add3_u32 " + To + ", " + X + ", " + Y + ", " + s());
  case 2:
    return line("v_pk_add_u16 " + To + ", " + X + ", " + Y);
  case 3:
    return line("v_mov_b32_e32 " + To + ", " + (D.chance(50) ? s() : number()));
  default:
    return line(TwoOperands[D.below(8)] + To + ", " + (D.chance(30) ? s() : X) +
                ", " + Y);
  }
}

void Assembly::comparisons() {
  static const char *const Relations[] = {"lt", "eq", "gt", "ne"};
  const std::string R = Relations[D.below(4)], X = v(), Y = v();
  switch (D.below(5)) {
  case 0:
    return line("v_cndmask_b32_e32 " + v() + ", " + X + ", " + Y + ", " +
                vcc());
  case 1:
    return line("v_cndmask_b32_e64 " + v() + ", " + X + ", " + Y + ", " +
                mask());
  case 2:
    return line("v_cmp_" + R + "_u32_e64 " + mask() + ", " + X + ", " + Y);
  case 3:
    // Older ones write VCC as well.
    return line("v_cmpx_" + R + "_u32_e32 " + (T.isRdna() ? "" : vcc() + ", ") +
                X + ", " + Y);
  default:
    return line("v_cmp_" + R + "_u32_e32 " + vcc() + ", " + X + ", " + Y);
  }
}

void Assembly::floats() {
  const std::string To = v(), X = v(), Y = v();
  switch (D.below(4)) {
  case 0:
    return line("v_fma_f32 " + To + ", " + X + ", " + Y + ", " + v());
  case 1:
    return line("v_mul_f32_e32 " + To + ", " + X + ", " + Y);
  case 2:
    return line("v_rcp_f32_e32 " + To + ", " + X);
  default:
    return line("v_add_f32_e32 " + To + ", " + X + ", " + Y);
  }
}

void Assembly::accumulators() {
  if (AGPRs >= 4 && D.chance(30)) {
    const std::string Sum = tuple('a', 4 * D.below(AGPRs / 4), 4);
    return line("v_mfma_i32_4x4x4i8 " + Sum + ", " + v() + ", " + v() + ", " +
                Sum);
  }
  if (D.chance(50))
    return line("v_accvgpr_write_b32 " + a() + ", " + v());
  return line("v_accvgpr_read_b32 " + v() + ", " + a());
}

void Assembly::lanes() {
  static const char *const Controls[] = {" quad_perm:[3,0,1,2]", " row_shl:1",
                                         " row_ror:3", " row_mirror"};
  const std::string Lane = std::to_string(D.below(T.WaveSize));
  switch (D.below(AGPRs ? 9 : 6)) {
  case 0:
    if (D.chance(50))
      return line("v_readlane_b32 " + s() + ", " + v() + ", " + Lane);
    line("s_and_b32 s4, " + s() + ", " + std::to_string(T.WaveSize - 1));
    return line("v_readlane_b32 " + s() + ", " + v() + ", s4");
  case 1:
    return line("v_writelane_b32 " + v() + ", " + s() + ", " + Lane);
  case 2:
    return line("v_readfirstlane_b32 " + s() + ", " + v());
  case 3:
    return line("v_mov_b32_dpp " + v() + ", " + v() + Controls[D.below(4)] +
                " row_mask:0xf bank_mask:" + (D.chance(50) ? "0xf" : "0x5"));
  case 4:
    return line("v_swap_b32 " + v() + ", " + v());
  case 5:
    return loadAndWait("ds_bpermute_b32 " + v() + ", v1, " + v());
  default:
    return accumulators();
  }
}

void Assembly::scalar() {
  switch (D.below(11)) {
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
  case 7:
    return line("s_lshl_b64 " + sPair() + ", " + sPair() + ", " + inlined());
  case 8:
    return line("s_bcnt1_i32_b64 " + s() + ", " + sPair());
  case 9:
    return line("s_mul_i32 " + s() + ", " + s() + ", " + s());
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

void Assembly::loadAndWait(const std::string &Load) {
  line(Load);
  line("wait_all");
  Loading = NoLoad;
}

/// Each lane has places of its own.
void Assembly::memory() {
  const std::string Word = std::to_string(4 * D.below(ScratchWords));
  switch (D.below(5)) {
  case 0:
    return HasLds ? loadAndWait("ds_read_b32 " + v() + ", v1") : vector();
  case 1:
    return HasLds ? line("ds_write_b32 v1, " + v()) : vector();
  case 2:
    return HasLds ? loadAndWait("ds_add_rtn_u32 " + v() + ", v1, " + v())
                  : vector();
  case 3:
    return HasScratch ? loadAndWait("scratch_load_dword " + v() +
                                    ", off, s15 offset:" + Word)
                      : vector();
  default:
    return HasScratch ? line("scratch_store_dword off, " + v() +
                             ", s15 offset:" + Word)
                      : vector();
  }
}

/// Rounding and denormals.
void Assembly::mode() {
  if (D.chance(50))
    return line("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), " +
                std::to_string(D.below(16)));
  line("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), " +
       std::to_string(D.below(16)));
}

/// Parts of registers, where instructions can name them.
void Assembly::halves() {
  static const char *const Selections[] = {"BYTE_0", "BYTE_3", "WORD_1",
                                           "DWORD"};
  if (is("gfx11") || is("gfx12"))
    return vector();
  line("v_xor_b32_sdwa " + v() + ", " + v() + ", " + v() +
       " dst_sel:" + Selections[D.below(4)] +
       " dst_unused:UNUSED_PRESERVE src0_sel:" + Selections[D.below(4)] +
       " src1_sel:" + Selections[D.below(4)]);
}

/// Nothing may come between its loads.
void Assembly::clause() {
  if (!T.isRdna())
    return vector();
  const unsigned First = vgpr(), Second = vgpr();
  line("s_clause 0x1");
  line("global_load_dword " + reg('v', First) + ", v1, s[8:9] offset:1024");
  loadAndWait("global_load_dword " + reg('v', Second) +
              ", v1, s[8:9] offset:1536");
}

/// Two at once, into an even and an odd register, from different banks.
void Assembly::dual() {
  if (!Is32 || is("gfx10") || VGPRs < FirstVGPR + 5)
    return vector();
  const unsigned To = vgpr() & ~1u, Other = vgpr() | 1u, From = vgpr();
  const unsigned Near = From + 1 < VGPRs ? From + 1 : From - 1;
  if (To < FirstVGPR || Other >= VGPRs || Loading != NoLoad)
    return vector();
  line("v_dual_mov_b32 " + reg('v', To) + ", " + reg('v', From) +
       " :: v_dual_mov_b32 " + reg('v', Other) + ", " + reg('v', Near));
}

/// A register by its number, in M0.
void Assembly::indexed() {
  constexpr unsigned Reach = 4;
  if (Loading != NoLoad || VGPRs < FirstVGPR + Reach)
    return vector();
  const std::string From = reg('v', D.between(FirstVGPR, VGPRs - Reach));
  line("s_and_b32 s4, " + s() + ", " + std::to_string(Reach - 1));
  if (T.isRdna()) {
    line("s_mov_b32 m0, s4");
    return line("v_movrels_b32_e32 " + v() + ", " + From);
  }
  line("s_set_gpr_idx_on s4, gpr_idx(SRC0)");
  line("v_mov_b32_e32 " + v() + ", " + From);
  if (D.chance(50))
    line("v_or_b32_e32 " + v() + ", " + From + ", " + v());
  line("s_set_gpr_idx_off");
}

void Assembly::address(unsigned Function) {
  const std::string Name = "f" + std::to_string(Function);
  line("s_getpc_b64 s[4:5]");
  line("s_add_u32 s4, s4, " + Name + "@rel32@lo+4");
  line("s_addc_u32 s5, s5, " + Name + "@rel32@hi+12");
}

void Assembly::call() {
  if (!Callable)
    return vector();
  waitForLoad();
  if (Callable > 1 && D.chance(25)) {
    // Which one, only the running kernel knows.
    address(0);
    line("s_mov_b64 s[2:3], s[4:5]");
    address(1);
    line("s_cmp_lt_u32 " + s() + ", " + s());
    line("s_cselect_b64 s[4:5], s[2:3], s[4:5]");
  } else {
    address(D.below(Callable));
  }
  line("s_swappc_b64 s[6:7], s[4:5]");
}

} // namespace luthier::test
