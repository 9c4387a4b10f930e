// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two processes add to the same device memory, which one of them has allocated:
// by HIP's handle, with an event that orders them (since HIP 7), and by a file
// descriptor.
// Then two streams share a number, for which one of them waits.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <hip/hip_runtime.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static void expect(bool Good, const char *What) {
  if (Good)
    return;
  std::fprintf(stderr, "failed: %s\n", What);
  _exit(1);
}

static void check(hipError_t Status, const char *What) {
  if (Status != hipSuccess)
    std::fprintf(stderr, "%s\n", hipGetErrorString(Status));
  expect(Status == hipSuccess, What);
}
#define CHECK(CALL) check(CALL, #CALL)

static constexpr int N = 1 << 20;

__global__ void add(int *Memory, int Value) {
  Memory[blockIdx.x * blockDim.x + threadIdx.x] += Value;
}

static void launch(int *Memory, int Value, hipStream_t Stream = nullptr) {
  add<<<N / 256, 256, 0, Stream>>>(Memory, Value);
  CHECK(hipGetLastError());
}

static void expectAll(const int *Memory, int Value) {
  std::vector<int> Result(N);
  CHECK(
      hipMemcpy(Result.data(), Memory, N * sizeof(int), hipMemcpyDeviceToHost));
  for (int Found : Result)
    if (Found != Value) {
      std::fprintf(stderr, "%d instead of %d\n", Found, Value);
      _exit(1);
    }
}

template <class T> static void give(int Socket, const T &Value) {
  expect(write(Socket, &Value, sizeof(T)) == sizeof(T), "write");
}

template <class T> static T take(int Socket) {
  T Value;
  expect(read(Socket, &Value, sizeof(T)) == sizeof(T), "read");
  return Value;
}

/// A message of one byte, with room for a file descriptor.
struct Message {
  char Byte = 0;
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(int))] = {};
  iovec Data{&Byte, 1};
  msghdr Header{};

  Message() {
    Header.msg_iov = &Data;
    Header.msg_iovlen = 1;
    Header.msg_control = Control;
    Header.msg_controllen = sizeof(Control);
  }
};

static void giveFile(int Socket, int File) {
  Message Sent;
  cmsghdr *Control = CMSG_FIRSTHDR(&Sent.Header);
  Control->cmsg_level = SOL_SOCKET;
  Control->cmsg_type = SCM_RIGHTS;
  Control->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(Control), &File, sizeof(int));
  expect(sendmsg(Socket, &Sent.Header, 0) == 1, "sendmsg");
}

static int takeFile(int Socket) {
  Message Received;
  expect(recvmsg(Socket, &Received.Header, 0) == 1, "recvmsg");
  cmsghdr *Control = CMSG_FIRSTHDR(&Received.Header);
  expect(Control && Control->cmsg_type == SCM_RIGHTS, "a file descriptor");
  int File;
  std::memcpy(&File, CMSG_DATA(Control), sizeof(int));
  return File;
}

/// HIP 6 says of an event for other processes that it has come as soon as it is
/// recorded, whatever the stream waits for.
static constexpr bool EventsWait = HIP_VERSION_MAJOR >= 7;

/// The kernel that the event follows waits until the other process has said
/// that its own is in line behind the event.
static void shareByHandle(int Socket) {
  int *Memory;
  hipEvent_t Added;
  CHECK(hipMalloc(reinterpret_cast<void **>(&Memory), N * sizeof(int)));
  CHECK(hipEventCreateWithFlags(&Added,
                                hipEventDisableTiming | hipEventInterprocess));
  hipIpcMemHandle_t Handle;
  hipIpcEventHandle_t EventHandle;
  CHECK(hipIpcGetMemHandle(&Handle, Memory));
  CHECK(hipIpcGetEventHandle(&EventHandle, Added));
  CHECK(hipMemset(Memory, 0, N * sizeof(int)));
  CHECK(hipDeviceSynchronize());
  if (EventsWait)
    CHECK(hipLaunchHostFunc(
        nullptr, [](void *From) { take<char>(*static_cast<int *>(From)); },
        &Socket));
  launch(Memory, 1);
  CHECK(hipEventRecord(Added, nullptr));
  if (!EventsWait)
    CHECK(hipDeviceSynchronize());
  give(Socket, Handle);
  give(Socket, EventHandle);
  if (!EventsWait)
    take<char>(Socket);
  CHECK(hipDeviceSynchronize());
  take<char>(Socket);
  expectAll(Memory, 6);
  CHECK(hipEventDestroy(Added));
  CHECK(hipFree(Memory));
}

/// Knows nothing but the handles.
static void takeByHandle(int Socket) {
  const auto Handle = take<hipIpcMemHandle_t>(Socket);
  const auto EventHandle = take<hipIpcEventHandle_t>(Socket);
  void *Memory;
  hipEvent_t Added;
  CHECK(hipIpcOpenMemHandle(&Memory, Handle, hipIpcMemLazyEnablePeerAccess));
  CHECK(hipIpcOpenEventHandle(&Added, EventHandle));
  expect(!EventsWait || hipEventQuery(Added) == hipErrorNotReady,
         "the event is still to come");
  CHECK(hipStreamWaitEvent(nullptr, Added, 0));
  launch(static_cast<int *>(Memory), 5);
  expect(!EventsWait || hipStreamQuery(nullptr) == hipErrorNotReady,
         "the stream waits");
  give(Socket, 'w');
  CHECK(hipDeviceSynchronize());
  CHECK(hipEventQuery(Added));
  CHECK(hipEventDestroy(Added));
  CHECK(hipIpcCloseMemHandle(Memory));
  give(Socket, 'x');
}

