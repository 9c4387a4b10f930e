// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cli/ExecArgument.h"
#include "cli/FileCommand.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace luthier::cli {

namespace {

void store(std::vector<uint8_t> &Bytes, uint64_t Value, unsigned Size) {
  for (unsigned N = 0; N != Size; ++N)
    Bytes.push_back(uint8_t(Value >> 8 * N));
}

/// Integers of either sign, decimal or with a prefix, that fit \p Bits.
bool parseInteger(StringRef Text, bool Signed, unsigned Bits, uint64_t &Value) {
  if (!Signed)
    return !Text.getAsInteger(0, Value) && (Bits == 64 || !(Value >> Bits));
  int64_t Number;
  if (Text.getAsInteger(0, Number))
    return false;
  Value = uint64_t(Number);
  return Bits == 64 || (Number >= -(int64_t(1) << (Bits - 1)) &&
                        Number < int64_t(1) << (Bits - 1));
}

/// Rounds, but not to infinity; that has to be asked for ("inf").
bool parseFloat(StringRef Text, const fltSemantics &Kind, uint64_t &Value) {
  APFloat Number(Kind);
  Expected<APFloat::opStatus> Status =
      Number.convertFromString(Text, APFloat::rmNearestTiesToEven);
  if (!Status) {
    consumeError(Status.takeError());
    return false;
  }
  Value = Number.bitcastToAPInt().getZExtValue();
  return !(*Status & APFloat::opOverflow);
}

Error parseValue(StringRef Type, StringRef Value, ExecArgument &A) {
  uint64_t Number = 0;
  unsigned Bits = 0;
  const char Class = Type[0];
  if (Type.drop_front().getAsInteger(10, Bits) ||
      (Bits != 8 && Bits != 16 && Bits != 32 && Bits != 64) ||
      (Class == 'f' && Bits == 8))
    return failed("'" + Type + "' is no type; see luthier exec --help");
  const bool Good = Class == 'f'
                        ? parseFloat(Value,
                                     Bits == 16   ? APFloat::IEEEhalf()
                                     : Bits == 32 ? APFloat::IEEEsingle()
                                                  : APFloat::IEEEdouble(),
                                     Number)
                        : parseInteger(Value, Class == 'i', Bits, Number);
  if (!Good)
    return failed("'" + Value + "' is not an " + Type);
  store(A.Bytes, Number, Bits / 8);
  return Error::success();
}

Error parseHex(StringRef Value, ExecArgument &A) {
  std::string Bytes;
  if (!tryGetFromHex(Value, Bytes) || Value.size() % 2)
    return failed("'" + Value + "' is not pairs of hexadecimal digits");
  A.Bytes.assign(Bytes.begin(), Bytes.end());
  return Error::success();
}

Error readBuffer(StringRef Path, ExecArgument &A) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/false,
                                    /*RequiresNullTerminator=*/false);
  if (!File)
    return failed("cannot read " + Path + ": " + File.getError().message());
  StringRef Contents = (*File)->getBuffer();
  A.Bytes.assign(Contents.bytes_begin(), Contents.bytes_end());
  if (A.Bytes.empty())
    return failed(Path + " is empty");
  return Error::success();
}

Error makeBuffer(StringRef Size, ExecArgument &A) {
  constexpr uint64_t Most = uint64_t(1) << 36;
  uint64_t Bytes;
  if (!parseSize(Size, Bytes) || Bytes == 0 || Bytes > Most)
    return failed("'" + Size + "' is not a size in bytes");
  A.Bytes.resize(Bytes);
  return Error::success();
}

} // namespace

bool parseSize(StringRef Text, uint64_t &Size) {
  static constexpr StringLiteral Suffixes = "KMG";
  unsigned Shift = 0;
  const size_t Unit =
      Text.empty() ? StringRef::npos : Suffixes.find(Text.back());
  if (Unit != StringRef::npos) {
    Shift = 10 * (unsigned(Unit) + 1);
    Text = Text.drop_back();
  }
  if (Text.getAsInteger(0, Size) || Size > UINT64_MAX >> Shift)
    return false;
  Size <<= Shift;
  return true;
}

Expected<ExecArgument> ExecArgument::parse(StringRef Text) {
  ExecArgument A;
  A.Text = Text.str();
  auto [Type, Value] = Text.split(':');
  const auto Finish = [&](Error E) -> Expected<ExecArgument> {
    if (E)
      return failed("--arg " + Text + ": " + toString(std::move(E)));
    return std::move(A);
  };
  if (Value.empty())
    return Finish(failed("TYPE:VALUE is expected"));
  if (Type == "hex")
    return Finish(parseHex(Value, A));
  A.IsBuffer = Type == "buf" || Type == "out";
  if (!A.IsBuffer) {
    if (!StringRef("iuf").contains(Type[0]))
      return Finish(
          failed("'" + Type + "' is no type; see luthier exec --help"));
    return Finish(parseValue(Type, Value, A));
  }
  auto [From, To] = Value.split(Type == "out" ? '@' : '>');
  A.OutputPath = To.str();
  if (Type == "out" && To.empty())
    return Finish(failed("out:SIZE@FILE is expected"));
  return Finish(From.consume_front("@") ? readBuffer(From, A)
                                        : makeBuffer(From, A));
}

} // namespace luthier::cli
