// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that only exist as machine registers, between IR and machine code:
// in IR each is a piece of inline assembly whose text names it; a machine pass
// puts real instructions there. The state value array must never be copied,
// since copies are masked by EXEC; its lanes are read and written in place.
#ifndef LUTHIER_HOOK_IR_PLACEHOLDERS_H
#define LUTHIER_HOOK_IR_PLACEHOLDERS_H

#include "hook/Payload.h"

namespace llvm {
class GlobalVariable;
class IRBuilderBase;
class Value;
} // namespace llvm

namespace luthier {

/// Of inline assembly: "v", "{v3}", "{a[2:3]}" and their like, of one operand.
bool isVectorConstraint(llvm::StringRef Constraint);

/// Texts of the inline assembly.
inline constexpr llvm::StringLiteral ReadLanePlaceholder = "luthier::readLane";
inline constexpr llvm::StringLiteral WorkItemIdsPlaceholder =
    "luthier::workItemIds";
inline constexpr llvm::StringLiteral FirstWorkItemPlaceholder =
    "luthier::firstWorkItem";
inline constexpr llvm::StringLiteral LaneCountPlaceholder =
    "luthier::laneCount";
inline constexpr llvm::StringLiteral LaneCounterPlaceholder =
    "luthier::laneCounter";
inline constexpr llvm::StringLiteral ReadAperturePlaceholder =
    "luthier::readAperture";
/// Followed by the name of the variable.
inline constexpr llvm::StringLiteral AddressLoPlaceholder =
    "luthier::addressLo ";
inline constexpr llvm::StringLiteral AddressHiPlaceholder =
    "luthier::addressHi ";
inline constexpr llvm::StringLiteral LiteralPlaceholder = "luthier::literal";
/// What literals refer to until a call site has them: an offset from here is
/// the literal's number.
inline constexpr llvm::StringLiteral LiteralsName = "luthier.literals";
/// Their values must be in scalar registers. writeExec is a terminator, until
/// the machine pass that makes a definition of EXEC of it.
inline constexpr llvm::StringLiteral WriteExecPlaceholder =
    "luthier::writeExec";
inline constexpr llvm::StringLiteral WriteLanePlaceholder =
    "luthier::writeLane";
inline constexpr llvm::StringLiteral AddCounterPlaceholder =
    "luthier::addCounter";
inline constexpr llvm::StringLiteral AddWideCounterPlaceholder =
    "luthier::addWideCounter";
inline constexpr llvm::StringLiteral SetHalfCounterPlaceholder =
    "luthier::setHalfCounter";

/// 32 bits of a lane of the state value array that nothing changes while the
/// payload runs.
llvm::Value *readConstantLane(llvm::IRBuilderBase &B, unsigned Lane);

/// The same of lanes that payloads write, in program order with
/// writeLane(). From LanesOfRegister on, \p Lane is one of the first VGPR for
/// counters (PayloadABI::FirstCounterVGPR), and so on.
inline constexpr unsigned LanesOfRegister = 64;
llvm::Value *readLane(llvm::IRBuilderBase &B, unsigned Lane);
void writeLane(llvm::IRBuilderBase &B, unsigned Lane, llvm::Value *Bits);

/// Adds one to the active lanes of the VGPRs \p First and the next, a counter
/// of 64 bits; \p Carry, an even SGPR, and the next are lost.
void countLanes(llvm::IRBuilderBase &B, unsigned First, unsigned Carry);
/// VGPR \p Number, of that counter.
llvm::Value *readLaneCounter(llvm::IRBuilderBase &B, unsigned Number);

/// The packed work-item ids.
llvm::Value *readWorkItemIds(llvm::IRBuilderBase &B);
/// Those of lane 0, active or not.
llvm::Value *readFirstWorkItem(llvm::IRBuilderBase &B);

/// All of a 64-bit register whose halves have no encoding: a copy, which may be
/// made in halves, would read something else.
llvm::Value *readAperture(llvm::IRBuilderBase &B, llvm::MCRegister Reg);

/// Adds \p Number, of 64 bits, to the wave counter in SGPR \p First and the
/// next one; of 32 bits, to SGPR \p First alone.
void addToCounter(llvm::IRBuilderBase &B, unsigned First, llvm::Value *Number);
/// Adds \p Number, of 64 bits, and what it carries to SGPR \p Carries.
void addToWideCounter(llvm::IRBuilderBase &B, unsigned First, unsigned Carries,
                      llvm::Value *Number);
/// Gives SGPR \p Half of a counter \p Number, of 32 bits.
void setHalfCounter(llvm::IRBuilderBase &B, unsigned Half, llvm::Value *Number);

/// Literal \p Index of the call site, see ArgumentSlot.
llvm::Value *readLiteral(llvm::IRBuilderBase &B, unsigned Index);

/// Half of an address, \p Addend bytes from \p Variable on, as a literal that
/// is filled in later.
llvm::Value *addressHalf(llvm::IRBuilderBase &B, llvm::GlobalVariable &Variable,
                         int64_t Addend, Fixup::FixupKind Half);

} // namespace luthier

#endif // LUTHIER_HOOK_IR_PLACEHOLDERS_H
