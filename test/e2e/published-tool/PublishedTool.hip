// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool written for the published Luthier: hooks, annotations and the loop
// over the lifted code as they were, with the callbacks of this one. It counts
// the waves' or the lanes' instructions of everything in one number.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <fstream>

using namespace luthier;

__attribute__((managed)) uint64_t Counter = 0;

MARK_LUTHIER_DEVICE_MODULE

static const bool CountWavefrontLevel = std::getenv("COUNT_LANES") == nullptr;
static const unsigned InstrBeginInterval = 0;
static const unsigned InstrEndInterval = ~0u;

LUTHIER_HOOK_ANNOTATE countInstructionsVector(bool CountWaveFrontLevel) {
  unsigned long long int ExecMask = __builtin_amdgcn_read_exec();
  // Numbered from one.
  const uint32_t LaneId = __lane_id() + 1;
  uint32_t FirstActiveThreadId = __ffsll(ExecMask);
  uint32_t NumActiveThreads = __popcll(ExecMask);
  // One active lane adds for all.
  if (FirstActiveThreadId == LaneId) {
    if (CountWaveFrontLevel) {
      if (NumActiveThreads > 0) {
        atomicAdd(&Counter, 1);
      }
    } else {
      atomicAdd(&Counter, NumActiveThreads);
    }
  }
}

LUTHIER_EXPORT_HOOK_HANDLE(countInstructionsVector);

LUTHIER_HOOK_ANNOTATE countInstructionsScalar() {
  unsigned long long int ExecMask = __builtin_amdgcn_read_exec();
  luthier::writeExec(1);
  atomicAdd(&Counter, 1);
  luthier::writeExec(ExecMask);
}

LUTHIER_EXPORT_HOOK_HANDLE(countInstructionsScalar);

static llvm::Error instrumentationLoop(InstrumentationTask &IT,
                                       LiftedRepresentation &LR) {
  auto *CountWavefrontLevelConstVal =
      llvm::ConstantInt::getBool(LR.getContext(), CountWavefrontLevel);
  unsigned int I = 0;
  for (auto &[_, MF] : LR.functions()) {
    for (auto &MBB : *MF) {
      for (auto &MI : MBB) {
        if (I >= InstrBeginInterval && I < InstrEndInterval) {
          bool IsScalar =
              llvm::SIInstrInfo::isSOP1(MI) || llvm::SIInstrInfo::isSOP2(MI) ||
              llvm::SIInstrInfo::isSOPK(MI) || llvm::SIInstrInfo::isSOPC(MI) ||
              llvm::SIInstrInfo::isSOPP(MI) || llvm::SIInstrInfo::isSMRD(MI);
          bool IsLaneAccess =
              MI.getOpcode() == llvm::AMDGPU::V_READFIRSTLANE_B32 ||
              MI.getOpcode() == llvm::AMDGPU::V_READLANE_B32 ||
              MI.getOpcode() == llvm::AMDGPU::V_WRITELANE_B32;
          if (IsScalar || IsLaneAccess)
            LUTHIER_RETURN_ON_ERROR(IT.insertHookBefore(
                MI, LUTHIER_GET_HOOK_HANDLE(countInstructionsScalar)));
          else
            LUTHIER_RETURN_ON_ERROR(IT.insertHookBefore(
                MI, LUTHIER_GET_HOOK_HANDLE(countInstructionsVector),
                {CountWavefrontLevelConstVal}));
        }
        I++;
      }
    }
  }
  return llvm::Error::success();
}

static void
instrumentAllFunctionsOfLR(const hsa::LoadedCodeObjectKernel &Kernel) {
  auto LR = lift(Kernel);
  LUTHIER_REPORT_FATAL_ON_ERROR(LR.takeError());
  LUTHIER_REPORT_FATAL_ON_ERROR(
      instrumentAndLoad(Kernel, *LR, instrumentationLoop, "instr_count"));
}

struct PublishedTool : Tool {
  void onDispatch(KernelDispatch &Dispatch) override {
    instrumentAllFunctionsOfLR(Dispatch.Kernel);
    LUTHIER_REPORT_FATAL_ON_ERROR(
        overrideWithInstrumented(Dispatch.Packet, "instr_count"));
  }
  void onExit() override {
    std::ofstream(outputPath("counter.txt")) << Counter << '\n';
  }
};
LUTHIER_TOOL(PublishedTool)
