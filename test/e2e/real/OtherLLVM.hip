// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that links an LLVM of its own, another version than Luthier's, and
// compiles code with it between launches.
#include <cstdint>
#include <cstdio>
#include <hip/hip_runtime.h>

// LLVM's C interface, which no header need be installed for.
extern "C" {
void *LLVMModuleCreateWithName(const char *);
void *LLVMInt32Type();
void *LLVMFunctionType(void *, void **, unsigned, int);
void *LLVMAddFunction(void *, const char *, void *);
void *LLVMAppendBasicBlock(void *, const char *);
void *LLVMCreateBuilder();
void LLVMPositionBuilderAtEnd(void *, void *);
void *LLVMGetParam(void *, unsigned);
void *LLVMBuildMul(void *, void *, void *, const char *);
void *LLVMBuildRet(void *, void *);
void LLVMLinkInMCJIT();
void LLVMInitializeX86TargetInfo();
void LLVMInitializeX86Target();
void LLVMInitializeX86TargetMC();
void LLVMInitializeX86AsmPrinter();
int LLVMCreateExecutionEngineForModule(void **, void *, char **);
uint64_t LLVMGetFunctionAddress(void *, const char *);
}

__global__ void addOne(unsigned *Numbers) { Numbers[threadIdx.x] += 1; }

static unsigned product(unsigned A, unsigned B) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86Target();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86AsmPrinter();
  LLVMLinkInMCJIT();
  void *Module = LLVMModuleCreateWithName("own"), *Int = LLVMInt32Type();
  void *Parameters[] = {Int, Int};
  void *Function = LLVMAddFunction(Module, "multiply",
                                   LLVMFunctionType(Int, Parameters, 2, 0));
  void *Builder = LLVMCreateBuilder();
  LLVMPositionBuilderAtEnd(Builder, LLVMAppendBasicBlock(Function, "entry"));
  LLVMBuildRet(Builder, LLVMBuildMul(Builder, LLVMGetParam(Function, 0),
                                     LLVMGetParam(Function, 1), ""));
  void *Engine = nullptr;
  char *Wrong = nullptr;
  if (LLVMCreateExecutionEngineForModule(&Engine, Module, &Wrong))
    return 0;
  const uint64_t Address = LLVMGetFunctionAddress(Engine, "multiply");
  return reinterpret_cast<unsigned (*)(unsigned, unsigned)>(Address)(A, B);
}

int main() {
  unsigned *Device = nullptr, Host[64] = {};
  bool IsRight = hipMalloc(&Device, sizeof(Host)) == hipSuccess;
  IsRight &= hipMemset(Device, 0, sizeof(Host)) == hipSuccess;
  addOne<<<1, 64>>>(Device);
  IsRight &= hipDeviceSynchronize() == hipSuccess;
  IsRight &= product(6, 7) == 42;
  addOne<<<1, 64>>>(Device);
  IsRight &= hipMemcpy(Host, Device, sizeof(Host), hipMemcpyDeviceToHost) ==
             hipSuccess;
  for (unsigned Number : Host)
    IsRight &= Number == 2;
  std::puts(IsRight ? "right" : "WRONG");
  return !IsRight;
}
