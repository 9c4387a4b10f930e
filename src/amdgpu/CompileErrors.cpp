// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "amdgpu/CompileErrors.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace luthier::amdgpu {

static void note(const DiagnosticInfo *Info, void *Text) {
  if (Info->getSeverity() != DS_Error)
    return;
  raw_string_ostream OS(*static_cast<std::string *>(Text));
  DiagnosticPrinterRawOStream Printer(OS);
  Info->print(Printer);
}

CompileErrors::CompileErrors(LLVMContext &Context) : Context(Context) {
  Context.setDiagnosticHandlerCallBack(note, &Text);
}

CompileErrors::~CompileErrors() {
  Context.setDiagnosticHandlerCallBack(nullptr);
}

} // namespace luthier::amdgpu
