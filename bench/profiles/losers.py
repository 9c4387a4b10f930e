# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Why builds with a profile lost, as the executed instructions of both builds show: found by hand, so what is new has no
reason yet."""
UNTOLD = "Not looked into."
ARRAY = ("With *counters*, the kernel has scratch and no spills: an array of each lane lies in memory that registers held "
         "before.")
REASONS = {
    "axpy-half": "Nothing was added but a jump for each round of its loop: the blocks were laid out in another order.",
    "interpreter": "There are fewer registers, but each round of the loop passes one more block, which copies six values of the "
                   "loop between registers: the paths of the switch meet later.",
    "llama-softmax": "The arithmetic is the same: loops got another shape, with fewer jumps, but more conditional branches and "
                     "more operations on masks of lanes.",
    "pointer-chase": "Fewer instructions, but more SGPRs are spilled to lanes of VGPRs.",
    "rare-path": "The loops of the rare path are not unrolled: that executes more instructions, but needs so few VGPRs that a SIMD "
                 "could hold 8 waves instead of 3. The launch has too few waves to profit.",
    "thrust-bucket_sort2d": ARRAY,
    "thrust-run_length_encoding": ARRAY + " That explains the loss with *counters* alone.",
    "thrust-weld_vertices": "The release loads all arguments of the kernel at once; with *probes waves*, a pointer is loaded only "
                            "in the blocks that use it, so each wave waits for memory once more.",
    "thrust-mode": ARRAY + " That explains the loss with *counters* alone.",
}
