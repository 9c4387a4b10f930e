// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Included before what InstrumentationModule::compile() is given.
#ifndef LUTHIER_DETAIL_MODULEPRELUDE_H
#define LUTHIER_DETAIL_MODULEPRELUDE_H

#include "luthier/ChannelHooks.h"
#include "luthier/Hook.h"
#include "luthier/Intrinsics.h"

MARK_LUTHIER_DEVICE_MODULE

// A source that could also be a part of a tool says it itself.
#undef MARK_LUTHIER_DEVICE_MODULE
#define MARK_LUTHIER_DEVICE_MODULE

#endif // LUTHIER_DETAIL_MODULEPRELUDE_H
