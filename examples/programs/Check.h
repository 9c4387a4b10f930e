// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every program here shares: stopping at HIP errors, input that is the
// same in every run, and the one line of output.
#ifndef LUTHIER_EXAMPLES_CHECK_H
#define LUTHIER_EXAMPLES_CHECK_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <hip/hip_runtime.h>
#include <vector>

#define CHECK_HIP(Call) checkHip((Call), #Call, __FILE__, __LINE__)

inline void checkHip(hipError_t Status, const char *Call, const char *File,
                     int Line) {
  if (Status == hipSuccess)
    return;
  std::fprintf(stderr, "%s:%d: %s: %s\n", File, Line, Call,
               hipGetErrorString(Status));
  std::exit(2);
}

/// Workgroups of \p Size that cover \p Count items; the last may be partial.
inline unsigned groupsFor(unsigned Count, unsigned Size) {
  return (Count + Size - 1) / Size;
}

/// How many times its usual size a program is to have: its first argument,
/// which benchmarks give. Tests know the usual size.
inline unsigned timesUsual(int Argc, char **Argv) {
  const int Times = Argc > 1 ? std::atoi(Argv[1]) : 1;
  return Times > 1 ? unsigned(Times) : 1;
}

/// SplitMix64, because the standard library's distributions differ between
/// implementations.
class Random {
public:
  explicit Random(uint64_t Seed) : State(Seed) {}

  uint64_t next() {
    uint64_t Z = State += 0x9e3779b97f4a7c15;
    Z = (Z ^ (Z >> 30)) * 0xbf58476d1ce4e5b9;
    Z = (Z ^ (Z >> 27)) * 0x94d049bb133111eb;
    return Z ^ (Z >> 31);
  }

  /// In [Low, High), in steps of 2^-24 of the range: exact in a float.
  float uniform(float Low, float High) {
    return Low + (High - Low) * (float(next() >> 40) * 0x1p-24f);
  }

  std::vector<float> uniform(size_t Count, float Low, float High) {
    std::vector<float> Values(Count);
    for (float &Value : Values)
      Value = uniform(Low, High);
    return Values;
  }

private:
  uint64_t State;
};

/// Device memory for \p Count elements; freed with the object.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(size_t Count) : Count(Count) {
    CHECK_HIP(hipMalloc(reinterpret_cast<void **>(&Memory), bytes()));
  }
  explicit DeviceArray(const std::vector<T> &Values)
      : DeviceArray(Values.size()) {
    CHECK_HIP(hipMemcpy(Memory, Values.data(), bytes(), hipMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;
  ~DeviceArray() { CHECK_HIP(hipFree(Memory)); }

  T *get() const { return Memory; }
  size_t bytes() const { return Count * sizeof(T); }

  /// Waits for the kernels before it, and reports how their launches went.
  std::vector<T> read() const {
    CHECK_HIP(hipGetLastError());
    std::vector<T> Values(Count);
    CHECK_HIP(hipMemcpy(Values.data(), Memory, bytes(), hipMemcpyDeviceToHost));
    return Values;
  }

private:
  T *Memory = nullptr;
  size_t Count;
};

/// Compares results with what the host computed and takes a digest of all of
/// them, so that two runs can be compared bit for bit by their output.
class Verdict {
public:
  explicit Verdict(const char *Program) : Program(Program) {}

  /// Every bit must agree.
  template <typename T>
  void expectEqual(const std::vector<T> &Actual,
                   const std::vector<T> &Expected) {
    addToDigest(Actual);
    expect(Actual.size() == Expected.size(), "number of results");
    for (size_t I = 0; I < Actual.size() && Good; ++I)
      if (std::memcmp(&Actual[I], &Expected[I], sizeof(T)) != 0)
        fail("result", I);
  }

  /// \p Bound is absolute. The host need not use the device's types.
  template <typename T>
  void expectNear(const std::vector<T> &Actual,
                  const std::vector<double> &Expected, double Bound) {
    addToDigest(Actual);
    expect(Actual.size() == Expected.size(), "number of results");
    for (size_t I = 0; I < Actual.size() && Good; ++I)
      // Written so that a NaN fails.
      if (!(std::fabs(double(Actual[I]) - Expected[I]) <= Bound))
        fail("result", I);
  }

  void expect(bool Condition, const char *What) {
    if (!Condition)
      fail(What, 0);
  }

  /// FNV-1a over the values' bytes.
  template <typename T> void addToDigest(const std::vector<T> &Values) {
    const auto *Bytes = reinterpret_cast<const unsigned char *>(Values.data());
    for (size_t I = 0; I < Values.size() * sizeof(T); ++I)
      Digest = (Digest ^ Bytes[I]) * 0x100000001b3;
  }

  uint64_t digest() const { return Digest; }
  bool good() const { return Good; }

  /// Prints the line; what main returns.
  int finish() const {
    std::printf("%s: digest %016llx %s\n", Program, (unsigned long long)Digest,
                Good ? "PASS" : "FAIL");
    return Good ? 0 : 1;
  }

private:
  void fail(const char *What, size_t Index) {
    std::fprintf(stderr, "%s: wrong %s at %zu\n", Program, What, Index);
    Good = false;
  }

  const char *Program;
  uint64_t Digest = 0xcbf29ce484222325;
  bool Good = true;
};

#endif // LUTHIER_EXAMPLES_CHECK_H
