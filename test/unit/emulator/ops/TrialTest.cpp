// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs all trials with random state, and compares everything a wave can see
// with what is expected.
#include "Trial.h"
#include "../Assembler.h"
#include "WaveStepper.h"
#include <algorithm>
#include <map>
#include <sstream>

namespace luthier::test {

namespace {

constexpr uint64_t Seed = 0x5eed0003;
constexpr int Repetitions = 4;

struct Case {
  TargetTraits T;
  TrialTable Table;
};

class TrialTest : public ::testing::TestWithParam<Case> {
protected:
  TrialTest()
      : T(GetParam().T), Stepper(T.Processor, T.WaveSize),
        State(std::make_unique<TrialState>()) {
    State->T = &T;
    State->Memory.resize(TrialState::MemorySize);
    State->Lds.resize(TrialState::LdsSize);
    State->MemoryBase = Memory.address();
    Stepper.wave().Lds = Lds.data();
    Stepper.wave().LdsSize = TrialState::LdsSize;
    Stepper.wave().ScratchBegin = State->scratchBase();
    Stepper.wave().ScratchLimit = TrialState::MemorySize / 2;
    Stepper.wave().Split = &Barrier;
    Stepper.wave().Thread->Sync = &GridBarrier;
  }

  void randomise() {
    for (uint32_t &Reg : State->S)
      Reg = uint32_t(Random());
    State->Scc = Random() & 1;
    State->Mode = 0xf0;
    for (auto &Row : State->V)
      for (uint32_t &Lane : Row)
        Lane = uint32_t(Random());
    auto Fill = [&](std::vector<uint8_t> &Bytes) {
      for (size_t N = 0; N != Bytes.size(); N += 8) {
        uint64_t Value = Random();
        std::memcpy(&Bytes[N], &Value, 8);
      }
    };
    Fill(State->Memory);
    Fill(State->Lds);
    uint64_t Exec = Random() % 2 ? ~uint64_t(0) : Random() & Random();
    State->setS64(TrialState::Exec, Exec & State->laneMask());
    State->PC = Stepper.codeAddress();
    State->Next.reset();
    State->NanFormat = nullptr;
    State->Then = TrialState::Runs;
    State->NumAny = 0;
  }

  void install() {
    emulator::Wave &W = Stepper.wave();
    std::copy(State->S.begin(), State->S.end(), W.S);
    // FLAT_SCRATCH where it is no SGPR pair.
    std::copy_n(W.S + TrialState::FlatScratch, 2, W.S + W.T->FlatScratch);
    W.scc() = State->Scc;
    W.setMode(State->Mode);
    for (unsigned R = 0; R != TrialState::NumVgprs; ++R)
      std::copy_n(State->V[R], TrialState::NumLanes, W.vgpr(R));
    std::memcpy(Memory.as<void>(), State->Memory.data(), State->Memory.size());
    std::copy(State->Lds.begin(), State->Lds.end(), Lds.begin());
    Barrier.start(8);
    GridBarrier.init(TrialState::SetResource, 2);
    GridBarrier.init(TrialState::ZeroResource, 0);
    W.NumSplitPassed = 0;
  }

  bool bothNan(unsigned Reg, uint32_t Got) const {
    const Format *F = State->NanFormat;
    return F && Reg == State->NanReg && F->isNan(Got) &&
           !F->isSignalling(Got) && F->isNan(State->S[Reg]);
  }
  static int then(emulator::WaveEvent Event) {
    switch (Event) {
    case emulator::WaveEvent::Ended:
      return TrialState::Ends;
    case emulator::WaveEvent::Barrier:
    case emulator::WaveEvent::SplitBarrier:
      return TrialState::WaitsAtBarrier;
    case emulator::WaveEvent::GlobalSync:
      return TrialState::WaitsForGrid;
    case emulator::WaveEvent::Yield:
      return TrialState::Sleeps;
    default:
      return TrialState::Runs;
    }
  }

