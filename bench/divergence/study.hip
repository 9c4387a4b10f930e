// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The nine kernels on which the cost of counting branch divergence was first
// published, written anew, at the sizes that their suite has by default unless
// a comment says otherwise. The argument names one; results are compared with
// the host's.
#include "../../examples/programs/Check.h"
#include <algorithm>
#include <cfloat>
#include <string>

// Back propagation: a layer of 65,536 inputs, and 16 hidden units.
constexpr int Inputs = 65536, Hidden = 16, Tile = 16, LogTile = 4;
constexpr int Stride = Hidden + 1;

/// Products of a tile of inputs and their weights, added up by halves.
__global__ void layerForward(const float *Input, float *Weights,
                             float *Partial) {
  __shared__ float Node[Tile];
  __shared__ float Sums[Tile][Tile];
  const int X = threadIdx.x, Y = threadIdx.y, First = Tile * blockIdx.y;
  const int At = Stride * (First + Y + 1) + X + 1;
  if (X == 0)
    Node[Y] = Input[First + Y + 1];
  __syncthreads();
  Sums[Y][X] = Weights[At];
  __syncthreads();
  Sums[Y][X] *= Node[Y];
  __syncthreads();
  for (int Step = 1; Step <= LogTile; ++Step) {
    const int Distance = 1 << Step;
    if (Y % Distance == 0)
      Sums[Y][X] += Sums[Y + Distance / 2][X];
    __syncthreads();
  }
  Weights[At] = Sums[Y][X];
  __syncthreads();
  if (X == 0)
    Partial[blockIdx.y * Hidden + Y] = Sums[X][Y];
}

constexpr float Rate = 0.3f, Momentum = 0.3f;

__global__ void adjustWeights(const float *Delta, const float *Layer,
                              float *Weights, float *Old) {
  const int X = threadIdx.x, Y = threadIdx.y;
  const int Row = Tile * blockIdx.y + Y + 1, Column = X + 1;
  const int At = Stride * Row + Column;
  const float Change = Rate * Delta[Column] * Layer[Row] + Momentum * Old[At];
  Weights[At] += Change;
  Old[At] = Change;
  __syncthreads();
  if (Y == 0 && blockIdx.y == 0) {
    const float Bias = Rate * Delta[Column] + Momentum * Old[Column];
    Weights[Column] += Bias;
    Old[Column] = Bias;
  }
}

/// Gaussian elimination: the factors of step T, and their use.
__global__ void fan1(float *Factors, const float *A, int Size, int T) {
  const int I = blockIdx.x * blockDim.x + threadIdx.x;
  if (I >= Size - 1 - T)
    return;
  Factors[Size * (I + T + 1) + T] = A[Size * (I + T + 1) + T] / A[Size * T + T];
}

__global__ void fan2(const float *Factors, float *A, float *B, int Size,
                     int T) {
  const int X = blockIdx.x * blockDim.x + threadIdx.x;
  const int Y = blockIdx.y * blockDim.y + threadIdx.y;
  if (X >= Size - 1 - T)
    return;
  if (Y >= Size - T)
    return;
  const float Factor = Factors[Size * (X + 1 + T) + T];
  A[Size * (X + 1 + T) + Y + T] -= Factor * A[Size * T + Y + T];
  if (Y == 0)
    B[X + 1 + T] -= Factor * B[T];
}

/// Hotspot: two steps of a heat equation on 512 times 512 cells, in one launch;
/// workgroups overlap by what the second needs.
constexpr int Cells = 512, Steps = 2, Core = Tile - 2 * Steps;
constexpr float Ambient = 80, Capacity = 0.5f, Across = 0.1f, Along = 0.1f,
                Upward = 0.0001f;

