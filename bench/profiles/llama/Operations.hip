// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs one operation of llama.cpp on the GPU, without the rest of its backend:
// the file of kernels is linked with this one and with ggml's tensors.
// OPERATION is a function below; of the others, nothing is compiled.
#include "Input.h"
#include "argmax.cuh"
#include "argsort.cuh"
#include "common.cuh"
#include "conv2d-dw.cuh"
#include "cumsum.cuh"
#include "getrows.cuh"
#include "norm.cuh"
#include "pool2d.cuh"
#include "quantize.cuh"
#include "rope.cuh"
#include "softmax.cuh"
#include "upscale.cuh"
#include "wkv.cuh"

// What the kernels' files ask the backend for.

void ggml_cuda_error(const char *Call, const char *, const char *File, int Line,
                     const char *Message) {
  std::fprintf(stderr, "%s:%d: %s: %s\n", File, Line, Call, Message);
  std::exit(2);
}

void ggml_cuda_set_device(int Device) { CHECK_HIP(hipSetDevice(Device)); }

int ggml_cuda_get_device() {
  int Device;
  CHECK_HIP(hipGetDevice(&Device));
  return Device;
}

const ggml_cuda_device_info &ggml_cuda_info() {
  static const ggml_cuda_device_info Info = [] {
    hipDeviceProp_t Properties;
    CHECK_HIP(hipGetDeviceProperties(&Properties, 0));
    ggml_cuda_device_info Found = {};
    Found.device_count = Found.physical_device_count = 1;
    Found.devices[0].cc = GGML_CUDA_CC_CDNA2;
    Found.devices[0].nsm = Properties.multiProcessorCount;
    Found.devices[0].smpb = Properties.sharedMemPerBlock;
    Found.devices[0].smpbo = Properties.sharedMemPerBlock;
    Found.devices[0].warp_size = Properties.warpSize;
    Found.devices[0].physical_share_count = 1;
    return Found;
  }();
  return Info;
}

namespace {

struct Pool : ggml_cuda_pool {
  void *alloc(size_t Size, size_t *ActualSize) override {
    void *Memory;
    CHECK_HIP(hipMalloc(&Memory, Size));
    *ActualSize = Size;
    return Memory;
  }
  void free(void *Memory, size_t) override { CHECK_HIP(hipFree(Memory)); }
};

} // namespace

std::unique_ptr<ggml_cuda_pool>
ggml_backend_cuda_context::new_pool_for_device(int, int) {
  return std::make_unique<Pool>();
}

ggml_backend_cuda_context::~ggml_backend_cuda_context() = default;

namespace {

constexpr int Columns = 1000, Rows = 64;

/// Tensors whose data is on the GPU, and one operation of them.
class Operation {
public:
  ggml_context *tensors() const { return Tensors; }

  ggml_tensor *input(int Width, int Height, int Depth = 1, int Count = 1) {
    ggml_tensor *Tensor =
        ggml_new_tensor_4d(Tensors, GGML_TYPE_F32, Width, Height, Depth, Count);
    fill(Tensor, Random(20).uniform(ggml_nelements(Tensor), -4, 4).data());
    return Tensor;
  }

  void fill(ggml_tensor *Tensor, const void *Values) {
    CHECK_HIP(hipMalloc(&Tensor->data, ggml_nbytes(Tensor)));
    CHECK_HIP(hipMemcpy(Tensor->data, Values, ggml_nbytes(Tensor),
                        hipMemcpyHostToDevice));
  }

  template <typename F> void run(F Compute, ggml_tensor *Result) {
    CHECK_HIP(hipMalloc(&Result->data, ggml_nbytes(Result)));
    Compute(Backend, Result);
    CHECK_HIP(hipStreamSynchronize(Backend.stream()));
    print(Result->data, ggml_nbytes(Result));
  }

