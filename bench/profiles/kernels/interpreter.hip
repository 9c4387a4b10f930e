// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A switch in a loop, as interpreters have it: the byte code uses two of its
// operations, and a profile knows which.
#include "Input.h"

struct Operation {
  unsigned Code, Operand;
};

__global__ __launch_bounds__(256) void interpret(const Operation *Program,
                                                 int Length, const float *In,
                                                 float *Out) {
  const unsigned Lane = blockIdx.x * blockDim.x + threadIdx.x;
  float Value = In[Lane], Saved[4] = {Value, 1, 2, 3};
  unsigned State = Lane;
  for (int Counter = 0; Counter < Length; ++Counter) {
    const unsigned Operand = Program[Counter].Operand;
    switch (Program[Counter].Code) {
    case 0:
      Value += float(Operand);
      break;
    case 1:
      Value *= 1.0001f;
      State ^= Operand;
      break;
    case 2:
      Value = __builtin_sqrtf(Value * Value + float(Operand));
      break;
    case 3:
      State = State * 1664525u + 1013904223u;
      break;
    case 4:
      Value = fmaf(Value, Saved[0], Saved[1]);
      break;
    case 5:
      Saved[Operand & 3] = Value;
      break;
    case 6:
      Value = Saved[Operand & 3];
      break;
    case 7:
      Value = sinf(Value);
      break;
    case 8:
      Value = logf(Value * Value + 1);
      break;
    case 9:
      Value = powf(fabsf(Value) + 1, 0.25f);
      break;
    case 10:
      State = __popc(State) + Operand;
      break;
    case 11:
      Value = fminf(Value, Saved[2]);
      break;
    case 12:
      Value += In[State % Lanes];
      break;
    case 13:
      Value = tanhf(Value * 0.01f);
      break;
    case 14:
      Counter += Value > 10;
      break;
    case 15:
      Value = atan2f(Value, Saved[1]);
      break;
    default:
      Value = -Value;
    }
  }
  Out[Lane] = Value + float(State & 15) + Saved[0] + Saved[3];
}

int main() {
  constexpr int Length = 256;
  std::vector<Operation> Code;
  for (unsigned I = 0; I < Length; ++I)
    Code.push_back({I % 8 ? 12u : 3u, I & 7});
  const DeviceArray<Operation> Program(Code);
  const DeviceArray<float> In(Random(1).uniform(Lanes, 0, 16)), Out(Lanes);
  interpret<<<Groups, GroupSize>>>(Program.get(), Length, In.get(), Out.get());
  printDigest("interpreter", Out);
}