__global__ void hotspot(const float *Power, const float *From, float *To) {
  __shared__ float Now[Tile][Tile];
  __shared__ float Heat[Tile][Tile];
  __shared__ float Next[Tile][Tile];
  const int X = threadIdx.x, Y = threadIdx.y;
  const int Left = Core * blockIdx.x - Steps, Top = Core * blockIdx.y - Steps;
  const int Column = Left + X, Row = Top + Y;
  const bool Exists = Column >= 0 && Column < Cells && Row >= 0 && Row < Cells;
  if (Exists) {
    Now[Y][X] = From[Row * Cells + Column];
    Heat[Y][X] = Power[Row * Cells + Column];
  }
  __syncthreads();
  const int FirstX = Left < 0 ? -Left : 0, FirstY = Top < 0 ? -Top : 0;
  const int LastX = Left + Tile > Cells ? Cells - 1 - Left : Tile - 1;
  const int LastY = Top + Tile > Cells ? Cells - 1 - Top : Tile - 1;
  const int West = X - 1 < FirstX ? FirstX : X - 1;
  const int East = X + 1 > LastX ? LastX : X + 1;
  const int North = Y - 1 < FirstY ? FirstY : Y - 1;
  const int South = Y + 1 > LastY ? LastY : Y + 1;
  bool Computed = false;
  for (int I = 0; I < Steps; ++I) {
    Computed = false;
    if (X >= I + 1 && X <= Tile - I - 2 && Y >= I + 1 && Y <= Tile - I - 2 &&
        Exists) {
      Computed = true;
      const float Here = Now[Y][X];
      Next[Y][X] =
          Here +
          Capacity *
              (Heat[Y][X] + (Now[South][X] + Now[North][X] - 2 * Here) * Along +
               (Now[Y][East] + Now[Y][West] - 2 * Here) * Across +
               (Ambient - Here) * Upward);
    }
    __syncthreads();
    if (I == Steps - 1)
      break;
    if (Computed)
      Now[Y][X] = Next[Y][X];
    __syncthreads();
  }
  if (Computed)
    To[Row * Cells + Column] = Next[Y][X];
}

/// B+ tree: a workgroup looks for one of 10,000 keys among a million; each
/// work-item compares one key of a node.
constexpr int Order = 256, Keys = 1'000'000, Queries = 10'000;
struct Node {
  int Keys[Order + 1];
  int Children[Order + 1];
  bool IsLeaf;
};

__global__ void findK(int Height, const Node *Nodes, const int *Values,
                      const int *Wanted, int *Current, int *Offset,
                      int *Answers) {
  const int Item = threadIdx.x, Query = blockIdx.x;
  for (int I = 0; I < Height; ++I) {
    const Node &N = Nodes[Current[Query]];
    if (N.Keys[Item] <= Wanted[Query] && N.Keys[Item + 1] > Wanted[Query])
      if (N.Children[Item] >= 0)
        Offset[Query] = N.Children[Item];
    __syncthreads();
    if (Item == 0)
      Current[Query] = Offset[Query];
    __syncthreads();
  }
  const Node &Leaf = Nodes[Current[Query]];
  if (Leaf.Keys[Item] == Wanted[Query])
    Answers[Query] = Values[Leaf.Children[Item]];
}

/// K-means: 494,020 points of 34 features, and five clusters.
constexpr int Points = 494'020, Features = 34, Clusters = 5;

__global__ void invertMapping(const float *In, float *Out) {
  const int Point = blockIdx.x * blockDim.x + threadIdx.x;
  if (Point < Points)
    for (int I = 0; I < Features; ++I)
      Out[Point + Points * I] = In[Point * Features + I];
}

__global__ void kmeansPoint(const float *Values, const float *Centres,
                            int *Member) {
  const int Point =
      (blockIdx.x + blockIdx.y * gridDim.x) * blockDim.x + threadIdx.x;
  if (Point >= Points)
    return;
  int Nearest = -1;
  float Least = FLT_MAX;
  for (int C = 0; C < Clusters; ++C) {
    float Distance = 0;
    for (int I = 0; I < Features; ++I) {
      const float D = Values[Point + Points * I] - Centres[C * Features + I];
      Distance += D * D;
    }
    if (Distance < Least) {
      Least = Distance;
      Nearest = C;
    }
  }
  Member[Point] = Nearest;
}

/// Nearest neighbours: distances of 42,764 places from one.
constexpr int Places = 42'764;
struct Place {
  float Latitude, Longitude;
};

__global__ void euclid(const Place *All, float *Distances, Place Here) {
  const int I =
      blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
  if (I < Places) {
    const float Y = Here.Latitude - All[I].Latitude;
    const float X = Here.Longitude - All[I].Longitude;
    Distances[I] = sqrtf(Y * Y + X * X);
  }
}

static std::vector<double> doubles(const std::vector<float> &Values) {
  return {Values.begin(), Values.end()};
}

static void runLayerForward(Verdict &Results) {
  Random Source(1);
  const auto Input = Source.uniform(Inputs + 1, 0, 1);
  auto Weights = Source.uniform((Inputs + 1) * Stride, -1, 1);
  const DeviceArray<float> DeviceInput(Input), DeviceWeights(Weights),
      Partial(Inputs / Tile * Hidden);
  layerForward<<<dim3(1, Inputs / Tile), dim3(Tile, Tile)>>>(
      DeviceInput.get(), DeviceWeights.get(), Partial.get());
  std::vector<double> Sums(Inputs / Tile * Hidden);
  for (int I = 0; I < Inputs; ++I)
    for (int H = 0; H < Hidden; ++H)
      Sums[I / Tile * Hidden + H] +=
          double(Input[I + 1]) * Weights[Stride * (I + 1) + H + 1];
  Results.expectNear(Partial.read(), Sums, 1e-4);
}

static void runAdjustWeights(Verdict &Results) {
  Random Source(2);
  const auto Delta = Source.uniform(Stride, -1, 1);
  const auto Layer = Source.uniform(Inputs + 1, 0, 1);
  const auto Weights = Source.uniform((Inputs + 1) * Stride, -1, 1);
  const auto Old = Source.uniform((Inputs + 1) * Stride, -1, 1);
  const DeviceArray<float> DeviceDelta(Delta), DeviceLayer(Layer),
      DeviceWeights(Weights), DeviceOld(Old);
  adjustWeights<<<dim3(1, Inputs / Tile), dim3(Tile, Tile)>>>(
      DeviceDelta.get(), DeviceLayer.get(), DeviceWeights.get(),
      DeviceOld.get());
  std::vector<double> Expected = doubles(Weights);
  for (int I = 1; I <= Inputs; ++I)
    for (int H = 1; H <= Hidden; ++H)
      Expected[Stride * I + H] +=
          Rate * Delta[H] * Layer[I] + Momentum * Old[Stride * I + H];
  for (int H = 1; H <= Hidden; ++H)
    Expected[H] += Rate * Delta[H] + Momentum * Old[H];
  Results.expectNear(DeviceWeights.read(), Expected, 1e-5);
}

/// 256 unknowns: the suite makes matrices of any size. \p Side is that of the
/// second kernel's workgroups.
static void runGaussian(Verdict &Results, int Side) {
  constexpr int Size = 256;
  Random Source(3);
  auto A = Source.uniform(Size * Size, 0, 1), B = Source.uniform(Size, 0, 1);
  for (int I = 0; I < Size; ++I)
    A[I * Size + I] += Size;
  std::vector<float> Factors(Size * Size);
  const DeviceArray<float> DeviceFactors(Factors), DeviceA(A), DeviceB(B);
  for (int T = 0; T < Size - 1; ++T) {
    fan1<<<groupsFor(Size, Size), Size>>>(DeviceFactors.get(), DeviceA.get(),
                                          Size, T);
    fan2<<<dim3(groupsFor(Size, Side), groupsFor(Size, Side)),
           dim3(Side, Side)>>>(DeviceFactors.get(), DeviceA.get(),
                               DeviceB.get(), Size, T);
  }
  auto Expected = doubles(A);
  auto Right = doubles(B);
  for (int T = 0; T < Size - 1; ++T)
    for (int I = T + 1; I < Size; ++I) {
      const double Factor = Expected[Size * I + T] / Expected[Size * T + T];
      for (int J = T; J < Size; ++J)
        Expected[Size * I + J] -= Factor * Expected[Size * T + J];
      Right[I] -= Factor * Right[T];
    }
  Results.expectNear(DeviceA.read(), Expected, 1e-2);
  Results.expectNear(DeviceB.read(), Right, 1e-2);
}

