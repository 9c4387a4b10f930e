// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instruction loop, and the operation table it is compiled with.
#include "emulator/core/CodeView.h"
#include "emulator/core/Observer.h"
#include "emulator/isa/Operands.h"
#include "emulator/isa/Retire.h"
#include "emulator/isa/Tables.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

namespace {

/// Observed or not: how one instruction's handler is called.
template <bool Observed> void perform(Wave &W, const Inst &I, Handler Fn) {
  if (Observed && I.Counted)
    W.Thread->Observer->execute(W, I, Fn);
  else
    Fn(W, I);
}

/// GPR-index mode: M0 offsets the VGPR numbers it names.
template <bool Observed> void runIndexed(Wave &W, const Inst &I, Handler Fn) {
  unsigned Index = W.m0() & 0xff, Operands = W.m0() >> 12 & 15;
  Inst Indexed = I;
  unsigned Limit = W.Limits & 0xffff;
  auto Shift = [&](Operand &O) {
    if (O.Kind != Source::Vgpr)
      return true;
    O.Reg = uint16_t(O.Reg + Index);
    return O.Reg + unsigned(O.NumRegs) <= Limit;
  };
  bool Inside = true;
  for (unsigned N = 0; N != 3; ++N)
    if (Operands >> N & 1)
      Inside &= Shift(Indexed.Src[N]);
  if (Operands >> 3 & 1)
    Inside &= Shift(Indexed.Dst);
  if (!Inside)
    return W.fault(ExecutionFault::Kind::InvalidDispatch,
                   "indexed VGPR is outside the allocation");
  perform<Observed>(W, Indexed, Fn);
}

/// Modes of generation 9 that change what vector instructions do.
template <bool Observed> void runInMode(Wave &W, const Inst &I, Handler Fn) {
  if ((W.Mode & mode::SkipVector) && W.T->HasGprIndexMode &&
      (I.IsVector || I.IsValu))
    return;
  if ((W.Mode & mode::GprIndexEnable) && I.IsValu)
    runIndexed<Observed>(W, I, Fn);
  else
    perform<Observed>(W, I, Fn);
}

template <bool Observed> void run(Wave &W, unsigned Budget) {
  CodeView &Code = *W.Thread->Code;
  HostFloatControl Control;
  while (Budget && W.Event == WaveEvent::None) {
    CodePage &Page = Code.page(W.PC);
    const CodeSlot *Slot = Page.at(W.PC);
    do {
      Handler Fn = Slot->Fn.load();
      if (!Fn) [[unlikely]] {
        Code.decode(Page, W);
        if (W.Event == WaveEvent::Fault)
          break;
        Fn = Slot->Fn.load();
      }
      const Inst &I = Slot->I;
      if (!retire(W, I, Control)) [[unlikely]]
        break;
      if (W.Mode & (mode::GprIndexEnable | mode::SkipVector)) [[unlikely]]
        runInMode<Observed>(W, I, Fn);
      else
        perform<Observed>(W, I, Fn);
      // A faulting instruction is the one that the PC shows.
      if (W.Event == WaveEvent::Fault) [[unlikely]]
        W.PC -= I.Dwords * 4u;
      Slot += I.Dwords;
      --Budget;
    } while (Budget && W.Event == WaveEvent::None);
    if (W.Event == WaveEvent::Redirect)
      W.Event = WaveEvent::None;
  }
}

} // namespace

const OperationSet &operations() {
  static const std::span<const Operation> Tables[] = {
      scalarAluRows(),
      scalarFloatRows(),
      controlRows(),
      hardwareRegisterRows(),
      scalarMemoryRows(),
      integerRows(),
      bitRows(),
      carryRows(),
      narrowRows(),
      float32Rows(),
      float64Rows(),
      float16Rows(),
      transcendentalRows(),
      convertRows(),
      smallFloatRows(),
      divideRows(),
      dualRows(),
      compareRows(),
      classRows(),
      laneRows(),
      moveRelativeRows(),
      packedRows(),
      dotRows(),
      matrixRows(),
      sparseMatrixRows(),
      scaledMatrixRows(),
      waveMatrixRows(),
      ldsRows(),
      ldsTransposeRows(),
      globalSyncRows(),
      flatRows(),
      memoryAtomicRows(),
      bufferRows(),
      bufferFormatRows(),
  };
  static const OperationSet Set{Tables, run<false>, run<true>};
  return Set;
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD
