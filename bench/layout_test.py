#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bench/layout.py reads of `luthier pgo show`."""
import unittest

import layout

SHOWN = """branches(unsigned int*), gfx90a
  1 of 4 blocks never executed, 25.0 % of the code
     block        waves  lanes/wave  instr.  source
      1900           16        64.0      12  
  5 lines of 64 bytes hold what was executed, 4 would do; 3 of 200 instructions are jumps, 7 taken branches, of which 2 could be spared at most
    branch     executed  % diverged  class           instruction            source
      1910           16         0.0  always uniform  s_cbranch_scc1         a.hip:3
      1920           48       100.0  divergent       s_and_saveexec_b64     a.hip:4
      1930            0           -  not executed    s_cbranch_vccz         a.hip:5
      load     executed  % diverged  class           from    instruction            source
      1940           30         0.0  uniform so far  global  global_load_dword      a.hip:6
      1948           10        50.0  divergent       lds     ds_read_b32            a.hip:7
      1950           10         0.0  always uniform  scalar  s_load_dwordx2         a.hip:8
      1958           16           -  not counted     flat    flat_load_dword        a.hip:9

other(), gfx90a
  0 of 1 blocks never executed, 0.0 % of the code
  1 lines of 64 bytes hold what was executed, 1 would do; 0 of 200 instructions are jumps, 1 taken branches, of which 0 could be spared at most
"""


class Layout(unittest.TestCase):
    def test_kernels_add_up(self):
        program = layout.parsed("p", SHOWN)
        self.assertEqual(program.layout_row(), ["p", 2, 6, 5, 5, "0.8 %", "2.0 %", "0.5 %"])

    def test_shares_are_of_what_was_executed_and_classified(self):
        self.assertEqual(layout.parsed("p", SHOWN).executed_row(), ["p", "12.5 %", "75.0 %", "10.0 %"])

    def test_a_program_without_branches_has_no_share(self):
        self.assertEqual(layout.parsed("p", SHOWN[SHOWN.index("other"):]).executed_row(), ["p", "0.0 %", "-", "-"])

    def test_nothing_shown_ends_the_benchmark(self):
        with self.assertRaises(SystemExit):
            layout.parsed("p", "")


if __name__ == "__main__":
    unittest.main()
