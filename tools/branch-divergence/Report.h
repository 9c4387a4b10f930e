// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table and the files that the tool leaves.
#ifndef BRANCH_DIVERGENCE_REPORT_H
#define BRANCH_DIVERGENCE_REPORT_H

#include "../common/CodeDigests.h"
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

inline llvm::json::Object jsonOf(const KernelBranches &K) {
  llvm::json::Array Branches;
  for (const KernelBranches::Point &P : K.Points) {
    llvm::json::Object Branch{
        {"address", P.Address},       {"instruction", P.Instruction},
        {"executed", P.Sum.Executed}, {"agreed", P.Sum.Agreed},
        {"lanes", P.Sum.Lanes},       {"taken", P.Sum.Taken}};
    if (!P.Line.empty())
      Branch["source"] = P.Line;
    Branches.push_back(std::move(Branch));
  }
  return llvm::json::Object{{"name", K.Name},
                            {"code", K.Code},
                            {"dispatches", K.Dispatches},
                            {"waves", K.Waves},
                            {"counted_in", K.countedIn()},
                            {"branches", std::move(Branches)}};
}

inline llvm::json::Object jsonOf(const KernelList &Kernels) {
  llvm::json::Array All;
  CodeOfKernels Refused;
  for (const std::unique_ptr<KernelBranches> &K : Kernels)
    if (K->IsRefused)
      Refused[K->Name].insert(K->Code);
    else
      All.push_back(jsonOf(*K));
  return llvm::json::Object{{"kernels", std::move(All)},
                            {"refused", refusedKernels(Refused)}};
}

#endif // BRANCH_DIVERGENCE_REPORT_H
