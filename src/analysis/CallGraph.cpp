// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "analysis/CallGraph.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier {

CallGraph CallGraph::run(const LiftedRepresentation &LR) {
  CallGraph Result;
  SmallVector<const MachineFunction *> Work;
  for (const ControlTransfer &Transfer : LR.controlTransfers()) {
    const MachineFunction *MF = Transfer.MI->getMF();
    Result.Outgoing[MF].push_back(&Transfer);
    if (Transfer.Callee)
      Result.Incoming[Transfer.Callee].push_back(&Transfer);
    if (Transfer.isUnresolved() && Result.ReachesUnknown.insert(MF).second)
      Work.push_back(MF);
  }
  while (!Work.empty())
    for (const ControlTransfer *Call : Result.callersOf(*Work.pop_back_val()))
      if (Result.ReachesUnknown.insert(Call->MI->getMF()).second)
        Work.push_back(Call->MI->getMF());

  // Depth first, without recursion: rocPRIM at -O0 nests deeply.
  DenseSet<const MachineFunction *> Seen;
  SmallVector<std::pair<const MachineFunction *, unsigned>> Stack;
  for (const auto &[Symbol, MF] : LR.functions()) {
    if (Seen.insert(MF).second)
      Stack.push_back({MF, 0});
    while (!Stack.empty()) {
      auto &[Top, Next] = Stack.back();
      const Transfers &Calls = Result.transfersOf(*Top);
      if (Next == Calls.size()) {
        Result.Order.push_back(Top);
        Stack.pop_back();
        continue;
      }
      const MachineFunction *Callee = Calls[Next++]->Callee;
      if (Callee && Seen.insert(Callee).second)
        Stack.push_back({Callee, 0});
    }
  }
  return Result;
}

const CallGraph::Transfers &
CallGraph::transfersOf(const MachineFunction &MF) const {
  auto It = Outgoing.find(&MF);
  return It == Outgoing.end() ? None : It->second;
}

const CallGraph::Transfers &
CallGraph::callersOf(const MachineFunction &MF) const {
  auto It = Incoming.find(&MF);
  return It == Incoming.end() ? None : It->second;
}

static StringRef verbOf(const ControlTransfer &Transfer) {
  switch (Transfer.Kind) {
  case ControlTransfer::Call:
    return "calls ";
  case ControlTransfer::TailCall:
    return "jumps to ";
  case ControlTransfer::Return:
    return "returns";
  case ControlTransfer::UnresolvedCall:
    return Transfer.FollowsPointer ? "calls a function whose address is taken"
                                   : "calls an unknown function";
  default:
    if (Transfer.FollowsPointer)
      return "jumps to a function whose address is taken";
    return Transfer.isUnresolved() ? "jumps to an unknown place"
                                   : "jumps within the function";
  }
}

void printCallGraph(const LiftedRepresentation &LR, raw_ostream &OS) {
  const CallGraph Graph = CallGraph::run(LR);
  DenseMap<const MachineFunction *, StringRef> Names;
  for (const auto &[Symbol, MF] : LR.functions())
    Names[MF] = Symbol.Name;
  for (const auto &[Symbol, MF] : LR.functions()) {
    OS << (Symbol.IsKernel ? "kernel " : "function ") << Symbol.Name;
    if (Graph.reachesUnknownCode(*MF))
      OS << "  # reaches unknown code";
    OS << '\n';
    for (const ControlTransfer *Transfer : Graph.transfersOf(*MF)) {
      OS << "  " << format_hex(Transfer->Address, 6) << "  "
         << verbOf(*Transfer);
      if (Transfer->Callee)
        OS << Names.lookup(Transfer->Callee);
      OS << '\n';
    }
  }
}

} // namespace luthier
