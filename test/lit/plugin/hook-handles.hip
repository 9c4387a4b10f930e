// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handle knows its hook's parameters: wrong arguments are errors at the tool's
// line that say what is wrong, and what to write.
// RUN: %tool -O0 -isystem %llvm_include -DRIGHT
// RUN: not %tool -O0 -isystem %llvm_include 2>&1 | FileCheck %s
#include <hip/hip_runtime.h>
#include <luthier/Hook.h>
#include <luthier/InstrumentationTask.h>

using namespace luthier;

MARK_LUTHIER_DEVICE_MODULE
struct Pair {
  uint32_t First;
  float Second;
};
struct Other {
  uint64_t Bits;
};
enum class Color : uint8_t { Red };
__attribute__((managed)) uint64_t Count[2];

LUTHIER_HOOK_ANNOTATE none() {}
LUTHIER_EXPORT_HOOK_HANDLE(none);
LUTHIER_HOOK_ANNOTATE two(uint32_t, uint64_t) {}
LUTHIER_EXPORT_HOOK_HANDLE(two);
LUTHIER_HOOK_ANNOTATE wide(uint64_t) {}
LUTHIER_EXPORT_HOOK_HANDLE(wide);
LUTHIER_HOOK_ANNOTATE pointer(uint64_t *) {}
LUTHIER_EXPORT_HOOK_HANDLE(pointer);
LUTHIER_HOOK_ANNOTATE number(double, Color) {}
LUTHIER_EXPORT_HOOK_HANDLE(number);
LUTHIER_HOOK_ANNOTATE structure(Pair) {}
LUTHIER_EXPORT_HOOK_HANDLE(structure);
LUTHIER_HOOK_ANNOTATE structures(Pair, Pair) {}
LUTHIER_EXPORT_HOOK_HANDLE(structures);
LUTHIER_HOOK_ANNOTATE reference(uint64_t &) {}
LUTHIER_EXPORT_HOOK_HANDLE(reference);
LUTHIER_HOOK_ANNOTATE widest(__int128) {}
LUTHIER_EXPORT_HOOK_HANDLE(widest);

#ifdef RIGHT
llvm::Error insert(InstrumentationTask &Task, const llvm::MachineInstr &MI,
                   bool Which) {
  const llvm::MCRegister Reg(1);
  Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(none));
  Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(two), {1, Reg});
  Task.insertHookAfter(MI, LUTHIER_GET_HOOK_HANDLE(two),
                       {true, HookArgument::address()});
  Task.insertHookAfter(MI, LUTHIER_GET_HOOK_HANDLE(two), {Color::Red, &Count});
  Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(pointer), {&Count[1]});
  Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(pointer), {Count});
  Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(pointer), {nullptr});
  Task.insertHookAtKernelEntry(LUTHIER_GET_HOOK_HANDLE(pointer),
                               {reinterpret_cast<uint64_t>(&Count)});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(number), {1.5f, 3});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structure), {Pair{1, 2}});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structure),
                          {HookArgument::value(Pair{1, 2})});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structure), {1u, 2.0f});

  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structures),
                          {Pair{1, 2}, HookArgument::value(Pair{3, 4})});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(reference), {&Count[1]});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(reference), {Reg});
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(widest), {__int128(-1)});

  // As it was published: handles and arguments of any type, and an Error.
  const void *Handle = Which ? LUTHIER_GET_HOOK_HANDLE(none)
                             : LUTHIER_GET_HOOK_HANDLE(two);
  llvm::SmallVector<HookArgument, 2> List = {1, Reg};
  Task.insertHookAtWaveEnd(Handle, List);
  Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(two), List);
  const HookArgument Array[] = {HookArgument::pc(), Reg}, One[] = {Reg};
  static_assert(!std::convertible_to<const HookArgument *, HookArgument>);
  Task.insertHookAtWaveEnd(Handle, Array);
  Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(two), Array);
  Task.insertHookAtWaveEnd(LUTHIER_GET_HOOK_HANDLE(wide), One);
  if (llvm::Error E = Task.insertHookAtWaveEnd(Handle, {1.5, Reg}))
    return E;
  llvm::cantFail(Task.insertHookAtWaveEnd(Handle));
  return Task.insertHookAtWaveEnd(Handle, {1});
}
#else
void insert(InstrumentationTask &Task, const llvm::MachineInstr &MI) {
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook has fewer parameters than are given arguments
  Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(none), {1});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook has more parameters than are given arguments
  Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(two), {1});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is an integer, its argument is not
  Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(two), {"text", 1});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is a floating-point number, its argument is not
  Task.insertHookBefore(MI, LUTHIER_GET_HOOK_HANDLE(number), {1, 1});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is a pointer to something else
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(pointer), {"text"});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is a structure or vector of another type
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structure), {Other{1}});
  // CHECK-DAG: hook-handles.hip:[[@LINE+2]]:{{.*}} error: {{.*}}the hook's parameter has another type than this value
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structure),
                          {HookArgument::value(Other{1})});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is a reference: give it the address
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(reference), {Count[1]});
}

// What would be taken for the address of something on the host.
void insertArrays(InstrumentationTask &Task, const void *Handle) {
  const HookValue<Pair> Values[] = {HookArgument::value(Pair{1, 2}),
                                    HookArgument::value(Pair{3, 4})};
  const llvm::MCRegister Registers[] = {1, 2};
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}an array of HookValues or registers is no list of arguments, as one of HookArguments is
  Task.insertHookAtEndpgm(Handle, {Values});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}an array of HookValues or registers is no list of arguments
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(wide), {Values});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}an array of HookValues or registers is no list of arguments
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(structures), {Values});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}an array of HookValues or registers is no list of arguments
  Task.insertHookAtEndpgm(Handle, {Registers});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}a hook has no use for a function of the host
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(wide), {insertArrays});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}an array is no value for a hook: put it into a structure
  Task.insertHookAtEndpgm(Handle, {HookArgument::value("text")});
  // CHECK-DAG: hook-handles.hip:[[@LINE+1]]:{{.*}} error: {{.*}}the hook's parameter is a structure or vector of another type
  Task.insertHookAtEndpgm(LUTHIER_GET_HOOK_HANDLE(widest), {1});
}
#endif
