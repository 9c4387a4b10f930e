// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/CompileErrors.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::amdgpu {

void CompileErrors::note(const DiagnosticInfo *Info, void *Errors) {
  if (Info->getSeverity() != DS_Error)
    return;
  auto &This = *static_cast<CompileErrors *>(Errors);
  This.RanOutOfRegisters |= Info->getKind() == DK_RegAllocFailure;
  raw_string_ostream OS(This.Text);
  if (!This.Text.empty())
    OS << "; ";
  DiagnosticPrinterRawOStream Printer(OS);
  Info->print(Printer);
}

CompileErrors::CompileErrors(LLVMContext &Context) : Context(Context) {
  Context.setDiagnosticHandlerCallBack(note, this);
}

CompileErrors::~CompileErrors() {
  Context.setDiagnosticHandlerCallBack(nullptr);
}

void CompileErrors::clear() {
  Text.clear();
  RanOutOfRegisters = false;
}

} // namespace luthier::amdgpu
