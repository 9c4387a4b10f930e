// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrix operations as the manuals describe them: which element of which matrix
// each bit of the registers belongs to, by the formulae of AMD's matrix
// instruction calculator and layout tables, and one sum of products for each
// result. What the operation multiplies is read from its name.
#ifndef LUTHIER_TEST_UNIT_EMULATOR_OPS_MATRIXREFERENCE_H
#define LUTHIER_TEST_UNIT_EMULATOR_OPS_MATRIXREFERENCE_H

#include <cstdint>
#include <string>
#include <vector>

namespace luthier::test {

enum class MatrixFamily { Mfma, Smfmac, F8f6f4, ScaledF8f6f4, Wmma, Swmmac };

/// Spelled as in mnemonics.
enum class MatrixElement {
  fp8,
  bf8,
  fp6,
  bf6,
  fp4,
  f16,
  bf16,
  xf32,
  f32,
  f64,
  i8,
  iu8,
  iu4,
};
unsigned bitsOf(MatrixElement E);
bool isFloat(MatrixElement E);

struct MatrixOperation {
  std::string Name;
  std::string Processor;
  unsigned WaveSize;
  MatrixFamily Family;
  unsigned Size; ///< Rows of A and D, columns of B and D.
  unsigned K;
  unsigned Blocks;
  MatrixElement A, B, Out;
  bool isSparse() const {
    return Family == MatrixFamily::Smfmac || Family == MatrixFamily::Swmmac;
  }
  bool isRdna3() const { return Processor.starts_with("gfx11"); }
  bool isRdna() const { return isRdna3() || Processor.starts_with("gfx12"); }
};

/// All of them, for formats as named; those of f8f6f4 are the caller's.
std::vector<MatrixOperation> matrixOperations(const std::string &Processor,
                                              unsigned WaveSize);
std::vector<std::string> testedMatrixOperations(const std::string &Processor);

/// How an instruction modifies the operation.
struct MatrixControls {
  unsigned Cbsz = 0, Abid = 0, Blgp = 0;
  /// Bits for A, B and C. Integers: signed A and B.
  unsigned NegLow = 0, NegHigh = 0;
  unsigned IndexKey = 0;
  unsigned ScaleByte[2] = {};
  bool HighHalf = false; ///< Of 16-bit C and D.
  bool Clamp = false;
};

using RegisterRow = uint32_t[64];

/// The registers of each operand, one row after the other.
struct MatrixInputs {
  const RegisterRow *A, *B;
  const RegisterRow *C; ///< Null for a constant.
  uint64_t Constant;    ///< As the elements of C are.
  const RegisterRow *Index, *ScaleA, *ScaleB;
};

/// One element of D.
struct MatrixResult {
  unsigned Register, Lane, Shift;
  unsigned Bits;
  /// Of floats: the sum without rounding, and what its terms come to.
  long double Value = 0, Magnitude = 0;
  /// Of integers.
  uint32_t Integer = 0;
};

unsigned registersOfA(const MatrixOperation &Op);
unsigned registersOfB(const MatrixOperation &Op);
unsigned registersOfD(const MatrixOperation &Op);
/// Sets of indices in the register of a sparse operation.
unsigned indexSets(const MatrixOperation &Op);
/// The values of what the encoded \p Bits stand for on \p Processor.
long double decoded(MatrixElement E, uint64_t Bits,
                    const std::string &Processor);

std::vector<MatrixResult> evaluate(const MatrixOperation &Op,
                                   const MatrixControls &Controls,
                                   const MatrixInputs &In);

} // namespace luthier::test

#endif // LUTHIER_TEST_UNIT_EMULATOR_OPS_MATRIXREFERENCE_H
