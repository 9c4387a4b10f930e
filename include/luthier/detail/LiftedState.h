// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the engine knows of a LiftedRepresentation. Not for tools.
#ifndef LUTHIER_DETAIL_LIFTEDSTATE_H
#define LUTHIER_DETAIL_LIFTEDSTATE_H

#include "luthier/Export.h"
#include <memory>

namespace luthier::detail {

class LUTHIER_API LiftedState {
public:
  struct Impl; // lift/LiftedImpl.h
  Impl &impl() { return *P; }
  const Impl &impl() const { return *P; }

protected:
  explicit LiftedState(std::unique_ptr<Impl> P);
  ~LiftedState();

  std::unique_ptr<Impl> P;
};

} // namespace luthier::detail

#endif // LUTHIER_DETAIL_LIFTEDSTATE_H
