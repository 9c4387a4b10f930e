// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the calls of hooks: at each insertion point a copy of the payload for
// each of its call sites, with the code around it.
#ifndef LUTHIER_REWRITE_EMIT_HOOKINSERTER_H
#define LUTHIER_REWRITE_EMIT_HOOKINSERTER_H

#include "amdgpu/MachineEncoder.h"
#include "rewrite/emit/Inserter.h"
#include "rewrite/emit/PlacedPayloads.h"
#include "rewrite/plan/HookPlan.h"
#include "llvm/ADT/DenseMap.h"

namespace luthier {

class HookInserter : public Inserter {
public:
  HookInserter(const HookPlan &Plan, amdgpu::MachineEncoder &Encoder)
      : Plan(Plan), Encoder(Encoder) {}

  void insert(const InsertionPoint &Where, amdgpu::CodeLayout &Layout) override;
  RegisterUse registers() const override;
  /// Where the payloads are in \p Code, in the order of their places.
  std::vector<PlacedPayload> placed(const WrittenCode &Code) const;

private:
  size_t emit(const PlannedCallSite &Planned, amdgpu::CodeLayout &Layout);

  const HookPlan &Plan;
  amdgpu::MachineEncoder &Encoder;
  struct Copy {
    size_t LayoutOffset;
    const Payload *Copied;
  };
  std::vector<Copy> Copies;
  /// Code that other call sites have, too.
  struct Repeated {
    std::vector<uint8_t> Code;
    size_t Payload; ///< Offset of the copy.
  };
  llvm::DenseMap<const CallSiteSpills *, Repeated> Known;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_EMIT_HOOKINSERTER_H
