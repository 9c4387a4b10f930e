// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A loop, a condition, a function that is inlined, and one that is called.
static __attribute__((noinline)) unsigned rarely(unsigned Value) {
  for (unsigned I = 0; I < 7; ++I)
    Value = (Value ^ Value >> 13) * 0x5bd1e995;
  return Value;
}

static inline unsigned half(unsigned Value) {
  if (Value & 1)
    return 3 * Value + 1;
#ifdef INLINED_IS_OTHER
  if (Value & 2)
    return Value - 1;
#endif
  return Value / 2;
}

extern "C" __attribute__((amdgpu_kernel)) void branches(unsigned *Data,
                                                        unsigned Count) {
  unsigned Value = Data[__builtin_amdgcn_workitem_id_x()];
  for (unsigned I = 0; I < Count; ++I) {
    Value = half(Value);
    if (Value == 77)
      Value = rarely(Value);
#ifdef IS_OTHER
    if (Value == 78)
      Value = rarely(Value + 1);
#endif
  }
  Data[__builtin_amdgcn_workitem_id_x()] = Value;
}

extern "C" __attribute__((amdgpu_kernel)) void unused(unsigned *Data) {
  *Data = 1;
}

#ifdef BEGINS_WITHOUT_LINE
#line 0
extern "C" __attribute__((amdgpu_kernel)) void added(unsigned *Data) {
#line 77
  *Data = 1;
}
#endif
