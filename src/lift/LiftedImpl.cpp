// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lift/LiftedImpl.h"
#include "codeobject/SourceLines.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"

using namespace llvm;

namespace luthier {

detail::LiftedState::LiftedState(std::unique_ptr<Impl> P) : P(std::move(P)) {}
detail::LiftedState::~LiftedState() = default;

LiftedRepresentation::LiftedRepresentation(std::unique_ptr<Impl> P)
    : LiftedState(std::move(P)) {}
LiftedRepresentation::~LiftedRepresentation() = default;

LiftedRepresentation::FunctionList &LiftedRepresentation::functions() {
  return P->Functions;
}
const LiftedRepresentation::FunctionList &
LiftedRepresentation::functions() const {
  return P->Functions;
}
LLVMContext &LiftedRepresentation::getContext() { return P->Context; }
Module &LiftedRepresentation::module() { return *P->M; }
const TargetMachine &LiftedRepresentation::targetMachine() const {
  return *P->TM;
}
std::optional<uint64_t>
LiftedRepresentation::originalAddress(const MachineInstr &MI) const {
  auto It = P->Origins.find(&MI);
  if (It == P->Origins.end())
    return std::nullopt;
  return It->second.Address;
}
StringRef LiftedRepresentation::kernelName() const { return P->Kernel->Name; }
StringRef LiftedRepresentation::processor() const {
  return P->Object->target().Processor;
}
std::string LiftedRepresentation::target() const {
  return P->Object->target().str();
}
unsigned LiftedRepresentation::waveSize() const {
  return P->Kernel->Descriptor.usesWave32() ? 32 : 64;
}

std::optional<SourceLine>
LiftedRepresentation::sourceLine(const MachineInstr &MI) const {
  const std::optional<uint64_t> Address = originalAddress(MI);
  if (!Address)
    return std::nullopt;
  const LineTable &Lines = P->Object->lines().around(*Address);
  const LineTable::Row *Row = Lines.find(*Address);
  if (!Row)
    return std::nullopt;
  return SourceLine{Lines.files()[Row->File], Row->Line};
}

ArrayRef<PCRelativeReference>
LiftedRepresentation::pcRelativeReferences() const {
  return P->References;
}
ArrayRef<ControlTransfer> LiftedRepresentation::controlTransfers() const {
  return P->Transfers;
}
const ControlTransfer *
LiftedRepresentation::transferOf(const MachineInstr &MI) const {
  auto It = P->TransferOf.find(&MI);
  return It == P->TransferOf.end() ? nullptr : &P->Transfers[It->second];
}
bool LiftedRepresentation::hasUnresolvedTransfers() const {
  return any_of(P->Transfers,
                [](const ControlTransfer &T) { return T.isUnresolved(); });
}

/// The output function of the generator SplitMix64: each bit of the result
/// depends on each of \p Value.
static uint64_t mixed(uint64_t Value) {
  Value = (Value ^ Value >> 30) * 0xbf58476d1ce4e5b9;
  Value = (Value ^ Value >> 27) * 0x94d049bb133111eb;
  return Value ^ Value >> 31;
}

uint64_t fingerprint(const MachineInstr &MI) {
  uint64_t Result = mixed(MI.getOpcode());
  // Taken of each instruction several times.
  auto add = [&](unsigned Kind, uint64_t Value) {
    Result = mixed(mixed(Result + Kind) + Value);
  };
  for (const MachineOperand &MO : MI.explicit_operands()) {
    if (MO.isReg())
      add(0, MO.getReg().id());
    else if (MO.isImm())
      add(1, MO.getImm());
    else if (MO.isMBB())
      add(3, reinterpret_cast<uintptr_t>(MO.getMBB()));
    else
      add(2, MO.getType());
  }
  return Result;
}

void detail::LiftedState::Impl::addTransfer(const ControlTransfer &Transfer) {
  TransferOf[Transfer.MI] = Transfers.size();
  Transfers.push_back(Transfer);
}

bool isEdited(const LiftedRepresentation &LR) {
  return digestOf(LR) != LR.impl().AsLifted;
}

void detail::LiftedState::Impl::MF_HandleRemoval(MachineInstr &MI) {
  Origins.erase(&MI);
  erase_if(References,
           [&](const PCRelativeReference &Ref) { return Ref.GetPC == &MI; });
  for (PCRelativeReference &Ref : References)
    if (Ref.AddLow == &MI || Ref.AddHigh == &MI) {
      Ref.Target = Origins.lookup(Ref.GetPC).Address + 4;
      Ref.AddLow = Ref.AddHigh = nullptr;
    }
  if (!TransferOf.contains(&MI))
    return;
  erase_if(Transfers, [&](const ControlTransfer &T) { return T.MI == &MI; });
  TransferOf.clear();
  for (auto [Index, Transfer] : enumerate(Transfers))
    TransferOf[Transfer.MI] = Index;
}

} // namespace luthier
