# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds of HIP programs as users of profiles make them: the compiler, with the
flags that `luthier pgo flags` prints."""

import functools
import os
import shlex
import sys

sys.path.insert(0, __file__.rsplit("/", 2)[0])
import harness  # noqa: E402
from harness import Failure  # noqa: E402

ARGUMENTS = [
    (["--clang"], {"required": True, "help": "the compiler and flags that every build has"}),
    (["--libraries"], {"required": True, "help": "device libraries for profiles of samples"}),
    (["--device"], {"default": "gfx90a", "help": "what the flags compile for"}),
    (["source"], {"help": "the program"}),
]


# Large pages save a fifth of a compiler's time, which is most of these tests'. Luthier and the programs have them, too.
os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")


class Builds:
    def __init__(self, arguments, directory):
        self.arguments, self.directory = arguments, directory
        self.clang = shlex.split(arguments.clang)

    @functools.lru_cache(maxsize=None)
    def flags(self, *request):
        """What `luthier pgo flags` says."""
        libraries = ["--device-libraries", self.arguments.libraries] if "use" in request else []
        result = harness.run([self.arguments.luthier, "pgo", "flags", *request, *libraries])
        result.expect(result.code == 0, "luthier pgo flags fails")
        return shlex.split(result.stdout)

    def compile(self, name, flags=(), level="-O3", source=None):
        """The path of a program."""
        path = f"{self.directory}/{name}"
        command = [*self.clang, level, *flags, source or self.arguments.source, "-o", path, "-lamdhip64"]
        result = harness.run(command)
        result.expect(result.code == 0, "the compiler fails")
        return path

    def profile(self, name, program, *options):
        """Of what a program's kernels execute."""
        path = f"{self.directory}/{name}"
        device = ["--device", f"emulated:{self.arguments.device}"]
        result = harness.run([self.arguments.luthier, "pgo", "collect", *device, "-o", path, *options, "--", program])
        result.expect(result.code == 0, "luthier pgo collect fails")
        return path

    def judge(self, before, after, *options):
        return harness.run([self.arguments.luthier, "pgo", "judge", "--before", before, "--after", after, *options])

    def show(self, *options):
        return harness.run([self.arguments.luthier, "pgo", "show", "--device", self.arguments.device, *options])
