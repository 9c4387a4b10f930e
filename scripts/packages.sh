#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The one list of what Luthier needs from the distribution, and the one place
# that names the LLVM version. Sourced by the other scripts.

LUTHIER_LLVM_MAJOR=22

# Builds Luthier itself.
LUTHIER_BUILD_PACKAGES=(
  cmake ninja-build make ccache g++ python3 git
  clang-$LUTHIER_LLVM_MAJOR lld-$LUTHIER_LLVM_MAJOR llvm-$LUTHIER_LLVM_MAJOR
  llvm-$LUTHIER_LLVM_MAJOR-dev llvm-$LUTHIER_LLVM_MAJOR-tools
  libclang-$LUTHIER_LLVM_MAJOR-dev liblld-$LUTHIER_LLVM_MAJOR-dev
  libclang-rt-$LUTHIER_LLVM_MAJOR-dev clang-tools-$LUTHIER_LLVM_MAJOR
  clang-format-$LUTHIER_LLVM_MAJOR clang-tidy-$LUTHIER_LLVM_MAJOR
  # LLVM's own development files ask for these when they are found by CMake.
  zlib1g-dev libzstd-dev libxml2-dev libedit-dev libcurl4-openssl-dev
  # ROCm as the distribution ships it.
  hipcc libamdhip64-dev libhsa-runtime-dev libdrm-dev
  # Tests and benchmarks.
  libgtest-dev libgmock-dev libbenchmark-dev
  openmpi-bin libopenmpi-dev
)

# What not every Debian has: the device libraries are a package of their own where
# hipcc does not bring them; without the others, their tests are listed as not run.
LUTHIER_OPTIONAL_PACKAGES=(rocm-device-libs librocrand1 librocrand-dev librocprim-dev
  clang-14 libomp-14-dev # The last LLVM with OpenMP for GPUs in Debian 12.
  rocm-smi)

# Fetches the private AMDGPU headers of the installed LLVM.
LUTHIER_FETCH_PACKAGES=(ca-certificates dpkg-dev xz-utils)
