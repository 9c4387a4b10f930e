// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/core/Observer.h"

namespace luthier::emulator {

void DispatchObserver::workgroupStarted(Workgroup &) {}
void DispatchObserver::workgroupEnded(Workgroup &) {}
const Wave *DispatchObserver::uninitialised(const Wave &) { return nullptr; }
void DispatchObserver::vectorLost(const Wave &, unsigned, unsigned, uint32_t) {}
void DispatchObserver::scalarLost(const Wave &, unsigned, uint32_t) {}
void DispatchObserver::functionLeft(const Wave &) {}
void DispatchObserver::scalarsGiven(Wave &, unsigned, unsigned) {}
void DispatchObserver::vectorGiven(Wave &, unsigned, uint64_t) {}
void DispatchObserver::ldsGiven(Wave &, uint32_t, uint32_t) {}
void DispatchObserver::memoryGiven(uint64_t, uint64_t) {}

} // namespace luthier::emulator
