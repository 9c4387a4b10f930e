#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of bench/pgo.py says of records."""
import unittest

from profiles import page

BASE = {"wave_instructions": 1000, "lane_instructions": 5000, "cycles": 2000, "vgprs": 8, "sgprs": 16, "scratch_bytes": 0,
        "waves_per_simd": 8, "vgpr_spill_count": 0, "sgpr_spill_count": 0}


PLAIN = {"kind": "plain", "verdict": "same", "before": BASE, "after": BASE}


def used(route, weights, **after):
    sides = {"before": BASE, "after": {**BASE, **after}}
    return {"kind": "use", "route": route, "weights": weights, "verdict": "same", **sides, "kernels": {"kernel": sides}}


def page_of(*records, reasons={}):
    named = [{"program": "p", "group": "kernels", **record}
             for record in (PLAIN, *records, {"kind": "end", "measured": "here"})]
    page.REASONS.clear()
    page.REASONS.update(reasons)
    return page.written(named)


class Page(unittest.TestCase):
    def test_changes_are_in_per_cent_of_the_build_without_a_profile(self):
        text = page_of(used("counters", "lanes", wave_instructions=900, lane_instructions=5050, cycles=1000))
        self.assertIn("| p | -10.0 / +1.0 / -50.0 | - |", text)
        self.assertIn("| counters, lanes | 1 | 1 | 0 | 0 | 0 | 0 | -50.0 | -50.0 | -50.0 |", text)
        self.assertIn("## Losers, and why", text)
        self.assertIn("\n\nNone.\n", text)

    def test_losers_are_named_with_what_changed_and_why(self):
        lost = used("probes", "waves", cycles=3000, vgprs=64, vgpr_spill_count=5)
        text = page_of(lost, reasons={"p": "It spills."})
        self.assertIn("- **p**, probes waves (+50.0 %). `kernel`: cycles 2,000 > 3,000, VGPRs 8 > 64, spilled 0 > 5. It spills.",
                      text)
        self.assertIn("| p | probes, waves | 8 > 64 | 16 | 0 | 0 > 5 | 8 |", text)
        self.assertIn(page.UNTOLD, page_of(lost))

    def test_a_wrong_build_has_no_figures(self):
        text = page_of({"kind": "use", "route": "ir", "weights": "lanes", "verdict": "DIFFERENT"})
        self.assertIn("| p | - | DIFFERENT | - |", text)
        self.assertIn("| ir, lanes | 1 | 0 | 0 | 0 | 1 | 0 | - | - | - |", text)

    def test_what_failed_is_said_with_the_reason(self):
        text = page_of({"kind": "collect", "route": "cs", "verdict": "fails: no memory"})
        self.assertIn("## What failed\n\n- p, collect cs: no memory\n", text)

    def test_records_of_a_run_that_was_cut_off_do_not_count(self):
        text = page_of(used("ir", "lanes", cycles=4000), PLAIN, used("counters", "lanes", cycles=1000))
        self.assertIn("| p | +0.0 / +0.0 / -50.0 | - |", text)


if __name__ == "__main__":
    unittest.main()
