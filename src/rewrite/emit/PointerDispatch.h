// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where calls through pointers come to copies of functions. Pointers hold the
// original's addresses, wherever the program has them, so that it can compare
// them; a call looks which copy belongs to the one that it is given:
//   s_swappc_b64 s[30:31], s[16:17]   ->   s_call_b64 s[30:31], <dispatch>
//   s_setpc_b64 s[16:17]              ->   s_branch <dispatch>
// where <dispatch> is code that needs no register but the pointer, and loses
// nothing. SCC decides between two copies of it, so that each can set it again:
//   .Lsecond:
//     s_cmp_lg_u32 s16, <low half of the original second>
//     s_cbranch_scc1 .Lthird
//     s_cmp_lg_u32 s17, <high half>
//     s_cbranch_scc1 .Lthird
//     <SCC = what it was>
//     s_branch <copy of second>
//   .Lthird:
//     ...
//     <SCC = what it was>
//     <what is to run there>          for an address that is none of these
//     s_setpc_b64 s[16:17]
#ifndef LUTHIER_REWRITE_EMIT_POINTERDISPATCH_H
#define LUTHIER_REWRITE_EMIT_POINTERDISPATCH_H

#include "amdgpu/MachineEncoder.h"
#include <optional>
#include <vector>

namespace luthier {

/// A literal that becomes half of the address where something of the original
/// is loaded.
struct OriginalAddress {
  uint64_t Offset = 0; ///< Of its four bytes, from the start of the code.
  bool IsHigh = false;
  uint64_t Address = 0; ///< As linked.
};

struct PointerTarget {
  uint64_t Original = 0; ///< Address as linked.
  amdgpu::CodeLayout::Label Copy = 0;
};

class PointerDispatch {
public:
  /// Without a \p LoadBias, addresses are left to be filled in.
  PointerDispatch(llvm::ArrayRef<PointerTarget> Targets,
                  std::optional<uint64_t> LoadBias,
                  amdgpu::MachineEncoder &Encoder, amdgpu::CodeLayout &Layout)
      : Targets(Targets), LoadBias(LoadBias), Encoder(Encoder), Layout(Layout) {
  }

  /// From \p Start, which it binds, goes to where \p Pointer, a pair, points;
  /// to other code than the targets by way of \p Leave, if that is given. Adds
  /// what is to be filled in, with offsets in the layout.
  void write(llvm::MCRegister Pointer, amdgpu::CodeLayout::Label Start,
             std::optional<amdgpu::CodeLayout::Label> Leave,
             std::vector<OriginalAddress> &Addresses) const;
  /// Goes to where \p Pointer points, without looking.
  void leave(llvm::MCRegister Pointer) const;

private:
  using Label = amdgpu::CodeLayout::Label;

  void op(unsigned Opcode, llvm::ArrayRef<llvm::MCOperand> Operands) const;
  void setSCC(bool Value) const;
  void writeChain(llvm::MCRegister Pointer, bool SCC,
                  std::optional<Label> Leave,
                  std::vector<OriginalAddress> &Addresses) const;
  void skipUnless(llvm::MCRegister Half, bool IsHigh, uint64_t Original,
                  Label Next, std::vector<OriginalAddress> &Addresses) const;

  const llvm::ArrayRef<PointerTarget> Targets;
  const std::optional<uint64_t> LoadBias;
  amdgpu::MachineEncoder &Encoder;
  amdgpu::CodeLayout &Layout;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_POINTERDISPATCH_H
