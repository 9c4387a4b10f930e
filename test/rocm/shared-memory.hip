// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processes add to the same device memory, which one of them has allocated.
#include <cstdio>
#include <hip/hip_runtime.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static void check(hipError_t Status, const char *What) {
  if (Status == hipSuccess)
    return;
  std::fprintf(stderr, "%s: %s\n", What, hipGetErrorString(Status));
  _exit(1);
}
#define CHECK(CALL) check(CALL, #CALL)

static constexpr int N = 1 << 20;

__global__ void add(int *Memory, int Value) {
  Memory[blockIdx.x * blockDim.x + threadIdx.x] += Value;
}

/// Knows nothing but the handle that comes through the pipe.
static void otherProcess(int Pipe) {
  hipIpcMemHandle_t Handle;
  if (read(Pipe, &Handle, sizeof(Handle)) != sizeof(Handle))
    _exit(1);
  void *Memory;
  CHECK(hipIpcOpenMemHandle(&Memory, Handle, hipIpcMemLazyEnablePeerAccess));
  add<<<N / 256, 256>>>(static_cast<int *>(Memory), 5);
  CHECK(hipDeviceSynchronize());
  CHECK(hipIpcCloseMemHandle(Memory));
  _exit(0);
}

int main() {
  int Pipe[2];
  if (pipe(Pipe) != 0)
    return 1;
  const pid_t Other = fork();
  if (Other == 0) {
    close(Pipe[1]);
    otherProcess(Pipe[0]);
  }
  int *Memory;
  CHECK(hipMalloc(reinterpret_cast<void **>(&Memory), N * sizeof(int)));
  CHECK(hipMemset(Memory, 0, N * sizeof(int)));
  add<<<N / 256, 256>>>(Memory, 1);
  CHECK(hipDeviceSynchronize());
  hipIpcMemHandle_t Handle;
  CHECK(hipIpcGetMemHandle(&Handle, Memory));
  if (write(Pipe[1], &Handle, sizeof(Handle)) != sizeof(Handle))
    return 1;
  int Status = -1;
  if (waitpid(Other, &Status, 0) != Other || Status != 0) {
    std::printf("the other process failed\n");
    return 1;
  }
  std::vector<int> Result(N);
  CHECK(
      hipMemcpy(Result.data(), Memory, N * sizeof(int), hipMemcpyDeviceToHost));
  for (int Value : Result)
    if (Value != 6) {
      std::printf("%d instead of 6\n", Value);
      return 1;
    }
  std::printf("shared-memory: PASS\n");
}
