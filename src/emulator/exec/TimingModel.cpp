// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/TimingModel.h"
#include "SIDefines.h"
#include "emulator/core/Target.h"
#include "emulator/isa/Operation.h"
#include "emulator/isa/OperationFacts.h"
#include "llvm/MC/MCInst.h"
#include <algorithm>
#include <iterator>

namespace luthier::emulator {

namespace {

namespace flags = llvm::SIInstrFlags;

enum class Class : uint8_t {
  Free,
  Scalar,
  Branch,
  Vector,
  Transcendental,
  Double,
  Matrix4,
  Matrix16,
  Matrix32,
  Memory,
};

struct Cost {
  uint16_t Issue, Stall;
};

Cost costOf(unsigned Generation, Class C) {
  switch (Generation * 16 + unsigned(C)) {
#define TIMING(Generation, Name, Issue, Stall)                                 \
  case Generation * 16 + unsigned(Class::Name):                                \
    return {Issue, Stall};
#define LATENCY(...)
#include "emulator/exec/Timing.def"
  }
  return {1, 1};
}

uint16_t latencyOf(unsigned Generation, MemoryQueue Q) {
  switch (Generation * 16 + unsigned(Q)) {
#define TIMING(...)
#define LATENCY(Generation, Name, Cycles)                                      \
  case Generation * 16 + unsigned(MemoryQueue::Name):                          \
    return Cycles;
#include "emulator/exec/Timing.def"
  }
  return 1;
}

bool isDouble(const Operation &Op) {
  return Op.Dst == ValueType::F64 ||
         std::any_of(std::begin(Op.Src), std::end(Op.Src),
                     [](ValueType T) { return T == ValueType::F64; });
}

/// By the size of the result.
Class matrixClass(const MatrixShape &Shape) {
  if (Shape.Rows == 32)
    return Class::Matrix32;
  return Shape.Rows == 4 ? Class::Matrix4 : Class::Matrix16;
}

bool isBranch(ControlFlow Flow) {
  return Flow != ControlFlow::Next && Flow != ControlFlow::End;
}

Class classOf(const Operation &Op, const OperationFacts &Facts,
              uint64_t Flags) {
  if (Facts.Matrix.Rows)
    return matrixClass(Facts.Matrix);
  if (Flags & flags::TRANS)
    return Class::Transcendental;
  if (Flags & flags::VALU)
    return isDouble(Op) ? Class::Double : Class::Vector;
  if (isBranch(Facts.Flow))
    return Class::Branch;
  return Flags & flags::SOPP ? Class::Free : Class::Scalar;
}

Unit unitOf(Class C) {
  switch (C) {
  case Class::Free:
    return Unit::None;
  case Class::Scalar:
    return Unit::Scalar;
  case Class::Branch:
    return Unit::Branch;
  case Class::Memory:
    return Unit::Memory;
  default:
    return Unit::Vector;
  }
}

int64_t lastImmediate(const llvm::MCInst &MI) {
  for (unsigned N = MI.getNumOperands(); N != 0; --N)
    if (MI.getOperand(N - 1).isImm())
      return MI.getOperand(N - 1).getImm();
  return 0;
}

void setLimit(InstTiming &T, MemoryQueue Q, int64_t Limit) {
  T.Limits[unsigned(Q)] = uint8_t(Limit);
}

/// The counters of s_waitcnt, by generation.
void setCombinedLimits(InstTiming &T, WaitLayout Layout, int64_t Bits) {
  auto Field = [&](unsigned At, unsigned Width) {
    return Bits >> At & ((1 << Width) - 1);
  };
  int64_t Vector, Others;
  if (Layout == WaitLayout::Gfx11) {
    Vector = Field(10, 6);
    Others = Field(4, 6);
  } else {
    Vector = Field(0, 4) | Field(14, 2) << 4;
    Others = Field(8, Layout == WaitLayout::Gfx9 ? 4 : 6);
  }
  setLimit(T, MemoryQueue::Load, Vector);
  setLimit(T, MemoryQueue::Lds, Others);
}

/// Does nothing for waits for what the model does not know.
void setLimits(InstTiming &T, const Target &Row, WaitKind Kind, int64_t Bits) {
  constexpr int64_t Count = 0x3f;
  constexpr unsigned Upper = 8;
  switch (Kind) {
  case WaitKind::Combined:
    setCombinedLimits(T, Row.Waits, Bits);
    break;
  case WaitKind::Load:
    setLimit(T, MemoryQueue::Load, Bits & Count);
    break;
  case WaitKind::Store:
    setLimit(T, MemoryQueue::Store, Bits & Count);
    break;
  case WaitKind::Lds:
  case WaitKind::LdsAndScalar:
    setLimit(T, MemoryQueue::Lds, Bits & Count);
    break;
  case WaitKind::Scalar:
    setLimit(T, MemoryQueue::Scalar, Bits & 0x1f);
    break;
  case WaitKind::LoadAndLds:
    setLimit(T, MemoryQueue::Load, Bits >> Upper & Count);
    setLimit(T, MemoryQueue::Lds, Bits & Count);
    break;
  case WaitKind::StoreAndLds:
    setLimit(T, MemoryQueue::Store, Bits >> Upper & Count);
    setLimit(T, MemoryQueue::Lds, Bits & Count);
    break;
  case WaitKind::Everything:
    std::fill(std::begin(T.Limits), std::end(T.Limits), uint8_t(0));
    break;
  case WaitKind::None:
  case WaitKind::Export:
  case WaitKind::Alu:
  case WaitKind::Other:
    return;
  }
  T.What = InstTiming::Kind::Wait;
}

/// Which counter an operation raises. Stores have one of their own from
/// generation 10 on, scalar loads from 12 on.
MemoryQueue queueOf(const Target &Row, uint64_t Flags, bool Returns) {
  if (Flags & flags::SMRD)
    return Row.Waits == WaitLayout::Gfx12 ? MemoryQueue::Scalar
                                          : MemoryQueue::Lds;
  if (Flags & flags::DS)
    return MemoryQueue::Lds;
  return Returns || Row.Waits == WaitLayout::Gfx9 ? MemoryQueue::Load
                                                  : MemoryQueue::Store;
}

bool isMemory(uint64_t Flags) {
  return Flags & (flags::SMRD | flags::DS | flags::LDSDIR | flags::MUBUF |
                  flags::MTBUF | flags::FLAT);
}

void setMemory(InstTiming &T, const Target &Row, uint64_t Flags,
               MemoryAccess Access, const Inst &I) {
  T.What = InstTiming::Kind::Memory;
  const bool Returns = I.Dst.Kind != Source::None &&
                       Access != MemoryAccess::Store &&
                       Access != MemoryAccess::FromLds;
  T.Queue = queueOf(Row, Flags, Returns);
  // A load of scalars is as far away, whichever counter it raises.
  T.Latency = latencyOf(Row.Generation,
                        Flags & flags::SMRD ? MemoryQueue::Scalar : T.Queue);
  constexpr uint64_t Segments = flags::FlatGlobal | flags::FlatScratch;
  T.IsFlat = (Flags & flags::FLAT) && !(Flags & Segments);
  T.Where = Flags & flags::DS ? Unit::Lds : Unit::Memory;
  if (Flags & flags::SMRD) {
    T.Where = Unit::Scalar;
    return;
  }
  const Operand &Data =
      Returns || I.Src[1].Kind == Source::None ? I.Dst : I.Src[1];
  T.BytesPerLane = uint16_t(4u * std::max<unsigned>(1, Data.NumRegs));
}

} // namespace

InstTiming timingOf(const Target &Row, const Operation &Op,
                    const OperationFacts &Facts, uint64_t Flags,
                    const llvm::MCInst &MI, const Inst &I) {
  InstTiming T;
  Class C = isMemory(Flags) ? Class::Memory : classOf(Op, Facts, Flags);
  const Cost Cycles = costOf(Row.Generation, C);
  T.Where = unitOf(C);
  T.Issue = Cycles.Issue;
  T.Stall = Cycles.Stall;
  if (Flags & flags::LDSDIR)
    // It raises no counter that the model has.
    T.Where = Unit::Lds;
  else if (C == Class::Memory)
    setMemory(T, Row, Flags, Facts.Access, I);
  else if (Facts.Waits != WaitKind::None)
    setLimits(T, Row, Facts.Waits, lastImmediate(MI));
  else if (Facts.has(trait::Nop))
    T.Stall = uint16_t(1 + (lastImmediate(MI) & 0xf));
  else if (Facts.has(trait::Sleep))
    T.Stall = uint16_t(64 * (1 + (lastImmediate(MI) & 0x7f)));
  return T;
}

} // namespace luthier::emulator
