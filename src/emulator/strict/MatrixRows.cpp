// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emulator/strict/MatrixRows.h"

namespace luthier::emulator::strict {

using namespace hazard;

namespace {

constexpr MatrixHazard Rows[] = {
#define MATRIX_PASSES(...)
#define MATRIX_HAZARD(Family, Unit, Passes, Factor, Valu, Memory, Overwrite,   \
                      AddendOverwrite, OfNarrow, OfSingle, OfDouble,           \
                      Forwarded, To)                                           \
  {Family,   MatrixUnit::Unit, Passes,          Factor,   Valu,                \
   Memory,   Overwrite,        AddendOverwrite, OfNarrow, OfSingle,            \
   OfDouble, Forwarded,        Forwards::To},
#include "emulator/strict/MatrixRows.def"
};

/// 0 where there is no row.
unsigned passesOf(uint32_t Family, const MatrixShape &Shape) {
#define MATRIX_PASSES(Families, UnitOf, RowsOf, FirstDepth, LastDepth, Passes) \
  if (((Families) & Family) && Shape.Unit == MatrixUnit::UnitOf &&             \
      Shape.Rows == RowsOf && Shape.Depth >= FirstDepth &&                     \
      Shape.Depth <= LastDepth)                                                \
    return Passes;
#define MATRIX_HAZARD(...)
#include "emulator/strict/MatrixRows.def"
  return 0;
}

} // namespace

const MatrixHazard *matrixHazard(uint32_t Family, const MatrixShape &Shape) {
  const unsigned Passes = passesOf(Family, Shape);
  // Both are the faster unit.
  const MatrixUnit Unit =
      Shape.Unit == MatrixUnit::Xf32 ? MatrixUnit::Narrow : Shape.Unit;
  for (const MatrixHazard &Row : Rows)
    if (Row.Family == Family && Row.Unit == Unit && Row.Passes == Passes)
      return &Row;
  return nullptr;
}

unsigned MatrixHazard::addend(const MatrixHazard &Second,
                              bool IsForwarded) const {
  if (IsForwarded)
    return To == Forwards::Any ||
                   (Second.Unit == Unit && Second.Passes == Passes)
               ? Forwarded
               : 0;
  if (Second.Unit == MatrixUnit::Double)
    return AddendOfDouble;
  return Second.Unit == MatrixUnit::Single ? AddendOfSingle : AddendOfNarrow;
}

} // namespace luthier::emulator::strict