static void runHotspot(Verdict &Results) {
  Random Source(4);
  const auto Power = Source.uniform(Cells * Cells, 0, 1);
  const auto Start = Source.uniform(Cells * Cells, 320, 340);
  const DeviceArray<float> DevicePower(Power), DeviceFrom(Start),
      DeviceTo(Cells * Cells);
  const unsigned Groups = groupsFor(Cells, Core);
  hotspot<<<dim3(Groups, Groups), dim3(Tile, Tile)>>>(
      DevicePower.get(), DeviceFrom.get(), DeviceTo.get());
  std::vector<double> Now = doubles(Start), Next(Now.size());
  for (int I = 0; I < Steps; ++I) {
    for (int Y = 0; Y < Cells; ++Y)
      for (int X = 0; X < Cells; ++X) {
        auto at = [&](int Row, int Column) {
          return Now[std::clamp(Row, 0, Cells - 1) * Cells +
                     std::clamp(Column, 0, Cells - 1)];
        };
        const double Here = at(Y, X);
        Next[Y * Cells + X] =
            Here +
            Capacity * (Power[Y * Cells + X] +
                        (at(Y + 1, X) + at(Y - 1, X) - 2 * Here) * Along +
                        (at(Y, X + 1) + at(Y, X - 1) - 2 * Here) * Across +
                        (Ambient - Here) * Upward);
      }
    std::swap(Now, Next);
  }
  Results.expectNear(DeviceTo.read(), Now, 1e-3);
}

/// Levels of full nodes above the keys 0, 2, 4, ...
static std::vector<Node> makeTree(int &Height) {
  std::vector<Node> Nodes;
  struct Entry {
    int Key, Index;
  };
  std::vector<Entry> Level(Keys);
  for (int I = 0; I < Keys; ++I)
    Level[I] = {2 * I, I};
  std::vector<std::vector<Node>> Levels;
  for (bool IsLeaf = true; IsLeaf || Level.size() > 1; IsLeaf = false) {
    std::vector<Entry> Above;
    std::vector<Node> New;
    for (size_t First = 0; First < Level.size(); First += Order) {
      Node N;
      std::fill_n(N.Keys, Order + 1, INT32_MAX);
      std::fill_n(N.Children, Order + 1, -1);
      N.IsLeaf = IsLeaf;
      for (size_t I = First; I < std::min(First + Order, Level.size()); ++I) {
        N.Keys[I - First] = Level[I].Key;
        N.Children[I - First] = Level[I].Index;
      }
      Above.push_back({N.Keys[0], int(New.size())});
      New.push_back(N);
    }
    Levels.push_back(std::move(New));
    Level = std::move(Above);
  }
  // The root first; children of inner nodes are counted from its level on.
  Height = int(Levels.size()) - 1;
  int Begin = 0;
  for (int L = Height; L >= 0; --L) {
    const int Next = Begin + int(Levels[L].size());
    for (Node &N : Levels[L]) {
      if (L > 0)
        for (int &Child : N.Children)
          Child += Child >= 0 ? Next : 0;
      Nodes.push_back(N);
    }
    Begin = Next;
  }
  return Nodes;
}

static void runFindK(Verdict &Results) {
  int Height = 0;
  const auto Nodes = makeTree(Height);
  Random Source(5);
  std::vector<int> Values(Keys), Wanted(Queries), Expected(Queries, -1);
  for (int I = 0; I < Keys; ++I)
    Values[I] = 7 * I;
  for (int Q = 0; Q < Queries; ++Q) {
    Wanted[Q] = int(Source.next() % (2 * Keys));
    if (Wanted[Q] % 2 == 0)
      Expected[Q] = Values[Wanted[Q] / 2];
  }
  const DeviceArray<Node> DeviceNodes(Nodes);
  const DeviceArray<int> DeviceValues(Values), DeviceWanted(Wanted),
      Current(std::vector<int>(Queries, 0)),
      Offset(std::vector<int>(Queries, 0)),
      Answers(std::vector<int>(Queries, -1));
  findK<<<Queries, Order>>>(Height, DeviceNodes.get(), DeviceValues.get(),
                            DeviceWanted.get(), Current.get(), Offset.get(),
                            Answers.get());
  Results.expectEqual(Answers.read(), Expected);
}

