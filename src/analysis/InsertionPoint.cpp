// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/InsertionPoint.h"
#include "llvm/CodeGen/MachineFunction.h"

using namespace llvm;

namespace luthier {

InsertionPoint InsertionPoint::before(const MachineInstr &MI) {
  InsertionPoint Point;
  Point.MI = &MI;
  return Point;
}

InsertionPoint InsertionPoint::leaving(const MachineInstr &Transfer) {
  InsertionPoint Point = before(Transfer);
  Point.IsLeaving = true;
  return Point;
}

InsertionPoint InsertionPoint::edge(const MachineBasicBlock &From,
                                    const MachineBasicBlock &To) {
  InsertionPoint Point;
  Point.From = &From;
  Point.Next = &To;
  return Point;
}

InsertionPoint InsertionPoint::entry(const MachineFunction &MF) {
  InsertionPoint Point;
  Point.MF = &MF;
  Point.Next = MF.empty() ? nullptr : &MF.front();
  return Point;
}

InsertionPoint::Key InsertionPoint::key() const {
  if (MI)
    return {MI, IsLeaving ? MI : nullptr};
  return From ? Key{From, Next} : Key{nullptr, MF};
}

} // namespace luthier
