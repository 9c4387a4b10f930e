// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code for a generic target runs on several processors. What is made of it at
// run time, with hooks in it, is for the one that runs it.
#ifndef LUTHIER_CODEOBJECT_GENERICTARGET_H
#define LUTHIER_CODEOBJECT_GENERICTARGET_H

#include "codeobject/TargetID.h"

namespace luthier {

/// \p Code for the processor of \p Device, if it is for a generic one that
/// covers that; else as it is.
TargetID targetOn(const TargetID &Code, const TargetID &Device);

/// \p Flags, e_flags of a code object, for \p Processor in place of a generic
/// one.
uint32_t flagsFor(llvm::StringRef Processor, uint32_t Flags);

} // namespace luthier

#endif // LUTHIER_CODEOBJECT_GENERICTARGET_H
