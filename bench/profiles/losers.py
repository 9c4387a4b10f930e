# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why builds with a profile lost, as the executed instructions of both builds show: found by hand, so what is new has no
reason yet. Causes in passes of LLVM were checked by compiling once more without them."""
UNTOLD = "Not looked into."
JUMPS = ("Block placement puts blocks that few lanes enter at the end of the kernel, such as the guarded load or store of each "
         "item. In most waves some lane enters them, so that the wave jumps there and back.")
SELECTS = ("SimplifyCFG keeps a branch instead of a select where the profile calls it predictable, and a branch takes a wave four "
           "times as long as arithmetic.")
COLD = ("The inliner leaves out functions at calls that the profile has as cold; objects whose address these take then stay in "
        "scratch.")
SHORT = "The kernel is short. " + JUMPS
REASONS = {
    "rare-spill": "With *lines*, the branch to the rare block has a weight of one half, since its unrolled loop gives it no count. "
                  "The number of rounds alone then changes the allocation of registers: a pair of values of the hot loop is in "
                  "scratch, and is loaded and stored in each round. There are fewer spills, in the wrong place.",
    "interpreter": "With *probes*, each round of the loop passes one more block, which copies six values of the loop between "
                   "registers: the paths of the switch meet later. There are fewer VGPRs, which does not pay here.",
    "pointer-chase": "There are fewer instructions. But the rare block has few free SGPRs and loads its 60 values one or two at a "
                     "time: it waits for memory 43 times instead of 7.",
    "rare-path": "With weights by lanes, the calls of sinf and powf are cold. They are not inlined, the loops around them are not "
                 "unrolled, and the loops' array is indexed by a register. There are far fewer VGPRs, but the launch has too few "
                 "waves to profit.",
    "table-call": "Calls through the pointer become comparisons with the functions that the profile names, and direct calls, which "
                  "are not inlined. Lanes of a wave want different functions, so that each round has comparisons and jumps more. "
                  "With *lines*, there are fewer instructions, but more of them are branches.",
    "axpy-half": "Its common block ended with an end of the program of its own; now it ends with a jump to one that lies before it. "
                 "Block placement does that, with the duplication of tails.",
    "llama-softmax": "The scalar unit, which four SIMDs share, decides how long this kernel takes. Each wave executes six more "
                     "scalar instructions on masks of lanes, since loops with two exits got another shape. It was not found which "
                     "pass does that; it is not block placement.",
    "llama-argsort": "Most of this is not the profile: `luthier pgo flags` adds -enable-pre=false to builds with probes, so that "
                     "values of the LDS are read again for the swap, and the two reads of a comparison are waited for one after "
                     "the other. A plain build with this flag loses as much.",
    "llama-pool2d": "The profile is hardly the cause: the release with probes loses nearly as much. There, SimpleLoopUnswitch leaves "
                    "the assertion of the switch in the inner loop, and the two cases of the switch, which were selects, stay "
                    "branches.",
    "thrust-bucket_sort2d": "With *counters*, the inliner weighs cost against benefit, and leaves out a function of the merge "
                            "kernels that each wave calls. The arrays that this gets by address lie in scratch.",
    "thrust-run_length_encoding": "With *counters*, *ir* and *cs*: " + SELECTS + " With *counters*, besides: " + COLD + " With *ir* "
                                  "and *cs*, a wave seems to wait for one guarded load at once, instead of after all items. On all "
                                  "routes: " + JUMPS,
    "thrust-mode": "With *ir* and *cs*, functions are inlined before they are counted, and bring loops that are not unrolled yet. "
                   "Their arrays are split too late: one stays in scratch. With *counters*: " + COLD + " " + SELECTS + " On all "
                   "routes: " + JUMPS,
    "thrust-histogram": JUMPS + " With *counters*, an object of one kernel lies in scratch, too.",
    "thrust-set_operations": "Selects and reads of LDS under a condition became branches on EXEC, and rare blocks lie at the end of "
                             "the kernel. Block placement is most of it, SimplifyCFG a part.",
    "thrust-weld_vertices": "With *probes*, a kernel loads a pointer only in the rare block that uses it, so that a wave of each of "
                            "14 workgroups waits for memory once more; it was not found which pass does that. With *ir*, two "
                            "kernels lose: " + JUMPS + " " + SELECTS,
    "thrust-summed_area_table": JUMPS + " Values are copied between registers on the way. With *lines*, one kernel divides by 64 "
                                "bits: in blocks that are taken as cold, the shorter division of 32 bits is left out to save size. "
                                "About half of the loss is not explained.",
    "thrust-scan_by_key": JUMPS + " That is over half of the loss with *ir*; the rest was not found.",
    "thrust-lexicographical_sort": JUMPS,
    "thrust-word_count": SHORT,
    "hipcub-device_reduce.cpp": SHORT,
    "hipcub-device_scan.cpp": "The kernels are short, and rare blocks lie at their ends: each wave jumps there and back.",
}
