// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What about a kernel as a whole decides how it can be instrumented.
#ifndef LUTHIER_ANALYSIS_KERNELFACTS_H
#define LUTHIER_ANALYSIS_KERNELFACTS_H

#include "luthier/LiftedRepresentation.h"

namespace luthier {

/// What a kernel contains that its payloads must keep clear of.
struct KernelFacts {
  /// v_permlane, before which v_cmpx must not be the latest vector operation.
  bool Permutes = false;
  /// MFMA, whose results take long to become readable and are not interlocked.
  bool MatrixOps = false;
  /// Scalar loads and answers to messages into VCC, which may land between its
  /// copy and its return.
  bool LoadsVCC = false;
  /// Exports and operations on GDS, which read registers some time after they
  /// were issued.
  bool ReadsLate = false;
  /// v_div_fmas needs distance from vector instructions that write VCC, also
  /// where it has been written once more in between.
  bool DividesByVCC = false;
  /// The application has VCC and FLAT_SCRATCH, which before gfx10 are the last
  /// of the scalar registers that a wave is given.
  bool HasVCC = false, HasFlatScratch = false;
  /// FLAT_SCRATCH is not always what scratch instructions of hooks need: the
  /// application puts more into it than the address of its own scratch.
  bool OwnsFlatScratch = false;
};

/// The kernel has matrix operations, or may call code that does.
bool mayRunMatrixOps(const LiftedRepresentation &LR);

KernelFacts kernelFacts(const LiftedRepresentation &LR);

} // namespace luthier

#endif // LUTHIER_ANALYSIS_KERNELFACTS_H
