#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of bench/pgo.py says of records."""
import unittest

from profiles import earlier, page

BASE = {"wave_instructions": 1000, "lane_instructions": 5000, "cycles": 2000, "vgprs": 8, "sgprs": 16, "scratch_bytes": 0,
        "waves_per_simd": 8, "vgpr_spill_count": 0, "sgpr_spill_count": 0}


PLAIN = {"kind": "plain", "verdict": "same", "before": BASE, "after": BASE}


def used(route, weights, **after):
    sides = {"before": BASE, "after": {**BASE, **after}}
    return {"kind": "use", "route": route, "weights": weights, "verdict": "same", **sides, "kernels": {"kernel": sides}}


def kept(route, weights, is_used=True, **after):
    return {**used(route, weights, **after), "kind": "kept", "is_used": is_used}


def page_of(*records, name="p", reasons={}, before="", measured="here"):
    named = [{"program": name, "group": "kernels", **record}
             for record in (PLAIN, *records, {"kind": "end", "measured": measured})]
    page.REASONS.clear()
    page.REASONS.update(reasons)
    return page.written(named, before)


class Page(unittest.TestCase):
    def test_changes_are_in_per_cent_of_the_build_without_a_profile(self):
        text = page_of(used("counters", "lanes", wave_instructions=900, lane_instructions=5050, cycles=1000))
        self.assertIn("| p | -10.0 / +1.0 / -50.0 | - |", text)
        self.assertIn("| counters, lanes | 1 | 1 | 0 | 0 | 0 | 0 | -50.0 | -50.0 | -50.0 |", text)
        self.assertIn("## Losers, and why", text)
        self.assertIn("\n\nNone.\n", text)

    def test_what_is_kept_has_a_table_and_a_mean(self):
        text = page_of(used("ir", "lanes", cycles=3000), kept("ir", "lanes", cycles=1000))
        row = "\n| p | - | -50.0 | - | - | - | - | - |\n"
        self.assertIn(row, text)
        self.assertIn("| ir, lanes | 1 | 0 | 1 | 0 | 0 | 0 | +50.0 | +50.0 | +50.0 | 1 | -50.0 |", text)
        text = page_of(used("ir", "lanes", cycles=3000), kept("ir", "lanes", is_used=False), name="q", before=text)
        self.assertIn("\n| q | - | plain | - | - | - | - | - |\n", text)
        self.assertIn(row, text)
        self.assertIn("| ir, lanes | 2 | 0 | 2 | 0 | 0 | 0 | +50.0 | +50.0 | +50.0 | 1 | -29.3 |", text)

    def test_losers_are_named_with_what_changed_and_why(self):
        lost = used("probes", "waves", cycles=3000, vgprs=64, vgpr_spill_count=5)
        text = page_of(lost, reasons={"p": "It spills."})
        self.assertIn("- **p**, probes waves (+50.0 %). `kernel`: cycles 2,000 > 3,000, VGPRs 8 > 64, spilled 0 > 5. It spills.",
                      text)
        self.assertIn("| p | probes, waves | 8 > 64 | 16 | 0 | 0 > 5 | 8 |", text)
        self.assertIn(page.UNTOLD, page_of(lost))

    def test_hooks_that_were_measured_again_count_and_say_when(self):
        def hooks(instructions, **more):
            return {"kind": "hooks", "route": "lines", "verdict": "same", "same_profile": True,
                    "after": {**BASE, "wave_instructions": instructions}, **more}

        text = page_of(hooks(3000), hooks(2000, measured="there"))
        self.assertIn("Measured: columns *hooks* and *by hooks*: there; here.", text)
        self.assertIn("| p | 1,000 / 2,000 | - | - | - | +100.0 / +0.0 |", text)

    def test_a_wrong_build_has_no_figures(self):
        text = page_of({"kind": "use", "route": "ir", "weights": "lanes", "verdict": "DIFFERENT"})
        self.assertIn("| p | - | DIFFERENT | - |", text)
        self.assertIn("| p | - | plain | - |", text)
        self.assertIn("| ir, lanes | 1 | 0 | 0 | 0 | 1 | 0 | - | - | - | 0 | +0.0 |", text)

    def test_what_failed_is_said_with_the_reason(self):
        text = page_of({"kind": "collect", "route": "cs", "verdict": "fails: no memory"})
        self.assertIn("## What failed\n\n- p, collect cs: no memory\n", text)

    def test_failures_name_no_folders_of_the_machine(self):
        text = page_of({"kind": "plain", "verdict": "fails: /a/cache/b.cu:4:10: error: 'cub/block.cuh' and/or '/c/d.h'"})
        self.assertIn("- p, plain: b.cu:4:10: error: 'cub/block.cuh' and/or 'd.h'\n", text)

    def test_records_of_a_run_that_was_cut_off_do_not_count(self):
        text = page_of(used("ir", "lanes", cycles=4000), PLAIN, used("counters", "lanes", cycles=1000))
        self.assertIn("| p | +0.0 / +0.0 / -50.0 | - |", text)

    def test_rows_of_an_earlier_page_stay_for_programs_that_are_not_measured_now(self):
        old = page_of(used("probes", "waves", cycles=3000, vgprs=64), name="old", reasons={"old": "It spills."})
        text = page_of(used("probes", "waves", cycles=1000), before=old, measured="now")
        self.assertIn("Measured: now; before that, old at here. Programs: 2.", text)
        gain = "| old | - | - | - | +0.0 / +0.0 / +50.0 | - | - | - |\n"
        self.assertIn("| p | - | - | - | +0.0 / +0.0 / -50.0 | - | - | - |\n" + gain, text)
        self.assertIn("| probes, waves | 2 | 1 | 1 | 0 | 0 | 0 | -13.4 | -50.0 | +50.0 |", text)
        self.assertIn("- **old**, probes waves (+50.0 %). `kernel`: cycles 2,000 > 3,000, VGPRs 8 > 64. Not looked into.", text)
        self.assertIn("| old | probes, waves | 8 > 64 | 16 | 0 | 0 | 8 |", text)
        self.assertIn("| old | 1,000 / 2,000 | - | - | - | - |", text)
        self.assertNotIn("`kernel`", page_of(used("probes", "waves"), name="old", before=old))

    def test_failures_of_an_earlier_page_stay_for_programs_that_are_not_measured_now(self):
        failed = {"kind": "plain", "verdict": "fails: no memory"}
        old = page_of(failed, name="biased")
        text = page_of(used("ir", "lanes"), before=old)
        self.assertIn("## What failed\n\n- biased, plain: no memory\n", text)
        self.assertIn("Not measured, or only in part: rare-spill, ", text)
        self.assertNotIn("no memory", page_of(used("ir", "lanes"), name="biased", before=old))

    def test_changes_of_a_per_cent_are_alike_also_on_an_earlier_page(self):
        old = page_of(used("ir", "lanes", cycles=2020), name="old")
        self.assertIn("| ir, lanes | 2 | 0 | 0 | 2 | 0 | 0 |", page_of(used("ir", "lanes", cycles=2020), before=old))

    def test_losers_of_an_earlier_page_are_worse_also_if_that_is_rounded_to_a_per_cent(self):
        old = page_of(used("probes", "waves", cycles=2020.8), name="old")
        self.assertIn("- **old**, probes waves (+1.0 %). ", old)
        self.assertIn("| probes, waves | 2 | 0 | 1 | 1 | 0 | 0 |", page_of(used("probes", "waves"), before=old))

    def test_what_failed_earlier_and_is_only_begun_now_has_failed(self):
        old = page_of({"kind": "plain", "verdict": "fails: no memory"}, name="biased")
        begun = [{"program": "biased", "group": "kernels", **record} for record in (PLAIN, used("ir", "lanes"))]
        ended = [{"program": "p", "group": "kernels", **PLAIN}, {"program": "p", "group": "kernels", "kind": "end", "measured": "now"}]
        text = page.written(begun + ended, old)
        self.assertNotIn("| biased |", text)
        self.assertIn("- biased, plain: no memory\n", text)

    def test_rows_of_earlier_pages_keep_their_own_commits(self):
        names, text = ["a", "b", "c"], ""
        for name in names:
            text = page_of(used("ir", "lanes"), name=name, before=text, measured=f"commit of {name}, 2 cores; commit beside it")
        self.assertIn("Measured: commit of c, 2 cores; commit beside it; before that, "
                      "b at commit of b, 2 cores; commit beside it; a at commit of a, 2 cores; commit beside it. Programs: 3.", text)

    def test_a_page_that_has_told_the_same_program_twice_means_the_older_commit(self):
        measured = "now; before that, a, b at then; before that, b at once"
        self.assertEqual(earlier.measured_of(measured), {None: "now", "a": "then", "b": "once"})

    def test_builds_that_know_called_functions_have_a_table_of_their_own(self):
        known = used("lines", "waves, --calls", cycles=1000)
        text = page_of(used("lines", "waves"), known)
        row = "| p | - | - | +0.0 / +0.0 / +0.0 | +0.0 / +0.0 / -50.0 |\n"
        self.assertIn("| program | probes, waves | probes, --calls | lines, waves | lines, --calls |\n", text)
        self.assertIn(row, text)
        self.assertIn("| lines, waves | 1 | 0 | 0 | 1 | 0 | 0 | +0.0 | +0.0 | +0.0 |", text)
        self.assertIn(row, page_of(used("lines", "waves"), name="q", before=text))
        self.assertIn("lines waves, --calls (+50.0 %)", page_of(used("lines", "waves, --calls", cycles=3000)))
        self.assertNotIn("called functions are known", page_of(used("lines", "waves")))

    def test_rows_that_were_not_complete_do_not_stay(self):
        old = page_of(used("ir", "lanes"), name="biased")
        self.assertIn("Not measured, or only in part: rare-spill, ", old)
        self.assertIn("| biased |", page_of(before=old))
        partly = old.replace("in part: rare-spill, ", "in part: biased, rare-spill, ")
        self.assertNotIn("| biased |", page_of(before=partly))


if __name__ == "__main__":
    unittest.main()
