// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OpenCL on ROCm's own runtime of it: kernels that it compiles while the
// program runs, with an offset of ids, LDS that the launch gives, printf and
// memory that host and GPU share.
#define CL_TARGET_OPENCL_VERSION 200
#include "Check.h"
#include <CL/cl.h>
#include <numeric>

static constexpr size_t Size = 64, N = 1 << 10;

static const char *const Source = R"(
kernel void scale(global uint *to, global const uint *from, uint by, uint n) {
  size_t i = get_global_id(0);
  if (i < n)
    to[i] = from[i] * by + get_group_id(0);
}
kernel void sum(global uint *to, global const uint *from, local uint *part) {
  size_t lane = get_local_id(0);
  part[lane] = from[get_global_id(0)];
  for (size_t left = get_local_size(0) / 2; left; left /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lane < left)
      part[lane] += part[lane + left];
  }
  if (lane == 0)
    atomic_add(to, part[0]);
}
kernel void ids(global uint *to) {
  size_t i = get_global_id(1) - get_global_offset(1);
  to[i * get_global_size(0) + get_global_id(0)] =
      get_global_id(1) << 16 | get_global_id(0);
}
kernel void say(uint what) {
  if (get_global_id(0) == 3)
    printf("a kernel says %u\n", what);
}
)";

static void check(cl_int Status, const char *Call) {
  if (Status == CL_SUCCESS)
    return;
  std::fprintf(stderr, "%s: OpenCL error %d\n", Call, Status);
  std::exit(2);
}
#define CHECK(CALL) check(CALL, #CALL)

namespace {

class Device {
public:
  Device() {
    cl_int Status;
    CHECK(clGetPlatformIDs(1, &Platform, nullptr));
    CHECK(clGetDeviceIDs(Platform, CL_DEVICE_TYPE_GPU, 1, &ID, nullptr));
    Context = clCreateContext(nullptr, 1, &ID, nullptr, nullptr, &Status);
    check(Status, "clCreateContext");
    Queue = clCreateCommandQueueWithProperties(Context, ID, nullptr, &Status);
    check(Status, "clCreateCommandQueueWithProperties");
    const char *Text = Source;
    Program = clCreateProgramWithSource(Context, 1, &Text, nullptr, &Status);
    check(Status, "clCreateProgramWithSource");
    CHECK(clBuildProgram(Program, 1, &ID, "-cl-std=CL2.0", nullptr, nullptr));
  }

  cl_mem buffer(const std::vector<uint32_t> &Values) {
    cl_int Status;
    cl_mem Result = clCreateBuffer(
        Context, CL_MEM_COPY_HOST_PTR, Values.size() * sizeof(uint32_t),
        const_cast<uint32_t *>(Values.data()), &Status);
    check(Status, "clCreateBuffer");
    return Result;
  }

  cl_kernel kernel(const char *Name) {
    cl_int Status;
    cl_kernel Result = clCreateKernel(Program, Name, &Status);
    check(Status, Name);
    return Result;
  }

  void launch(cl_kernel Kernel, cl_uint Dimensions, const size_t *Offset,
              const size_t *Items, const size_t *Group) {
    CHECK(clEnqueueNDRangeKernel(Queue, Kernel, Dimensions, Offset, Items,
                                 Group, 0, nullptr, nullptr));
  }

  std::vector<uint32_t> read(cl_mem Buffer, size_t Count) {
    std::vector<uint32_t> Values(Count);
    CHECK(clEnqueueReadBuffer(Queue, Buffer, CL_TRUE, 0,
                              Count * sizeof(uint32_t), Values.data(), 0,
                              nullptr, nullptr));
    return Values;
  }

  cl_platform_id Platform;
  cl_device_id ID;
  cl_context Context;
  cl_command_queue Queue;
  cl_program Program;
};

std::vector<uint32_t> inputs() {
  Random Next(1);
  std::vector<uint32_t> Values(N);
  for (uint32_t &Value : Values)
    Value = uint32_t(Next.next());
  return Values;
}

/// The last workgroup is smaller than the others.
void testPartialWorkgroups(Device &D, Verdict &V) {
  constexpr uint32_t Count = N - 30, By = 7;
  const std::vector<uint32_t> From = inputs();
  cl_mem In = D.buffer(From), Out = D.buffer(std::vector<uint32_t>(N));
  cl_kernel Scale = D.kernel("scale");
  CHECK(clSetKernelArg(Scale, 0, sizeof(Out), &Out));
  CHECK(clSetKernelArg(Scale, 1, sizeof(In), &In));
  CHECK(clSetKernelArg(Scale, 2, sizeof(By), &By));
  CHECK(clSetKernelArg(Scale, 3, sizeof(Count), &Count));
  const size_t Items = Count + 10;
  D.launch(Scale, 1, nullptr, &Items, &Size);
  std::vector<uint32_t> Expected(N);
  for (uint32_t I = 0; I != Count; ++I)
    Expected[I] = From[I] * By + I / uint32_t(Size);
  V.expectEqual(D.read(Out, N), Expected);
}

void testLDSOfTheLaunch(Device &D, Verdict &V) {
  const std::vector<uint32_t> From = inputs();
  cl_mem In = D.buffer(From), Out = D.buffer({0});
  cl_kernel Sum = D.kernel("sum");
  CHECK(clSetKernelArg(Sum, 0, sizeof(Out), &Out));
  CHECK(clSetKernelArg(Sum, 1, sizeof(In), &In));
  CHECK(clSetKernelArg(Sum, 2, Size * sizeof(uint32_t), nullptr));
  D.launch(Sum, 1, nullptr, &N, &Size);
  V.expectEqual(D.read(Out, 1),
                {std::accumulate(From.begin(), From.end(), 0u)});
}

/// Ids begin at an offset, and memory is the host's, too.
void testSharedMemory(Device &D, Verdict &V) {
  const size_t Offset[] = {0, 5}, Items[] = {Size, N / Size};
  void *Shared =
      clSVMAlloc(D.Context, CL_MEM_READ_WRITE, N * sizeof(uint32_t), 0);
  V.expect(Shared, "clSVMAlloc");
  cl_kernel Ids = D.kernel("ids");
  CHECK(clSetKernelArgSVMPointer(Ids, 0, Shared));
  D.launch(Ids, 2, Offset, Items, nullptr);
  CHECK(clEnqueueSVMMap(D.Queue, CL_TRUE, CL_MAP_READ, Shared,
                        N * sizeof(uint32_t), 0, nullptr, nullptr));
  const auto *Values = static_cast<const uint32_t *>(Shared);
  std::vector<uint32_t> Expected(N);
  for (uint32_t I = 0; I != N; ++I)
    Expected[I] = uint32_t(Offset[1] + I / Size) << 16 | I % uint32_t(Size);
  V.expectEqual(std::vector<uint32_t>(Values, Values + N), Expected);
}

/// Whoever runs the program looks for that line (examples.py --says).
void testPrintf(Device &D) {
  constexpr uint32_t What = 4711;
  cl_kernel Say = D.kernel("say");
  CHECK(clSetKernelArg(Say, 0, sizeof(What), &What));
  D.launch(Say, 1, nullptr, &Size, &Size);
  CHECK(clFinish(D.Queue));
}

} // namespace

int main() {
  Device D;
  Verdict V("opencl");
  testPartialWorkgroups(D, V);
  testLDSOfTheLaunch(D, V);
  testSharedMemory(D, V);
  testPrintf(D);
  return V.finish();
}
