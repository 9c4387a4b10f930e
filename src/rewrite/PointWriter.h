// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code around a payload at one point: saves what the payload clobbers and the
// application still needs, fetches arguments, restores. For a payload that
// clobbers SCC and VCC where both are live, with one argument from v5:
//   s_waitcnt 0                    a load into v5 may be in flight
//   s_cselect_b32 s46, 1, 0        SCC cannot be copied
//   s_mov_b64 s[42:43], vcc
//   v_mov_b32 v64, v5
//   <payload>
//   s_mov_b64 vcc, s[42:43]
//   s_cmp_lg_u32 s46, 0
#ifndef LUTHIER_REWRITE_POINTWRITER_H
#define LUTHIER_REWRITE_POINTWRITER_H

#include "amdgpu/MachineEncoder.h"
#include "hook/Payload.h"
#include "rewrite/VariantPlan.h"

namespace luthier {

/// What the application still needs at a point.
struct LiveFlags {
  bool SCC = false;
  bool VCC = false;
};

/// What a kernel contains that its payloads must keep clear of.
struct KernelHazards {
  /// MFMA, whose results take long to become readable and are not interlocked.
  bool MatrixOps = false;
  /// Scalar loads into VCC, which may land between its copy and its return.
  bool LoadsVCC = false;
};

class PointWriter {
public:
  PointWriter(amdgpu::MachineEncoder &Encoder, const PayloadFrame &Frame,
              llvm::ArrayRef<Payload> Payloads, KernelHazards Hazards)
      : Encoder(Encoder), Frame(Frame), Payloads(Payloads), Hazards(Hazards) {}

  void write(const PlannedPoint &Point, LiveFlags Live,
             amdgpu::CodeLayout &Layout);

private:
  void waitStates(unsigned Count, llvm::SmallVectorImpl<uint8_t> &Code);

  amdgpu::MachineEncoder &Encoder;
  const PayloadFrame &Frame;
  llvm::ArrayRef<Payload> Payloads;
  KernelHazards Hazards;
};

} // namespace luthier

#endif // LUTHIER_REWRITE_POINTWRITER_H
