// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The example of docs/adding-an-intrinsic.md, in a tool.
#include "luthier/MachineIR.h"
#include "luthier/luthier.h"

#include "OwnIntrinsic.h"
#include "luthier/IntrinsicLowering.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"

MARK_LUTHIER_DEVICE_MODULE

namespace mine {
/// Factor times what scalar register Reg of the application holds.
LUTHIER_SCALAR_INTRINSIC_ANNOTATE unsigned scaled(unsigned Reg,
                                                  unsigned Factor) {
  __builtin_trap();
}
} // namespace mine

namespace {
__attribute__((managed)) uint32_t Scaled, Plain;
} // namespace

LUTHIER_HOOK_ANNOTATE note(unsigned Reg) {
  if (blockIdx.x != 0)
    return;
  Scaled = mine::scaled(Reg, 3);
  Plain = luthier::readReg<uint32_t>(Reg);
}
LUTHIER_EXPORT_HOOK_HANDLE(note);

namespace tour {

void registerIntrinsic() {
  luthier::registerIntrinsic(
      "mine::scaled",
      [](luthier::IntrinsicCall &Call) -> llvm::Expected<llvm::Value *> {
        auto *Reg = llvm::dyn_cast<llvm::ConstantInt>(Call.argument(0));
        if (!Reg)
          return llvm::createStringError("which register?");
        llvm::IRBuilderBase &B = Call.builder();
        llvm::Value *Read = Call.readReg(Reg->getZExtValue(), B.getInt32Ty());
        return B.CreateMul(Read, Call.argument(1));
      });
}

llvm::Error insertOwnIntrinsic(luthier::InstrumentationTask &Task) {
  return Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(note),
                                      {unsigned(llvm::AMDGPU::EXEC_LO)});
}

bool ownIntrinsicIsRight() { return Plain != 0 && Scaled == 3 * Plain; }

} // namespace tour
