# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests are files whose RUN lines hold; see LLVM's "lit" and "FileCheck" pages.
import os

import lit.formats

config.name = "luthier"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".test", ".cpp", ".cl", ".s", ".ll", ".mir"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)

config.environment["PATH"] = os.pathsep.join(
    [config.luthier_bin, config.llvm_bin, config.environment["PATH"]]
)
# What earlier runs have compiled is not for tests.
config.environment["LUTHIER_CACHE_SIZE"] = "0"
# Large pages save a fifth of a compiler's time.
config.environment["GLIBC_TUNABLES"] = "glibc.malloc.hugetlb=1"
# %device -mcpu=<target> compiles C++ kernels to a code object, without any library.
device = "clang -std=c++20 -nogpulib -O2 --target=amdgcn-amd-amdhsa"
config.substitutions += [
    ("%device", f"{device} -I {config.test_source_root}/Inputs"),
    ("%exits", f"{config.python} {config.test_source_root}/Inputs/exits.py"),
    ("%python", config.python),
    ("%rocrand", config.rocrand),
]
if config.rocrand and not config.rocrand.endswith("-NOTFOUND"):
    config.available_features.add("rocrand")