  /// Empty when all is as it must be.
  std::string difference() {
    emulator::Wave &W = Stepper.wave();
    std::ostringstream OS;
    OS << std::hex;
    bool AnyChanged = false;
    for (unsigned R = 0; R != State->S.size(); ++R)
      if (R - State->AnyFirst < State->NumAny)
        AnyChanged |= W.S[R] != State->S[R];
      else if (W.S[R] != State->S[R] && !bothNan(R, W.S[R]))
        OS << "s" << std::dec << R << std::hex << ": got " << W.S[R]
           << ", want " << State->S[R] << "; ";
    if (State->NumAny && !AnyChanged)
      OS << "s" << std::dec << State->AnyFirst << " unchanged; " << std::hex;
    if ((W.scc() != 0) != State->Scc)
      OS << "scc: want " << State->Scc << "; ";
    if (W.Mode != (State->Mode | W.T->ImpliedMode))
      OS << "mode: got " << W.Mode << ", want " << State->Mode << "; ";
    uint64_t Next = W.PC - State->PC;
    if (State->Next ? W.PC != *State->Next : Next < 4 || Next > 16)
      OS << "PC: got +" << Next << "; ";
    if (then(W.Event) != State->Then)
      OS << "goes on otherwise: event " << unsigned(W.Event) << "; ";
    for (unsigned R = 0; R != TrialState::NumVgprs; ++R)
      for (unsigned L = 0; L != T.WaveSize; ++L)
        if (W.vgpr(R)[L] != State->V[R][L] && OS.tellp() < 400)
          OS << "v" << std::dec << R << " lane " << L << std::hex << ": got "
             << W.vgpr(R)[L] << ", want " << State->V[R][L] << "; ";
    auto Compare = [&](const char *What, const uint8_t *Got,
                       const std::vector<uint8_t> &Want) {
      if (!std::memcmp(Got, Want.data(), Want.size()))
        return;
      for (size_t N = 0; N != Want.size() && OS.tellp() < 400; ++N)
        if (Got[N] != Want[N])
          OS << What << "+" << N << ": got " << unsigned(Got[N]) << ", want "
             << unsigned(Want[N]) << "; ";
    };
    Compare("memory", Memory.as<uint8_t>(), State->Memory);
    Compare("lds", Lds.data(), State->Lds);
    return OS.str();
  }

  std::string run(const Trial &Each) {
    randomise();
    if (Each.Prepare)
      Each.Prepare(*State, Random);
    install();
    auto Fault = Stepper.step();
    if (Each.Fault)
      return Fault && Fault->find(Each.Fault) != std::string::npos
                 ? ""
                 : "must fault: " + Fault.value_or("no fault");
    if (Fault)
      return *Fault;
    uint64_t Exec = State->exec();
    uint32_t Mode = State->Mode;
    Each.Expect(*State);
    std::string Problem = difference();
    if (Problem.empty())
      return Problem;
    std::ostringstream OS;
    OS << Problem << std::hex << "exec " << Exec << ", mode " << Mode;
    return OS.str();
  }

  TargetTraits T;
  WaveStepper Stepper;
  DeviceMemory Memory{Stepper.Space, TrialState::MemorySize};
  std::vector<uint8_t> Lds = std::vector<uint8_t>(TrialState::LdsSize);
  emulator::SplitBarrier Barrier;
  emulator::GlobalWaveSync GridBarrier;
  std::unique_ptr<TrialState> State;
  RandomSource Random{Seed};
};

TEST_P(TrialTest, ChangesWhatItMust) {
  std::vector<Trial> Trials = GetParam().Table.Trials(T, Random);
  std::vector<std::string> Lines;
  for (const Trial &Each : Trials)
    Lines.push_back(Each.Line);
  auto Code = assembleEach(Lines, T.Processor, T.WaveSize);
  std::map<std::string, std::string> Failures;
  for (size_t N = 0; N != Trials.size(); ++N) {
    if (Code[N].empty())
      continue;
    Stepper.load(Code[N]);
    for (int Repeat = 0; Repeat != Repetitions; ++Repeat) {
      std::string Problem = run(Trials[N]);
      if (!Problem.empty()) {
        Failures.emplace(Trials[N].Name, Lines[N] + ": " + Problem);
        break;
      }
    }
  }
  for (auto &[Name, Problem] : Failures)
    ADD_FAILURE() << Problem << " (seed " << Seed << ")";
}

std::vector<Case> allCases() {
  std::vector<Case> Cases;
  for (const char *Processor : {"gfx906", "gfx908", "gfx90a", "gfx942",
                                "gfx950", "gfx1030", "gfx1100", "gfx1201"})
    for (unsigned WaveSize : {64u, 32u}) {
      TargetTraits T = trialTraits(Processor, WaveSize);
      if (WaveSize == 32 && T.Generation < 10)
        continue;
      for (const TrialTable &Table : trialTables())
        Cases.push_back({T, Table});
    }
  return Cases;
}

INSTANTIATE_TEST_SUITE_P(Targets, TrialTest, ::testing::ValuesIn(allCases()),
                         [](const ::testing::TestParamInfo<Case> &Info) {
                           const Case &C = Info.param;
                           return C.T.Processor + "_wave" +
                                  std::to_string(C.T.WaveSize) + "_" +
                                  C.Table.Name;
                         });

} // namespace
} // namespace luthier::test
