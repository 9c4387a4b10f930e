// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// JSON files of reports.
#ifndef LUTHIER_RUNTIME_REPORTFILE_H
#define LUTHIER_RUNTIME_REPORTFILE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

namespace luthier::runtime {

/// Writes \p Whole to outputPath(\p FileName), with what every report says
/// besides: "refused", "ended" and "rank". Says on stderr if it cannot.
void writeReportFile(llvm::StringRef FileName, llvm::json::Object Whole);
/// The same while the process runs, for if it is killed: the file is whole at
/// any time, "ended" says that this was before the end, and nothing is said.
void writeReportFileInBetween(llvm::StringRef FileName,
                              llvm::json::Object Whole);

} // namespace luthier::runtime

#endif // LUTHIER_RUNTIME_REPORTFILE_H
