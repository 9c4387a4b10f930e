#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the comparison of counts in three ways notices."""
import unittest

from builds import Failure
from three_ways import Comparison, expect_known, probes_of

ASSEMBLY = """\
kernel:
\t.pseudoprobe\t11 1 0 0 kernel
\t.pseudoprobe\t22 1 0 0 @ 11:3 kernel
\t.pseudoprobe\t11 3 2 0 kernel
\t.pseudoprobe\t18446744073709551615 4 0 1 7 @ 22:2 @ 11:3 kernel
"""


def differences(present, emulator, engine, counts=(5, 7), probe_of={0: 1, 1: 2}):
    comparison = Comparison()
    comparison.add("f", list(counts), probe_of, present, emulator, engine)
    return comparison.compared, len(comparison.differences)


class Comparing(unittest.TestCase):
    def test_blocks_that_all_count_alike_are_equal(self):
        self.assertEqual(differences({1, 2}, {1: 5, 2: 7}, {1: 5, 2: 7}), (2, 0))

    def test_blocks_without_code_are_not_compared(self):
        self.assertEqual(differences({1}, {1: 5}, {1: 5}), (1, 0))
        self.assertEqual(differences({1}, {1: 5}, {1: 5}, probe_of={0: 1, 1: None}), (1, 0))

    def test_a_block_of_the_code_that_somebody_does_not_count_differs(self):
        self.assertEqual(differences({1, 2}, {1: 5}, {1: 5, 2: 7}), (2, 1))
        self.assertEqual(differences({1, 2}, {1: 5, 2: 7}, {1: 5}), (2, 1))
        self.assertEqual(differences({1, 2}, {}, {}), (2, 2))

    def test_a_block_that_is_counted_and_not_of_the_code_differs(self):
        self.assertEqual(differences({1}, {1: 5, 2: 7}, {1: 5, 2: 7}), (2, 1))

    def test_more_differences_than_are_known_of_a_function_fail(self):
        comparison = Comparison()
        comparison.differences = [("_Z9transposePKjPjjj", "")] * 2
        expect_known("transpose.hip", "-O3", comparison)
        comparison.differences *= 2
        self.assertRaises(Failure, expect_known, "transpose.hip", "-O3", comparison)

    def test_probes_of_blocks_are_those_of_the_functions_that_were_inlined(self):
        probes = probes_of(ASSEMBLY, {11: "kernel", 22: "inlined", 2**64 - 1: "in it"})
        self.assertEqual(probes, {"kernel": {"kernel": {1}, "inlined": {1}, "in it": {4}}})


if __name__ == "__main__":
    unittest.main()
