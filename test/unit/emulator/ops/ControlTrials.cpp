// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches, modes, relative moves, messages, and what changes nothing.
#include "Trial.h"

namespace luthier::test {

namespace {

using Effect = std::function<void(TrialState &)>;
using Preparation = std::function<void(TrialState &, RandomSource &)>;

struct List {
  std::vector<Trial> Trials;
  void add(const std::string &Name, const std::string &Operands, Effect Expect,
           Preparation Prepare = {}) {
    Trials.push_back(
        {Name, Name + " " + Operands, std::move(Prepare), std::move(Expect)});
  }
};

uint64_t vcc(const TrialState &S) {
  return S.s64(TrialState::Vcc) & S.laneMask();
}
void setExec(TrialState &S, uint64_t Value) {
  S.setS64(TrialState::Exec, Value);
}

/// Sometimes none, sometimes the lanes of one half only.
void zeroes(TrialState &S, RandomSource &Random) {
  if (Random() % 2)
    S.setS64(TrialState::Vcc, 0);
  uint64_t Halves[] = {0, 0xffffffff, ~uint64_t(0xffffffff), ~uint64_t(0)};
  setExec(S, S.exec() & Halves[Random() % 4]);
}

void addBranches(List &L) {
  constexpr uint64_t Size = 4;
  struct Condition {
    const char *Name;
    bool (*Taken)(const TrialState &);
  };
  const Condition Conditions[] = {
      {"s_branch", [](const TrialState &) { return true; }},
      {"s_cbranch_scc0", [](const TrialState &S) { return !S.Scc; }},
      {"s_cbranch_scc1", [](const TrialState &S) { return S.Scc; }},
      {"s_cbranch_vccz", [](const TrialState &S) { return !vcc(S); }},
      {"s_cbranch_vccnz", [](const TrialState &S) { return vcc(S) != 0; }},
      {"s_cbranch_execz", [](const TrialState &S) { return !S.exec(); }},
      {"s_cbranch_execnz", [](const TrialState &S) { return S.exec() != 0; }},
      // There is no debugger.
      {"s_cbranch_cdbgsys", [](const TrialState &) { return false; }},
      {"s_cbranch_cdbguser", [](const TrialState &) { return false; }},
      {"s_cbranch_cdbgsys_or_user", [](const TrialState &) { return false; }},
      {"s_cbranch_cdbgsys_and_user", [](const TrialState &) { return false; }},
  };
  for (const Condition &C : Conditions)
    for (int Distance : {1, 100, 32767, -1, -32768}) {
      auto Taken = C.Taken;
      L.add(
          C.Name, std::to_string(Distance & 0xffff),
          [=](TrialState &S) {
            S.Next = S.PC + Size + (Taken(S) ? uint64_t(Distance * 4l) : 0);
          },
          zeroes);
    }
  auto Aligned = [](TrialState &S, RandomSource &) { S.S[24] &= ~3u; };
  L.add("s_getpc_b64", "s[20:21]",
        [](TrialState &S) { S.setS64(20, S.PC + Size); });
  L.add(
      "s_setpc_b64", "s[24:25]", [](TrialState &S) { S.Next = S.s64(24); },
      Aligned);
  L.add(
      "s_swappc_b64", "s[20:21], s[24:25]",
      [](TrialState &S) {
        S.Next = S.s64(24);
        S.setS64(20, S.PC + Size);
      },
      Aligned);
  L.add(
      "s_swappc_b64", "s[24:25], s[24:25]",
      [](TrialState &S) {
        S.Next = S.s64(24);
        S.setS64(24, S.PC + Size);
      },
      Aligned);
  for (int Distance : {5, -5})
    L.add("s_call_b64", "s[20:21], " + std::to_string(Distance & 0xffff),
          [=](TrialState &S) {
            S.setS64(20, S.PC + Size);
            S.Next = S.PC + Size + uint64_t(Distance * 4l);
          });
}

constexpr unsigned DepthShift = 29;

/// What a fork to \p Target does (Vega ISA manual, "S_CBRANCH_G_FORK").
void fork(TrialState &S, uint64_t Mask, uint64_t Target) {
  uint64_t Exec = S.exec(), Pass = Mask & Exec, Fail = ~Mask & Exec;
  uint64_t Behind = S.PC + 4;
  S.Next = Behind;
  if (Pass == Exec) {
    S.Next = Target;
    return;
  }
  if (Fail == Exec)
    return;
  unsigned Depth = S.Mode >> DepthShift;
  bool PassIsSmaller = __builtin_popcountll(Pass) <= __builtin_popcountll(Fail);
  S.setS64(4 * Depth, PassIsSmaller ? Behind : Target);
  S.setS64(4 * Depth + 2, PassIsSmaller ? Fail : Pass);
  setExec(S, PassIsSmaller ? Pass : Fail);
  S.Next = PassIsSmaller ? Target : Behind;
  S.Mode += 1u << DepthShift;
}

void addForks(List &L) {
  auto Prepare = [](TrialState &S, RandomSource &Random) {
    S.Mode |= uint32_t(Random() % 4) << DepthShift;
    setExec(S, Random());
    uint64_t Masks[] = {Random(), S.exec(), ~S.exec(), Random() & Random()};
    S.setS64(24, Masks[Random() % 4]);
    S.S[28] &= ~3u;
  };
  L.add(
      "s_cbranch_g_fork", "s[24:25], s[28:29]",
      [](TrialState &S) { fork(S, S.s64(24), S.s64(28)); }, Prepare);
  for (int Distance : {7, -7})
    L.add(
        "s_cbranch_i_fork", "s[24:25], " + std::to_string(Distance & 0xffff),
        [=](TrialState &S) {
          fork(S, S.s64(24), S.PC + 4 + uint64_t(Distance * 4l));
        },
        Prepare);
  L.add(
      "s_cbranch_join", "s30",
      [](TrialState &S) {
        unsigned Depth = S.Mode >> DepthShift;
        if (S.S[30] == Depth)
          return;
        S.Mode -= 1u << DepthShift;
        S.Next = S.s64(4 * (Depth - 1));
        setExec(S, S.s64(4 * (Depth - 1) + 2));
      },
      [](TrialState &S, RandomSource &Random) {
        auto Depth = uint32_t(Random() % 4 + 1);
        S.Mode |= Depth << DepthShift;
        S.S[30] = Depth - uint32_t(Random() % 2);
        for (unsigned N = 0; N != Depth; ++N)
          S.S[4 * N] &= ~3u;
      });
}

void addSubvectorLoops(List &L) {
  constexpr unsigned Low = TrialState::Exec, High = Low + 1;
  auto Prepare = [](TrialState &S, RandomSource &Random) {
    zeroes(S, Random);
    if (Random() % 2)
      S.S[20] = 0;
  };
  L.add(
      "s_subvector_loop_begin", "s20, 9",
      [](TrialState &S) {
        S.Next = S.PC + 4;
        if (!S.S[Low] && !S.S[High]) {
          S.Next = S.PC + 4 + 36;
        } else if (!S.S[Low]) {
          S.S[20] = S.S[Low];
        } else {
          S.S[20] = S.S[High];
          S.S[High] = 0;
        }
      },
      Prepare);
  L.add(
      "s_subvector_loop_end", "s20, 9",
      [](TrialState &S) {
        S.Next = S.PC + 4;
        if (S.S[High]) {
          S.S[Low] = S.S[20];
        } else if (S.S[20]) {
          S.S[High] = S.S[20];
          S.S[20] = S.S[Low];
          S.S[Low] = 0;
          S.Next = S.PC + 4 + 36;
        }
      },
      Prepare);
}

void addRelativeMoves(List &L) {
  auto Index = [](TrialState &S, RandomSource &Random) {
    S.S[TrialState::M0] = uint32_t(Random() % 20);
  };
  auto M0 = [](const TrialState &S) { return S.S[TrialState::M0]; };
  L.add(
      "s_movrels_b32", "s20, s30",
      [=](TrialState &S) { S.S[20] = S.S[30 + M0(S)]; }, Index);
  L.add(
      "s_movreld_b32", "s30, s20",
      [=](TrialState &S) { S.S[30 + M0(S)] = S.S[20]; }, Index);
  auto Even = [=](TrialState &S, RandomSource &Random) {
    Index(S, Random);
    S.S[TrialState::M0] &= ~1u;
  };
  L.add(
      "s_movrels_b64", "s[20:21], s[30:31]",
      [=](TrialState &S) { S.setS64(20, S.s64(30 + M0(S))); }, Even);
  L.add(
      "s_movreld_b64", "s[30:31], s[20:21]",
      [=](TrialState &S) { S.setS64(30 + M0(S), S.s64(20)); }, Even);
  L.add(
      "s_movrelsd_2_b32", "s40, s20",
      [=](TrialState &S) {
        uint32_t Value = S.S[20 + (M0(S) & 0x3ff)];
        S.S[40 + (M0(S) >> 16 & 0x3ff)] = Value;
      },
      [](TrialState &S, RandomSource &Random) {
        S.S[TrialState::M0] = uint32_t(Random() % 15) | uint32_t(Random() % 15)
                                                            << 16;
      });
}

void addModes(List &L) {
  constexpr uint32_t IndexMode = 1u << 27, SkipMode = 1u << 28;
  for (unsigned Value : {0u, 5u, 10u, 15u}) {
    std::string Text = std::to_string(Value);
    L.add("s_round_mode", Text,
          [=](TrialState &S) { S.Mode = (S.Mode & ~15u) | Value; });
    L.add("s_denorm_mode", Text,
          [=](TrialState &S) { S.Mode = (S.Mode & ~0xf0u) | Value << 4; });
  }
  auto SetIndex = [](TrialState &S, uint32_t Index, uint32_t Operands) {
    uint32_t &M0 = S.S[TrialState::M0];
    M0 = (M0 & 0xffff0f00) | (Index & 0xff) | Operands << 12;
  };
  L.add("s_set_gpr_idx_on", "s20, gpr_idx(SRC0,DST)", [=](TrialState &S) {
    SetIndex(S, S.S[20], 9);
    S.Mode |= IndexMode;
  });
  L.add(
      "s_set_gpr_idx_off", "", [](TrialState &S) { S.Mode &= ~IndexMode; },
      [](TrialState &S, RandomSource &Random) {
        S.Mode |= Random() % 2 ? IndexMode : 0;
      });
  L.add("s_set_gpr_idx_mode", "gpr_idx(SRC1,SRC2)",
        [=](TrialState &S) { SetIndex(S, S.S[TrialState::M0], 6); });
  L.add("s_set_gpr_idx_idx", "s20", [=](TrialState &S) {
    SetIndex(S, S.S[20], S.S[TrialState::M0] >> 12 & 15);
  });
  L.add(
      "s_setvskip", "s20, s21",
      [](TrialState &S) {
        bool Skip = S.S[20] >> (S.S[21] & 31) & 1;
        S.Mode = (S.Mode & ~SkipMode) | (Skip ? SkipMode : 0);
      },
      [](TrialState &S, RandomSource &Random) {
        S.Mode |= Random() % 2 ? SkipMode : 0;
      });
  // The register named MODE, whole and in part.
  auto AnyMode = [](TrialState &S, RandomSource &Random) {
    S.Mode = uint32_t(Random() & 0x3ff) | 0x300;
  };
  L.add(
      "s_getreg_b32", "s20, hwreg(1)", [](TrialState &S) { S.S[20] = S.Mode; },
      AnyMode);
  L.add(
      "s_getreg_b32", "s20, hwreg(1, 4, 3)",
      [](TrialState &S) { S.S[20] = S.Mode >> 4 & 7; }, AnyMode);
  L.add(
      "s_setreg_b32", "hwreg(1, 2, 5), s20",
      [](TrialState &S) {
        S.Mode = (S.Mode & ~(31u << 2)) | (S.S[20] & 31) << 2;
      },
      AnyMode);
  L.add(
      "s_setreg_imm32_b32", "hwreg(1, 0, 8), 0x1a5",
      [](TrialState &S) { S.Mode = (S.Mode & ~0xffu) | 0xa5; }, AnyMode);
}

/// Registers whose contents follow from what the wave is.
void addHardwareRegisters(List &L, const TargetTraits &T) {
  constexpr uint32_t LdsBlock = 512;
  L.add("s_getreg_b32", "s20, hwreg(6)",
        [](TrialState &S) { S.S[20] = TrialState::LdsSize / LdsBlock << 12; });
  L.add("s_getreg_b32", "s20, hwreg(6, 12, 9)",
        [](TrialState &S) { S.S[20] = TrialState::LdsSize / LdsBlock; });
  if (T.Generation == 12)
    return;
  L.add(
      "s_getreg_b32", "s20, hwreg(2)",
      [](TrialState &S) {
        constexpr uint32_t InWorkgroup = 1 << 11, Valid = 1 << 16;
        S.S[20] = uint32_t(S.Scc) | uint32_t(!S.exec()) << 9 |
                  uint32_t(!vcc(S)) << 10 | InWorkgroup | Valid;
      },
      zeroes);
  // Nothing is ever trapped.
  L.add("s_getreg_b32", "s20, hwreg(3)", [](TrialState &S) { S.S[20] = 0; });
  // The top 16 bits of the private and of the shared aperture.
  L.add("s_getreg_b32", "s20, hwreg(15)",
        [](TrialState &S) { S.S[20] = 2 | 1 << 16; });
}

/// Flat scratch is reached by number in generation 10.
void addScratchRegisters(List &L, const TargetTraits &T) {
  if (T.Generation != 10)
    return;
  auto Copy = [](TrialState &S, RandomSource &) {
    S.setS64(TrialState::FlatScratch, S.scratchBase());
  };
  L.add(
      "s_getreg_b32", "s20, hwreg(HW_REG_FLAT_SCR_LO)",
      [](TrialState &S) { S.S[20] = uint32_t(S.scratchBase()); }, Copy);
  L.add(
      "s_getreg_b32", "s20, hwreg(HW_REG_FLAT_SCR_HI)",
      [](TrialState &S) { S.S[20] = uint32_t(S.scratchBase() >> 32); }, Copy);
}

void addBarriers(List &L) {
  // The workgroup has eight waves, of which none has signalled.
  L.add("s_barrier_signal", "-1", [](TrialState &) {});
  L.add("s_barrier_signal_isfirst", "-1", [](TrialState &S) { S.Scc = true; });
  L.add("s_barrier_signal_isfirst", "-2", [](TrialState &S) { S.Scc = false; });
  L.add("s_get_barrier_state", "s20, -1",
        [](TrialState &S) { S.S[20] = 1 | 8 << 4; });
  L.add("s_barrier_wait", "-1",
        [](TrialState &S) { S.Then = TrialState::WaitsAtBarrier; });
  L.add("s_sendmsg_rtn_b32", "s20, sendmsg(MSG_RTN_GET_TMA)",
        [](TrialState &S) { S.S[20] = 0; });
  L.add("s_sendmsg_rtn_b64", "s[20:21], sendmsg(MSG_RTN_GET_TBA)",
        [](TrialState &S) { S.setS64(20, 0); });
}

/// What keeps the wave from going on.
void addStops(List &L) {
  L.add("s_barrier", "",
        [](TrialState &S) { S.Then = TrialState::WaitsAtBarrier; });
  for (const char *Name : {"s_endpgm", "s_endpgm_saved"})
    L.add(Name, "", [](TrialState &S) { S.Then = TrialState::Ends; });
  L.add("s_setkill", "1", [](TrialState &S) { S.Then = TrialState::Ends; });
  L.add("s_sleep", "1", [](TrialState &S) { S.Then = TrialState::Sleeps; });
  L.add("s_sleep_var", "s20",
        [](TrialState &S) { S.Then = TrialState::Sleeps; });
}

/// Barriers and semaphores of the grid, with a counter that is set or zero.
void addGridBarriers(List &L) {
  auto Prepare = [](TrialState &S, RandomSource &Random) {
    S.S[TrialState::M0] &= ~(0x3fu << 16);
    setExec(S, S.exec() | Random() | 1);
    setExec(S, S.exec() & S.laneMask());
  };
  struct Named {
    const char *Name, *Data;
    bool WaitsWhenSet, WaitsWhenZero;
  };
  for (Named Each : {Named{"ds_gws_init", "v16 ", false, false},
                     Named{"ds_gws_barrier", "v16 ", true, false},
                     Named{"ds_gws_sema_p", "", false, true},
                     Named{"ds_gws_sema_v", "", false, false},
                     Named{"ds_gws_sema_br", "v16 ", false, false},
                     Named{"ds_gws_sema_release_all", "", false, false}})
    for (bool IsZero : {false, true}) {
      unsigned Resource =
          IsZero ? TrialState::ZeroResource : TrialState::SetResource;
      bool Waits = IsZero ? Each.WaitsWhenZero : Each.WaitsWhenSet;
      L.add(
          Each.Name,
          Each.Data + ("offset:" + std::to_string(Resource)) + " gds",
          [=](TrialState &S) {
            S.Then = Waits ? TrialState::WaitsForGrid : TrialState::Runs;
          },
          Prepare);
    }
}

void addClocks(List &L) {
  for (const char *Name : {"s_memtime", "s_memrealtime"})
    L.add(Name, "s[20:21]",
          [](TrialState &S) { S.AnyFirst = 20, S.NumAny = 2; });
}

/// What ends the dispatch, with a message that says why.
void addFaults(List &L) {
  auto Fault = [&](const char *Name, const char *Operands, const char *Message,
                   Preparation Prepare = {}) {
    L.Trials.push_back({Name, Name + (" " + std::string(Operands)),
                        std::move(Prepare), [](TrialState &) {}, Message});
  };
  Fault("s_sendmsghalt", "sendmsg(MSG_INTERRUPT)", "nobody can resume");
  Fault("s_sethalt", "1", "nobody can resume");
  Fault("s_trap", "2", "s_trap");
  Fault("s_movrels_b32", "s20, s30", "outside the allocation",
        [](TrialState &S, RandomSource &) { S.S[TrialState::M0] = 500; });
  // Atomics need their natural alignment; nothing else does.
  auto Odd = [](TrialState &S, RandomSource &) {
    setExec(S, 1);
    S.setLane(2, 0, S.MemoryBase + 6, 8);
    S.setS64(4, S.MemoryBase + 4);
  };
  Fault("global_atomic_add", "v[2:3], v16, off", "misaligned", Odd);
  Fault("global_atomic_add_u32", "v[2:3], v16, off", "misaligned", Odd);
  Fault("flat_atomic_add", "v[2:3], v16", "misaligned", Odd);
  Fault("s_atomic_add_x2", "s[16:17], s[4:5], 0", "misaligned", Odd);
  auto OddLds = [](TrialState &S, RandomSource &) {
    setExec(S, 1);
    S.V[2][0] = 6;
  };
  Fault("ds_add_u32", "v2, v16", "misaligned", OddLds);
  // What the wave does not own.
  auto Outside = [](TrialState &S, RandomSource &) {
    setExec(S, 1);
    S.V[2][0] = TrialState::LdsSize - 2;
    S.V[4][0] = TrialState::MemorySize;
    S.setS64(TrialState::FlatScratch, S.scratchBase());
  };
  for (const char *Name : {"ds_read_b32", "ds_load_b32"})
    Fault(Name, "v64, v2", "outside the workgroup's LDS", Outside);
  for (const char *Name : {"scratch_load_dword", "scratch_load_b32"})
    Fault(Name, "v64, v4, off", "outside the work-item's scratch", Outside);
  auto Unmapped = [](TrialState &S, RandomSource &) {
    setExec(S, 1);
    S.setLane(2, 0, 0x1000, 8);
    S.setS64(4, 0x1000);
  };
  for (const char *Name : {"global_load_dword", "global_load_b32"})
    Fault(Name, "v64, v[2:3], off", "unmapped", Unmapped);
  for (const char *Name : {"s_load_dword", "s_load_b32"})
    Fault(Name, "s20, s[4:5], 0", "unmapped", Unmapped);
}

/// Only timing, caches, tracing or other waves could notice these.
void addSilent(List &L) {
  struct Silent {
    const char *Name;
    const char *Operands;
  };
  const Silent Operations[] = {
      {"s_nop", "3"},
      {"s_waitcnt", "0"},
      {"s_waitcnt_vscnt", "null, 0"},
      {"s_waitcnt_vmcnt", "null, 0"},
      {"s_waitcnt_expcnt", "null, 0"},
      {"s_waitcnt_lgkmcnt", "null, 0"},
      {"s_waitcnt_depctr", "0"},
      {"s_wait_idle", ""},
      {"s_wait_event", "1"},
      {"s_wait_alu", "0"},
      {"s_wait_loadcnt", "0"},
      {"s_wait_storecnt", "0"},
      {"s_wait_samplecnt", "0"},
      {"s_wait_bvhcnt", "0"},
      {"s_wait_expcnt", "0"},
      {"s_wait_dscnt", "0"},
      {"s_wait_kmcnt", "0"},
      {"s_wait_loadcnt_dscnt", "0"},
      {"s_wait_storecnt_dscnt", "0"},
      {"s_setprio", "2"},
      {"s_wakeup", ""},
      {"s_icache_inv", ""},
      {"s_incperflevel", "1"},
      {"s_decperflevel", "1"},
      {"s_ttracedata", ""},
      {"s_ttracedata_imm", "1"},
      {"s_version", "1"},
      {"s_clause", "1"},
      {"s_delay_alu", "1"},
      {"s_inst_prefetch", "1"},
      {"s_set_inst_prefetch_distance", "1"},
      {"s_sethalt", "0"},
      {"s_setkill", "0"},
      {"s_trap", "3"},
      {"s_dcache_inv", ""},
      {"s_dcache_inv_vol", ""},
      {"s_dcache_wb", ""},
      {"s_dcache_wb_vol", ""},
      {"s_dcache_discard", "s[4:5], 0"},
      {"s_dcache_discard_x2", "s[4:5], 0"},
      {"s_gl1_inv", ""},
      {"s_atc_probe", "7, s[4:5], 0"},
      {"s_atc_probe_buffer", "7, s[8:11], 0"},
      {"s_prefetch_inst", "s[4:5], 0, s20, 1"},
      {"s_prefetch_inst_pc_rel", "0, s20, 1"},
      {"s_prefetch_data", "s[4:5], 0, s20, 1"},
      {"s_prefetch_data_pc_rel", "0, s20, 1"},
      {"s_buffer_prefetch_data", "s[8:11], 0, s20, 1"},
      {"buffer_wbl2", ""},
      {"buffer_wbl2", "sc1"},
      {"buffer_invl2", ""},
      {"buffer_inv", "sc1"},
      {"buffer_wbinvl1", ""},
      {"buffer_wbinvl1_vol", ""},
      {"buffer_gl0_inv", ""},
      {"buffer_gl1_inv", ""},
      {"global_inv", ""},
      {"global_wb", ""},
      {"global_wbinv", ""},
      {"ds_nop", ""},
      {"s_sendmsg", "sendmsg(MSG_INTERRUPT)"},
  };
  for (const Silent &Each : Operations)
    L.add(Each.Name, Each.Operands, [](TrialState &) {});
}

} // namespace

std::vector<Trial> controlTrials(const TargetTraits &T, RandomSource &) {
  List L;
  addBranches(L);
  addForks(L);
  addSubvectorLoops(L);
  addRelativeMoves(L);
  addModes(L);
  addHardwareRegisters(L, T);
  addScratchRegisters(L, T);
  addBarriers(L);
  addStops(L);
  addGridBarriers(L);
  addClocks(L);
  addFaults(L);
  addSilent(L);
  return std::move(L.Trials);
}

} // namespace luthier::test
