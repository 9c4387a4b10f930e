// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hook as host code names it, with the types of its parameters.
#ifndef LUTHIER_HOOKHANDLE_H
#define LUTHIER_HOOKHANDLE_H

namespace luthier {

/// What LUTHIER_GET_HOOK_HANDLE(Hook) gives: HookHandle<decltype(Hook)>. The
/// calls of InstrumentationTask then check the number and the types of the
/// hook's arguments when the tool is compiled. As a const void *, it loses its
/// types, and Luthier checks when it instruments.
template <typename Signature> class HookHandle;

template <typename... Parameters> class HookHandle<void(Parameters...)> {
public:
  explicit HookHandle(const void *Handle) : Handle(Handle) {}
  operator const void *() const { return Handle; }

private:
  const void *Handle;
};

} // namespace luthier

#endif // LUTHIER_HOOKHANDLE_H
