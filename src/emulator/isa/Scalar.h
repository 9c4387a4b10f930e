// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scalar operations as plain functions of their sources and SCC.
#ifndef LUTHIER_EMULATOR_ISA_SCALAR_H
#define LUTHIER_EMULATOR_ISA_SCALAR_H

#include "emulator/isa/Operands.h"

namespace luthier::emulator::LUTHIER_EMULATOR_SIMD {

/// The condition bit, as a function's last parameter.
struct Scc {
  U32 &Bit;
  operator bool() const { return Bit; }
  void operator=(bool Value) { Bit = Value; }
};

template <class T> T scalarSource(Wave &W, const Inst &I, unsigned N) {
  if constexpr (sizeof(T) == 8)
    return T(scalar64(W, I.Src[N]));
  else
    return fromBits<T>(scalar32(W, I.Src[N]));
}

template <class R> void scalarResult(Wave &W, const Inst &I, R Value) {
  if constexpr (sizeof(R) == 8)
    W.setS64(I.Dst.Reg, U64(Value));
  else
    W.S[I.Dst.Reg] = toBits(Value);
}

template <class R, class... A> struct ScalarSignature {
  template <auto F, size_t... N>
  static void call(Wave &W, const Inst &I, std::index_sequence<N...>) {
    if constexpr (std::is_void_v<R>)
      F(scalarSource<A>(W, I, N)..., Scc{W.scc()});
    else
      scalarResult<R>(W, I, F(scalarSource<A>(W, I, N)..., Scc{W.scc()}));
  }
  template <auto F> static void handler(Wave &W, const Inst &I) {
    call<F>(W, I, std::index_sequence_for<A...>());
  }
  static constexpr Operation row(const char *Name, Handler Fn) {
    Operation Op{Name, Fn};
    if constexpr (!std::is_void_v<R>)
      Op.Dst = valueType<R>();
    unsigned N = 0;
    ((Op.Src[N++] = valueType<A>()), ...);
    return Op;
  }
};
template <class R> ScalarSignature<R> scalarSignatureOf(R (*)(Scc));
template <class R, class A>
ScalarSignature<R, A> scalarSignatureOf(R (*)(A, Scc));
template <class R, class A, class B>
ScalarSignature<R, A, B> scalarSignatureOf(R (*)(A, B, Scc));
template <class R, class A, class B, class C>
ScalarSignature<R, A, B, C> scalarSignatureOf(R (*)(A, B, C, Scc));

/// A table row for a function (sources..., Scc).
template <auto F> constexpr Operation sop(const char *Name) {
  using Sig = decltype(scalarSignatureOf(+F));
  return Sig::row(Name, &Sig::template handler<F>);
}

} // namespace luthier::emulator::LUTHIER_EMULATOR_SIMD

#endif // LUTHIER_EMULATOR_ISA_SCALAR_H
