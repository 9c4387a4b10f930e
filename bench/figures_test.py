#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A figure that was never measured ends a benchmark."""
import math
import unittest

from figures import measured


class Figures(unittest.TestCase):
    def test_what_was_measured_is_returned(self):
        for value in [1, 0.25, 10 ** 12]:
            self.assertEqual(measured("time", value), value)

    def test_what_was_not_measured_ends_the_benchmark(self):
        for value in [0, 0.0, -1, math.inf, -math.inf, math.nan, None, "", True]:
            with self.subTest(value=value), self.assertRaises(SystemExit) as end:
                measured("time of the link", value)
            self.assertIn("time of the link", str(end.exception))


if __name__ == "__main__":
    unittest.main()
