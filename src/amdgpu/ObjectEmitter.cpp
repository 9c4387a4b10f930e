// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/ObjectEmitter.h"
#include "amdgpu/CompileErrors.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::amdgpu {

Expected<std::vector<uint8_t>> emitObject(Module &M, const MCTarget &Target) {
  CompileErrors Errors(M.getContext());
  TargetMachineHandle TM = Target.createTargetMachine();
  M.setDataLayout(TM->createDataLayout());
  SmallVector<char, 0> Bytes;
  raw_svector_ostream OS(Bytes);
  legacy::PassManager Passes;
  if (TM->addPassesToEmitFile(Passes, OS, nullptr, CodeGenFileType::ObjectFile))
    return createStringError("LLVM cannot emit object files");
  Passes.run(M);
  if (!Errors.text().empty())
    return createStringError(Errors.text());
  return std::vector<uint8_t>(Bytes.begin(), Bytes.end());
}

} // namespace luthier::amdgpu
