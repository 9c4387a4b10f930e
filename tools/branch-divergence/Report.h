// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table and the files that the tool leaves.
#ifndef BRANCH_DIVERGENCE_REPORT_H
#define BRANCH_DIVERGENCE_REPORT_H

#include "Kernels.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <system_error>

/// Says if it cannot be written, and leaves the program alone.
struct OutputFile {
  explicit OutputFile(llvm::StringRef Name)
      : Path(outputPath(Name)), OS(Path, Failure) {}
  ~OutputFile() {
    OS.close();
    if (!Failure)
      Failure = OS.error();
    if (Failure)
      llvm::errs() << "branch-divergence: " << Path << ": " << Failure.message()
                   << '\n';
    OS.clear_error();
  }

  const std::string Path;
  std::error_code Failure;
  llvm::raw_fd_ostream OS;
};

inline void print(const KernelList &Kernels) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  for (const std::unique_ptr<KernelBranches> &K : Kernels) {
    if (K->IsRefused || K->Points.empty())
      continue;
    OS << llvm::formatv("{0}: {1} dispatches, {2} waves\n",
                        llvm::demangle(K->Name), K->Dispatches, K->Waves);
    OS << llvm::formatv("  {0,8}  {1,-20}{2,14}{3,14}{4,9}{5,9}  {6}\n",
                        "address", "instruction", "executed", "diverged", "%",
                        "% lanes", "source");
    for (const KernelBranches::Point &P : K->Points) {
      const uint64_t Diverged = P.Sum.Executed - P.Sum.Agreed;
      auto Percent = [](uint64_t Part, uint64_t Of) {
        return Of ? llvm::formatv("{0:f1}", 100.0 * Part / Of).str() : "-";
      };
      OS << llvm::formatv("  {0,8:x-}  {1,-20}{2,14}{3,14}{4,9}{5,9}{6}\n",
                          P.Address, P.Instruction, P.Sum.Executed, Diverged,
                          Percent(Diverged, P.Sum.Executed),
                          Percent(P.Sum.Taken, P.Sum.Lanes),
                          P.Line.empty() ? "" : "  " + P.Line);
    }
  }
  if (!Text.empty())
    printReport(Text);
}

inline void writeKernel(llvm::json::OStream &J, const KernelBranches &K) {
  J.attribute("name", K.Name);
  J.attribute("dispatches", int64_t(K.Dispatches));
  J.attribute("waves", int64_t(K.Waves));
  J.attribute("counted_in", K.countedIn());
  J.attributeArray("branches", [&] {
    for (const KernelBranches::Point &P : K.Points)
      J.object([&] {
        J.attribute("address", int64_t(P.Address));
        J.attribute("instruction", P.Instruction);
        if (!P.Line.empty())
          J.attribute("source", P.Line);
        J.attribute("executed", int64_t(P.Sum.Executed));
        J.attribute("agreed", int64_t(P.Sum.Agreed));
        J.attribute("lanes", int64_t(P.Sum.Lanes));
        J.attribute("taken", int64_t(P.Sum.Taken));
      });
  });
}

inline void writeJSON(const KernelList &Kernels) {
  OutputFile File("branch-divergence.json");
  llvm::json::OStream J(File.OS, 2);
  J.object([&] {
    J.attributeArray("kernels", [&] {
      for (const std::unique_ptr<KernelBranches> &K : Kernels)
        if (!K->IsRefused)
          J.object([&] { writeKernel(J, *K); });
    });
    J.attributeArray("refused", [&] {
      for (const RefusedKernel &R : refusals())
        J.object([&] {
          J.attribute("name", R.Kernel);
          J.attribute("reason", R.Reason);
        });
    });
  });
  File.OS << '\n';
}

#endif // BRANCH_DIVERGENCE_REPORT_H
