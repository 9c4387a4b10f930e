// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/Reporter.h"
#include "emulator/core/CodeView.h"
#include "emulator/exec/Dispatch.h"
#include <algorithm>

namespace luthier::emulator::strict {

/// More of them from one dispatch would only repeat the story.
constexpr size_t MaxViolations = 64;

static std::string specialName(unsigned Reg) {
  switch (Reg) {
  case sreg::Vcc:
  case sreg::Vcc + 1:
    return "vcc";
  case sreg::M0:
    return "m0";
  case sreg::Exec:
  case sreg::Exec + 1:
    return "exec";
  case sreg::Scc:
    return "scc";
  case sreg::HiddenFlatScratch:
  case sreg::HiddenFlatScratch + 1:
    return "flat_scratch";
  }
  return "";
}

std::string nameOf(RegisterFile File, unsigned First, unsigned Count) {
  std::string Letter = "s";
  if (File == RegisterFile::Vector) {
    Letter = First < NumArchVgprs ? "v" : "a";
    First %= NumArchVgprs;
  } else if (std::string Name = specialName(First); !Name.empty()) {
    return Name;
  } else if (First >= sreg::TrapTemp && First < sreg::M0) {
    Letter = "ttmp";
    First -= sreg::TrapTemp;
  }
  if (Count == 1)
    return Letter + std::to_string(First);
  return Letter + "[" + std::to_string(First) + ":" +
         std::to_string(First + Count - 1) + "]";
}

void Reporter::report(Wave &W, const Inst &I, Finding F) {
  uint64_t PC = W.PC - I.Dwords * 4u;
  if (Reported.size() < MaxViolations && Reported.emplace(F.What, PC).second) {
    Violation V;
    V.What = F.What;
    V.Kernel = D.KernelName;
    V.PC = PC;
    V.EntryPC = D.EntryPC;
    V.Instruction = W.Thread->Code->print(PC);
    std::copy(W.WorkgroupId, W.WorkgroupId + 3, V.Workgroup);
    V.Wave = W.IdInWorkgroup;
    V.Lane = F.Lane;
    V.Register = std::move(F.Register);
    V.Detail = std::move(F.Detail);
    V.OtherPC = F.OtherPC;
    Texts.push_back(V.describe());
    if (Sink)
      Sink(V);
  }
  if (!Continue && !Texts.empty())
    W.fault(ExecutionFault::Kind::Violation, Texts.back().c_str());
}

} // namespace luthier::emulator::strict