static int *mapped(hipMemGenericAllocationHandle_t Handle, size_t Bytes) {
  void *Memory;
  CHECK(hipMemAddressReserve(&Memory, Bytes, 0, nullptr, 0));
  CHECK(hipMemMap(Memory, Bytes, 0, Handle, 0));
  const hipMemAccessDesc Access{{hipMemLocationTypeDevice, {0}},
                                hipMemAccessFlagsProtReadWrite};
  CHECK(hipMemSetAccess(Memory, Bytes, &Access, 1));
  return static_cast<int *>(Memory);
}

static void unmap(int *Memory, hipMemGenericAllocationHandle_t Handle,
                  size_t Bytes) {
  CHECK(hipMemUnmap(Memory, Bytes));
  CHECK(hipMemAddressFree(Memory, Bytes));
  CHECK(hipMemRelease(Handle));
}

static void shareByFile(int Socket) {
  hipMemAllocationProp Kind{};
  Kind.type = hipMemAllocationTypePinned;
  Kind.location = {hipMemLocationTypeDevice, {0}};
#if HIP_VERSION_MAJOR >= 7
  Kind.requestedHandleTypes = hipMemHandleTypePosixFileDescriptor;
#else
  Kind.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
#endif
  size_t Piece = 0;
  CHECK(hipMemGetAllocationGranularity(&Piece, &Kind,
                                       hipMemAllocationGranularityMinimum));
  const size_t Bytes = (N * sizeof(int) + Piece - 1) / Piece * Piece;
  hipMemGenericAllocationHandle_t Handle;
  CHECK(hipMemCreate(&Handle, Bytes, &Kind, 0));
  int *Memory = mapped(Handle, Bytes);
  CHECK(hipMemset(Memory, 0, Bytes));
  launch(Memory, 7);
  CHECK(hipDeviceSynchronize());
  int File = -1;
  CHECK(hipMemExportToShareableHandle(&File, Handle,
                                      hipMemHandleTypePosixFileDescriptor, 0));
  give(Socket, Bytes);
  giveFile(Socket, File);
  close(File);
  take<char>(Socket);
  expectAll(Memory, 12);
  unmap(Memory, Handle, Bytes);
}

static void takeByFile(int Socket) {
  const auto Bytes = take<size_t>(Socket);
  int File = takeFile(Socket);
  // Since 7, HIP takes the descriptor instead of its address.
#if HIP_VERSION_MAJOR >= 7
  void *Shared = reinterpret_cast<void *>(uintptr_t(File));
#else
  void *Shared = &File;
#endif
  hipMemGenericAllocationHandle_t Handle;
  CHECK(hipMemImportFromShareableHandle(&Handle, Shared,
                                        hipMemHandleTypePosixFileDescriptor));
  int *Memory = mapped(Handle, Bytes);
  expectAll(Memory, 7);
  launch(Memory, 5);
  CHECK(hipDeviceSynchronize());
  unmap(Memory, Handle, Bytes);
  give(Socket, 'x');
}

static void waitForNumber() {
  int Can = 0;
  CHECK(
      hipDeviceGetAttribute(&Can, hipDeviceAttributeCanUseStreamWaitValue, 0));
  expect(Can, "streams can wait for numbers");
  hipStream_t Waits, Writes;
  for (hipStream_t *Stream : {&Waits, &Writes})
    CHECK(hipStreamCreateWithFlags(Stream, hipStreamNonBlocking));
  uint64_t *Number;
  int *Memory;
  CHECK(hipExtMallocWithFlags(reinterpret_cast<void **>(&Number),
                              sizeof(uint64_t), hipMallocSignalMemory));
  CHECK(hipMalloc(reinterpret_cast<void **>(&Memory), N * sizeof(int)));
  CHECK(hipMemset(Memory, 0, N * sizeof(int)));
  CHECK(hipDeviceSynchronize());
  *Number = 0;
  CHECK(hipStreamWaitValue64(Waits, Number, 5, hipStreamWaitValueGte,
                             ~uint64_t(0)));
  launch(Memory, 1, Waits);
  expect(hipStreamQuery(Waits) == hipErrorNotReady, "the stream waits");
  CHECK(hipStreamWriteValue64(Writes, Number, 6, 0));
  CHECK(hipStreamSynchronize(Waits));
  expect(*Number == 6, "the number is there");
  expectAll(Memory, 1);
  for (hipStream_t Stream : {Waits, Writes})
    CHECK(hipStreamDestroy(Stream));
  CHECK(hipFree(Number));
  CHECK(hipFree(Memory));
}

int main() {
  int Sockets[2];
  expect(socketpair(AF_UNIX, SOCK_STREAM, 0, Sockets) == 0, "socketpair");
  const pid_t Other = fork();
  if (Other == 0) {
    close(Sockets[1]);
    takeByHandle(Sockets[0]);
    takeByFile(Sockets[0]);
    _exit(0);
  }
  close(Sockets[0]);
  shareByHandle(Sockets[1]);
  shareByFile(Sockets[1]);
  int Status = -1;
  expect(waitpid(Other, &Status, 0) == Other && Status == 0,
         "the other process");
  waitForNumber();
  std::printf("shared-memory: PASS\n");
}
