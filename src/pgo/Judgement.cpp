// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pgo/Judgement.h"
#include "codeobject/KernelName.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace llvm;
using namespace luthier;
using namespace luthier::pgo;

namespace {

uint64_t measured(const KernelCosts &K, Measure By) {
  return By == Measure::Cycles ? K.Executed.Cycles
                               : K.Executed.WaveInstructions;
}

double percent(uint64_t Before, uint64_t After) {
  return Before ? (double(After) / double(Before) - 1) * 100
                : (After ? INFINITY : 0);
}

StringRef nameOf(JudgedKernel::ChangeType Change) {
  switch (Change) {
  case JudgedKernel::Same:
    return "same";
  case JudgedKernel::Better:
    return "better";
  case JudgedKernel::Worse:
    return "worse";
  case JudgedKernel::OnlyBefore:
    return "gone";
  case JudgedKernel::OnlyAfter:
    return "new";
  }
  llvm_unreachable("no other change");
}

std::string changed(unsigned KernelResources::*Member, const JudgedKernel &K) {
  const auto &Old = K.Before.Resources, &New = K.After.Resources;
  if (!Old && !New)
    return "-";
  if (!Old || !New)
    return std::to_string((Old ? *Old : *New).*Member);
  if ((*Old).*Member == (*New).*Member)
    return std::to_string((*Old).*Member);
  return std::to_string((*Old).*Member) + ">" + std::to_string((*New).*Member);
}

/// What there is now, or was before, and by how much it changed.
std::string figures(uint64_t Before, uint64_t After, const JudgedKernel &K) {
  if (K.Change == JudgedKernel::OnlyBefore)
    return formatv("{0,12}       -", Before);
  if (K.Change == JudgedKernel::OnlyAfter)
    return formatv("{0,12}       -", After);
  return formatv(
      "{0,12} {1,7}", After,
      formatv("{0}{1:f1}", After >= Before ? "+" : "", percent(Before, After))
          .str());
}

void write(json::OStream &J, const KernelCosts &K) {
  J.attribute("dispatches", K.Executed.Dispatches);
  J.attribute("wave_instructions", K.Executed.WaveInstructions);
  J.attribute("lane_instructions", K.Executed.LaneInstructions);
  J.attribute("cycles", K.Executed.Cycles);
  if (!K.Resources)
    return;
  J.attribute("vgprs", K.Resources->VGPRs);
  J.attribute("agprs", K.Resources->AGPRs);
  J.attribute("sgprs", K.Resources->SGPRs);
  J.attribute("spilled", K.Resources->Spills);
  J.attribute("scratch_bytes", K.Resources->Scratch);
  J.attribute("lds_bytes", K.Resources->LDS);
  J.attribute("waves_per_simd", K.Resources->Waves);
}

} // namespace

std::vector<JudgedKernel> pgo::judge(const ProgramCosts &Before,
                                     const ProgramCosts &After, Measure By,
                                     double TolerancePercent) {
  std::map<std::string, JudgedKernel> Kernels;
  for (const auto &[Name, Costs] : Before)
    Kernels[Name] = {Name, JudgedKernel::OnlyBefore, Costs, {}};
  for (const auto &[Name, Costs] : After) {
    auto [It, IsNew] = Kernels.try_emplace(
        Name, JudgedKernel{Name, JudgedKernel::OnlyAfter, {}, {}});
    JudgedKernel &K = It->second;
    K.After = Costs;
    if (IsNew)
      continue;
    const double Change =
        percent(measured(K.Before, By), measured(K.After, By));
    K.Change = Change > TolerancePercent    ? JudgedKernel::Worse
               : Change < -TolerancePercent ? JudgedKernel::Better
                                            : JudgedKernel::Same;
  }
  std::vector<JudgedKernel> Result;
  for (auto &[Name, K] : Kernels)
    Result.push_back(std::move(K));
  return Result;
}

void pgo::printTable(ArrayRef<JudgedKernel> Kernels, raw_ostream &OS) {
  if (Kernels.empty())
    return;
  OS << formatv("{0,-7}{1,12} {2,7}{3,13} {4,7}{5,13} {6,7} {7,8} {8,6} {9,8} "
                "{10,8} {11,9} {12,6}  kernel\n",
                "", "wave instr.", "%", "lane instr.", "%", "cycles", "%",
                "VGPRs", "AGPRs", "SGPRs", "spilled", "scratch", "waves");
  for (const JudgedKernel &K : Kernels) {
    const ExecutedKernel &Old = K.Before.Executed, &New = K.After.Executed;
    OS << formatv(
        "{0,-7}{1} {2} {3} {4,8} {5,6} {6,8} {7,8} {8,9} {9,6}  {10}\n",
        nameOf(K.Change),
        figures(Old.WaveInstructions, New.WaveInstructions, K),
        figures(Old.LaneInstructions, New.LaneInstructions, K),
        figures(Old.Cycles, New.Cycles, K), changed(&KernelResources::VGPRs, K),
        changed(&KernelResources::AGPRs, K),
        changed(&KernelResources::SGPRs, K),
        changed(&KernelResources::Spills, K),
        changed(&KernelResources::Scratch, K),
        changed(&KernelResources::Waves, K), readableKernelName(K.Name));
  }
}

void pgo::printJson(ArrayRef<JudgedKernel> Kernels, StringRef Difference,
                    raw_ostream &OS) {
  json::OStream J(OS, /*IndentSize=*/2);
  J.object([&] {
    J.attribute("output", Difference.empty() ? "same" : "different");
    if (!Difference.empty())
      J.attribute("difference", json::fixUTF8(Difference));
    J.attributeArray("kernels", [&] {
      for (const JudgedKernel &K : Kernels)
        J.object([&] {
          J.attribute("name", json::fixUTF8(K.Name));
          J.attribute("verdict", nameOf(K.Change));
          if (K.Change != JudgedKernel::OnlyAfter)
            J.attributeObject("before", [&] { write(J, K.Before); });
          if (K.Change != JudgedKernel::OnlyBefore)
            J.attributeObject("after", [&] { write(J, K.After); });
        });
    });
  });
  OS << '\n';
}
