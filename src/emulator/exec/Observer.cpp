// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/exec/Observer.h"

namespace luthier::emulator {

void DispatchObserver::workgroupStarted(Workgroup &) {}
void DispatchObserver::workgroupEnded(Workgroup &) {}
const Wave *DispatchObserver::uninitialised(const Wave &) { return nullptr; }

} // namespace luthier::emulator
