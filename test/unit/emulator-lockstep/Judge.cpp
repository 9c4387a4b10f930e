// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Judge.h"
#include "Assembler.h"
#include "emulator/isa/Operation.h"
#include "emulator/memory/Snapshot.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace luthier::test {

using namespace emulator;

Judge::Judge(const char *Target, unsigned WaveSize)
    : Contents(DataSize / 4), Target(Target), WaveSize(WaveSize) {
  OriginalLaunch.WaveSize = WaveSize;
  OriginalLaunch.Grid = {2 * WaveSize, 1, 1};
  OriginalLaunch.Workgroup = {WaveSize, 1, 1};
  OriginalLaunch.WorkgroupIds = 1;
  OriginalLaunch.Vgprs = 16;
  OriginalLaunch.Sgprs = 32;
  OriginalLaunch.Mode = 0xf0;
  InstrumentedLaunch = OriginalLaunch;
  InstrumentedLaunch.Vgprs = 32;
  InstrumentedLaunch.Sgprs = 64;
  Options.Ignored.push_back({Data + Own, Data + DataSize});
  Options.Strict.Waits = Options.Strict.Hazards = true;
}

static bool isInstruction(llvm::StringRef Line) {
  Line = Line.split("//").first.trim();
  return !Line.empty() && !Line.ends_with(":") && !Line.starts_with(".");
}

/// Puts code into memory; gives the address of each instruction.
std::vector<uint64_t> Judge::place(api::Device &D, const std::string &Source) {
  const std::vector<uint8_t> Bytes = assemble(Source, Target, WaveSize);
  EXPECT_FALSE(Bytes.empty());
  const uint64_t Begin = D.memory().allocate(Bytes.size());
  D.memory().write(Begin, Bytes.data(), Bytes.size());
  std::string Error;
  Decoder *Decode = Decoder::get(D.target(), WaveSize, Error);
  std::vector<uint64_t> Addresses;
  for (size_t At = 0; At < Bytes.size();) {
    const std::span<const uint8_t> Rest(Bytes.data() + At, Bytes.size() - At);
    const Decoder::Result Result = Decode->decode(Rest);
    if (Result.What != Decoder::Status::Ok)
      break;
    Addresses.push_back(Begin + At);
    At += Result.Inst->I.Dwords * 4u;
  }
  return Addresses;
}

lockstep::Result Judge::judge(const std::string &Original,
                              const std::string &Instrumented) {
  std::string Code, Error;
  llvm::SmallVector<llvm::StringRef> Lines;
  std::vector<bool> IsPayload;
  llvm::StringRef(Instrumented).split(Lines, '\n');
  for (llvm::StringRef Line : Lines) {
    const bool Payload = Line.ltrim().consume_front("+");
    llvm::StringRef Text = Payload ? Line.ltrim().drop_front() : Line;
    Code += Text.str() + "\n";
    if (isInstruction(Text))
      IsPayload.push_back(Payload);
  }

  api::Device::Options DeviceOptions;
  DeviceOptions.T = findTarget(Target);
  DeviceOptions.Seed = Options.Seed;
  auto A = api::Device::create(DeviceOptions, Error);
  auto B = api::Device::create(DeviceOptions, Error);
  auto C = api::Device::create(DeviceOptions, Error);
  EXPECT_TRUE(A && B && C) << Error;
  EXPECT_EQ(A->memory().allocate(DataSize), Data);
  A->memory().write(Data, Contents.data(), DataSize);
  const std::vector<uint64_t> Old = place(*A, Original);
  if (IsFarApart)
    A->memory().allocate(1 << 16);
  const std::vector<uint64_t> New = place(*A, Code);
  EXPECT_TRUE(B->memory().copyFrom(A->memory()));
  EXPECT_TRUE(C->memory().copyFrom(A->memory()));
  EXPECT_EQ(New.size(), IsPayload.size());
  Options.ToOriginal.clear();
  size_t Next = 0;
  for (size_t N = 0; N != New.size(); ++N)
    if (!IsPayload[N] && Next != Old.size())
      Options.ToOriginal[New[N]] = Old[Next++];
  EXPECT_EQ(Next, Old.size()) << "instructions that the payload marks leave";

  if (OriginalUser.empty())
    OriginalUser = {uint32_t(Data), uint32_t(Data >> 32)};
  if (InstrumentedUser.empty())
    InstrumentedUser = OriginalUser;
  OriginalLaunch.EntryAddress = Old[0];
  OriginalLaunch.UserSgprs = OriginalUser;
  OriginalLaunch.MinScratch = InstrumentedLaunch.ScratchSize;
  InstrumentedLaunch.EntryAddress = New[0];
  InstrumentedLaunch.UserSgprs = InstrumentedUser;
  api::Launch OldLaunch(*A), NewLaunch(*B), AgainLaunch(*C);
  EXPECT_TRUE(OldLaunch.prepare(OriginalLaunch, Error)) << Error;
  EXPECT_TRUE(NewLaunch.prepare(InstrumentedLaunch, Error)) << Error;
  EXPECT_TRUE(AgainLaunch.prepare(InstrumentedLaunch, Error)) << Error;
  const Dispatch &D = OldLaunch.dispatch();
  Options.Ignored.resize(1);
  Options.Ignored.push_back(
      {D.ScratchBase, D.ScratchBase + D.ScratchWaves * D.ScratchBytesPerWave});
  std::optional<lockstep::Side> Again;
  if (RunsAgain)
    Again.emplace(AgainLaunch.plan(), C->memory().Space, C->code(WaveSize));
  Snapshot::Storage Copies;
  std::unique_ptr<Snapshot> OldCopy, NewCopy;
  if (RunsOnCopies) {
    OldCopy = Snapshot::create(B->memory().Space, Copies);
    NewCopy = OldCopy->again();
  }
  auto side = [&](api::Launch &L, api::Device &D, Snapshot *Copy) {
    return lockstep::Side{L.plan(), Copy ? Copy->space() : D.memory().Space,
                          D.code(WaveSize), Copy};
  };
  auto R = lockstep::run(side(OldLaunch, *A, OldCopy.get()),
                         side(NewLaunch, *B, NewCopy.get()), Options, Again);
  if (!Options.Stop)
    EXPECT_FALSE(R.OriginalFault) << *R.OriginalFault;
  Results.resize(DataSize / 4);
  A->memory().read(Data, Results.data(), DataSize);
  return R;
}

void Judge::passes(const std::string &Original,
                   const std::string &Instrumented) {
  for (uint64_t Seed = 0; Seed != 20; ++Seed) {
    SCOPED_TRACE("seed " + std::to_string(Seed));
    Options.Seed = Seed;
    auto R = judge(Original, Instrumented);
    EXPECT_FALSE(R.Found) << R.Found->text();
    EXPECT_GT(R.Compared, 0u);
    EXPECT_GT(R.PayloadInstructions, 0u);
  }
  Options.Seed = 0;
}

lockstep::Difference Judge::differs(const std::string &Original,
                                    const std::string &Instrumented) {
  auto R = judge(Original, Instrumented);
  EXPECT_TRUE(R.Found);
  return R.Found.value_or(
      lockstep::Difference(lockstep::Difference::Kind::End));
}

} // namespace luthier::test