  static void print(const void *Memory, size_t Bytes) {
    std::vector<char> Results(Bytes);
    CHECK_HIP(hipMemcpy(Results.data(), Memory, Bytes, hipMemcpyDeviceToHost));
    Verdict Digest("llama");
    Digest.addToDigest(Results);
    std::printf("digest %016llx\n", (unsigned long long)Digest.digest());
  }

private:
  ggml_context *Tensors = ggml_init({1 << 20, nullptr, /*no_alloc=*/true});
  ggml_backend_cuda_context Backend{0};
};

[[maybe_unused]] void argmax(Operation &Op) {
  Op.run(ggml_cuda_argmax, ggml_argmax(Op.tensors(), Op.input(Columns, Rows)));
}

[[maybe_unused]] void cumsum(Operation &Op) {
  Op.run(ggml_cuda_op_cumsum,
         ggml_cumsum(Op.tensors(), Op.input(Columns, Rows)));
}

[[maybe_unused]] void norm(Operation &Op) {
  ggml_tensor *Input = Op.input(Columns, Rows);
  Op.run(ggml_cuda_op_norm, ggml_norm(Op.tensors(), Input, 1e-5f));
  Op.run(ggml_cuda_op_rms_norm, ggml_rms_norm(Op.tensors(), Input, 1e-5f));
  Op.run(ggml_cuda_op_l2_norm, ggml_l2_norm(Op.tensors(), Input, 1e-5f));
}

[[maybe_unused]] void softmax(Operation &Op) {
  ggml_tensor *Mask =
      ggml_new_tensor_2d(Op.tensors(), GGML_TYPE_F32, Columns, Rows);
  // Each row sees what is before it, as words of a text do.
  std::vector<float> Hidden(Columns * Rows);
  for (int I = 0; I < Columns * Rows; ++I)
    Hidden[I] = I % Columns > I / Columns * 16 ? -INFINITY : 0;
  Op.fill(Mask, Hidden.data());
  Op.run(ggml_cuda_op_soft_max,
         ggml_soft_max_ext(Op.tensors(), Op.input(Columns, Rows), Mask, 0.125f,
                           0));
}

[[maybe_unused]] void rope(Operation &Op) {
  constexpr int HeadSize = 128, Heads = 8, Words = 32;
  ggml_tensor *Positions =
      ggml_new_tensor_1d(Op.tensors(), GGML_TYPE_I32, Words);
  std::vector<int> Numbers(Words);
  for (int I = 0; I < Words; ++I)
    Numbers[I] = I;
  Op.fill(Positions, Numbers.data());
  ggml_tensor *Input = Op.input(HeadSize, Heads, Words);
  for (int Mode : {GGML_ROPE_TYPE_NORMAL, GGML_ROPE_TYPE_NEOX})
    Op.run(ggml_cuda_op_rope,
           ggml_rope(Op.tensors(), Input, Positions, HeadSize, Mode));
}

[[maybe_unused]] void argsort(Operation &Op) {
  Op.run(ggml_cuda_op_argsort,
         ggml_argsort(Op.tensors(), Op.input(Columns, Rows / 4),
                      GGML_SORT_ORDER_ASC));
}

[[maybe_unused]] void conv2d_dw(Operation &Op) {
  constexpr int Channels = 4;
  Op.run(ggml_cuda_op_conv2d_dw,
         ggml_conv_2d_dw_direct(Op.tensors(), Op.input(3, 3, 1, Channels),
                                Op.input(Rows, Rows, Channels), 1, 1, 1, 1, 1,
                                1));
}

/// Of a table of four bits a value, in another order.
[[maybe_unused]] void getrows(Operation &Op) {
  constexpr int Width = 1024;
  ggml_tensor *Table =
      ggml_new_tensor_2d(Op.tensors(), GGML_TYPE_Q4_0, Width, Rows);
  std::vector<char> Blocks(ggml_nbytes(Table));
  ggml_quantize_chunk(Table->type,
                      Random(20).uniform(Width * Rows, -4, 4).data(),
                      Blocks.data(), 0, Rows, Width, nullptr);
  Op.fill(Table, Blocks.data());
  ggml_tensor *Wanted = ggml_new_tensor_1d(Op.tensors(), GGML_TYPE_I32, Rows);
  std::vector<int> Numbers(Rows);
  for (int I = 0; I < Rows; ++I)
    Numbers[I] = I * 13 % Rows;
  Op.fill(Wanted, Numbers.data());
  Op.run(ggml_cuda_op_get_rows, ggml_get_rows(Op.tensors(), Table, Wanted));
}

[[maybe_unused]] void pool2d(Operation &Op) {
  ggml_tensor *Input = Op.input(Rows, Rows, 4);
  for (ggml_op_pool Kind : {GGML_OP_POOL_MAX, GGML_OP_POOL_AVG})
    Op.run(ggml_cuda_op_pool2d,
           ggml_pool_2d(Op.tensors(), Input, Kind, 3, 3, 2, 2, 1, 1));
}

[[maybe_unused]] void upscale(Operation &Op) {
  ggml_tensor *Input = Op.input(Rows, Rows, 2);
  for (ggml_scale_mode Mode :
       {GGML_SCALE_MODE_NEAREST, GGML_SCALE_MODE_BILINEAR})
    Op.run(ggml_cuda_op_upscale, ggml_upscale(Op.tensors(), Input, 2, Mode));
}

[[maybe_unused]] void wkv(Operation &Op) {
  constexpr int HeadSize = 64, Heads = 4, Words = 16;
  const auto words = [&] { return Op.input(HeadSize, Heads, Words); };
  ggml_tensor *Keys = words(), *Values = words(), *Gates = words();
  Op.run(ggml_cuda_op_rwkv_wkv6,
         ggml_rwkv_wkv6(Op.tensors(), Keys, Values, Gates,
                        Op.input(HeadSize, Heads), words(),
                        Op.input(HeadSize * HeadSize * Heads, 1)));
}

[[maybe_unused]] void quantize(Operation &Op) {
  constexpr int Width = 1024;
  ggml_tensor *Input = Op.input(Width, Rows);
  const size_t Bytes = Width * Rows / QK8_1 * sizeof(block_q8_1);
  const DeviceArray<char> Blocks(Bytes);
  quantize_row_q8_1_cuda(
      static_cast<float *>(Input->data), nullptr, Blocks.get(), GGML_TYPE_Q4_0,
      Width, Width, Width * Rows, Width * Rows, Width, Rows, 1, 1, nullptr);
  Operation::print(Blocks.get(), Bytes);
}

} // namespace

int main() {
  Operation Op;
  OPERATION(Op);
}
