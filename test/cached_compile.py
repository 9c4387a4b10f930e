#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""cached_compile.py SCRIPT CCACHE CLANGXX: what two checkouts share through
cmake/cached-compile.sh, and that they share nothing that differs."""

import os
import subprocess
import sys
import tempfile
import unittest

SCRIPT, CCACHE, CLANGXX = sys.argv[1:4]
PCH_FLAGS = ["-Xclang", "-fno-pch-timestamp"]


def header_with(number):
    return f"#pragma once\nconstexpr int InHeader = {number};\n"


class Checkout:
    """A folder with a source, a header that is precompiled, and a build folder."""

    def __init__(self, root, cache):
        self.root = root
        self.build = os.path.join(self.root, "build", "folder")
        self.environment = {**os.environ, "CCACHE_DIR": cache, "CCACHE_CONFIGPATH": os.devnull}
        os.makedirs(self.build)
        os.makedirs(os.path.join(self.root, "include"))
        self.write("include/value.h", "constexpr int Value = 1;\n")
        self.write("include/header.h", header_with(1))
        self.write("build/folder/cmake_pch.hxx", "#include <header.h>\n")
        self.write("build/folder/cmake_pch.hxx.cxx", "")
        self.write("source.cpp", '#include "value.h"\nint value() { return Value; }\n')
        self.write("uses.cpp", "int value() { return InHeader; }\n")

    def write(self, name, text):
        with open(os.path.join(self.root, name), "w") as file:
            file.write(text)

    def run(self, *arguments):
        command = [SCRIPT, CCACHE, self.root, CLANGXX, *arguments]
        return subprocess.run(command, cwd=self.build, env=self.environment, capture_output=True, text=True)

    def is_hit(self, *arguments):
        """Compiles; whether the object was in the cache."""

        def hits():
            command = [CCACHE, "--print-stats"]
            text = subprocess.run(command, env=self.environment, check=True, capture_output=True, text=True).stdout
            counts = dict(line.split("\t") for line in text.splitlines())
            return int(counts["direct_cache_hit"]) + int(counts["preprocessed_cache_hit"])

        before = hits()
        result = self.run(*arguments)
        if result.returncode:
            raise AssertionError(result.stderr)
        return hits() != before

    def compile(self, *flags):
        source = os.path.join(self.root, "source.cpp")
        return self.is_hit(*self.includes(), *flags, "-c", source, "-o", "source.o")

    def includes(self):
        return ["-I" + os.path.join(self.root, "include")]

    def precompile(self, *flags):
        header = os.path.join(self.build, "cmake_pch.hxx")
        result = self.run(
            *self.includes(), *PCH_FLAGS, *flags, "-Xclang", "-emit-pch", "-Xclang", "-include", "-Xclang", header,
            "-x", "c++-header", "-MD", "-MT", "cmake_pch.hxx.pch", "-MF", "cmake_pch.hxx.pch.d", "-o", "cmake_pch.hxx.pch",
            "-c", header + ".cxx",
        )  # fmt: skip
        if result.returncode:
            raise AssertionError(result.stderr)

    def use(self):
        header = os.path.join(self.build, "cmake_pch.hxx")
        return self.is_hit(
            *self.includes(), *PCH_FLAGS, "-Xclang", "-include-pch", "-Xclang", header + ".pch", "-Xclang", "-include", "-Xclang", header,
            "-c", os.path.join(self.root, "uses.cpp"), "-o", "uses.o",
        )  # fmt: skip


class CachedCompile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = os.path.realpath(folder.name)
        cache = os.path.join(root, "cache")
        self.first = Checkout(os.path.join(root, "first"), cache)
        self.second = Checkout(os.path.join(root, "a", "second"), cache)

    def test_checkouts_share_objects_of_the_same_sources(self):
        self.assertFalse(self.first.compile())
        self.assertTrue(self.second.compile())

    def test_other_sources_are_compiled(self):
        self.assertFalse(self.first.compile())
        self.second.write("include/value.h", "constexpr int Value = 2;\n")
        self.assertFalse(self.second.compile())

    def test_debugging_information_is_of_its_own_checkout(self):
        self.assertFalse(self.first.compile("-g"))
        self.assertFalse(self.second.compile("-g"))

    def test_files_that_are_named_beside_the_command_count(self):
        for checkout, text in (self.first, "one"), (self.second, "two"):
            checkout.write("library.bc", text)
            checkout.environment["CCACHE_EXTRAFILES"] = os.path.join(checkout.root, "library.bc")
        self.assertFalse(self.first.compile())
        self.assertFalse(self.second.compile())
        self.second.write("library.bc", "one")
        self.assertTrue(self.second.compile())

    def test_users_of_the_same_precompiled_header_are_shared(self):
        for checkout in self.first, self.second:
            checkout.precompile()
        self.assertFalse(self.first.use())
        self.assertTrue(self.second.use())

    def test_users_of_another_precompiled_header_are_compiled(self):
        self.first.precompile()
        self.assertFalse(self.first.use())
        self.second.write("include/header.h", header_with(2))
        self.second.precompile()
        self.assertFalse(self.second.use())

    def test_a_precompiled_header_of_another_command_is_another(self):
        self.first.precompile()
        self.assertFalse(self.first.use())
        self.second.precompile("-DOTHER=1")
        self.assertFalse(self.second.use())

    def test_a_header_whose_files_are_not_known_is_an_error(self):
        header = os.path.join(self.first.build, "cmake_pch.hxx")
        result = self.first.run(
            *PCH_FLAGS, "-Xclang", "-emit-pch", "-x", "c++-header", "-o", "cmake_pch.hxx.pch", "-c", header + ".cxx"
        )
        self.assertEqual(result.returncode, 1)
        self.assertIn("no list of the files", result.stderr)

    def test_a_build_folder_outside_compiles(self):
        outside = os.path.join(os.path.dirname(self.first.root), "outside")
        os.makedirs(outside)
        self.first.build = outside
        self.assertFalse(self.first.compile())

    def test_a_build_folder_behind_a_link_compiles(self):
        outside = os.path.join(os.path.dirname(self.first.root), "outside")
        os.makedirs(outside)
        link = os.path.join(self.first.root, "link")
        os.symlink(outside, link)
        self.first.build = link
        self.first.environment["PWD"] = link
        self.assertFalse(self.first.compile())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