static void runInvertMapping(Verdict &Results) {
  Random Source(6);
  const auto In = Source.uniform(size_t(Points) * Features, 0, 1);
  const DeviceArray<float> DeviceIn(In), Out(In.size());
  invertMapping<<<groupsFor(Points, 256), 256>>>(DeviceIn.get(), Out.get());
  std::vector<float> Expected(In.size());
  for (int P = 0; P < Points; ++P)
    for (int I = 0; I < Features; ++I)
      Expected[P + size_t(Points) * I] = In[size_t(P) * Features + I];
  Results.expectEqual(Out.read(), Expected);
}

static void runKmeansPoint(Verdict &Results) {
  Random Source(7);
  const auto Values = Source.uniform(size_t(Points) * Features, 0, 1);
  const auto Centres = Source.uniform(Clusters * Features, 0, 1);
  const DeviceArray<float> DeviceValues(Values), DeviceCentres(Centres);
  const DeviceArray<int> Member(Points);
  const unsigned Side = unsigned(std::ceil(std::sqrt(groupsFor(Points, 256))));
  kmeansPoint<<<dim3(Side, Side), 256>>>(DeviceValues.get(),
                                         DeviceCentres.get(), Member.get());
  const std::vector<int> Actual = Member.read();
  // Near ties may go either way: the chosen centre is as near as any.
  std::vector<float> Excess(Points);
  for (int P = 0; P < Points; ++P) {
    double Least = DBL_MAX, Chosen = DBL_MAX;
    for (int C = 0; C < Clusters; ++C) {
      double Distance = 0;
      for (int I = 0; I < Features; ++I) {
        const double D =
            double(Values[P + size_t(Points) * I]) - Centres[C * Features + I];
        Distance += D * D;
      }
      Least = std::min(Least, Distance);
      if (C == Actual[P])
        Chosen = Distance;
    }
    Excess[P] = float(Chosen - Least);
  }
  Results.expectNear(Excess, std::vector<double>(Points), 1e-4);
}

static void runEuclid(Verdict &Results) {
  Random Source(8);
  std::vector<Place> All(Places);
  for (Place &P : All)
    P = {Source.uniform(0, 90), Source.uniform(0, 180)};
  const Place Here = {30, 90};
  const DeviceArray<Place> DeviceAll(All);
  const DeviceArray<float> Distances(Places);
  euclid<<<groupsFor(Places, 256), 256>>>(DeviceAll.get(), Distances.get(),
                                          Here);
  std::vector<double> Expected(Places);
  for (int I = 0; I < Places; ++I)
    Expected[I] = std::hypot(double(Here.Latitude) - All[I].Latitude,
                             double(Here.Longitude) - All[I].Longitude);
  Results.expectNear(Distances.read(), Expected, 1e-4);
}

int main(int Argc, char **Argv) {
  const std::string Kernel = Argc > 1 ? Argv[1] : "";
  Verdict Results("study");
  if (Kernel == "layerForward")
    runLayerForward(Results);
  else if (Kernel == "adjustWeights")
    runAdjustWeights(Results);
  else if (Kernel == "fan1" || Kernel == "fan2")
    runGaussian(Results, 4);
  else if (Kernel == "hotspot")
    runHotspot(Results);
  else if (Kernel == "findK")
    runFindK(Results);
  else if (Kernel == "invertMapping")
    runInvertMapping(Results);
  else if (Kernel == "kmeansPoint")
    runKmeansPoint(Results);
  else if (Kernel == "euclid")
    runEuclid(Results);
  else
    return std::fprintf(stderr, "usage: study KERNEL\n"), 2;
  return Results.finish();
}
