# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program for the test python_workers.py: workers of Python's that each
launch a kernel through HIP, or the program itself. Usage: workers.py CODE alone|process|pool|executor|spawn"""

import concurrent.futures
import ctypes
import multiprocessing
import sys

WORKERS, LAUNCHES, LANES = 3, 4, 64


def launch(number):
    """Returns the lanes that have run. HIP is used in the calling process alone."""
    hip = ctypes.CDLL("libamdhip64.so.5")
    module, kernel, memory = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    count = ctypes.c_uint32()

    def call(name, *arguments):
        status = getattr(hip, name)(*arguments)
        if status:
            raise RuntimeError(f"{name} says {status}")

    call("hipModuleLoad", ctypes.byref(module), sys.argv[1].encode())
    call("hipModuleGetFunction", ctypes.byref(kernel), module, b"_Z6addOnePj")
    call("hipMalloc", ctypes.byref(memory), ctypes.c_size_t(4))
    call("hipMemset", memory, 0, ctypes.c_size_t(4))
    arguments = (ctypes.c_void_p * 1)(ctypes.addressof(memory))
    for _ in range(LAUNCHES):
        call("hipModuleLaunchKernel", kernel, 1, 1, 1, LANES, 1, 1, 0, None, arguments, None)
    call("hipMemcpy", ctypes.byref(count), memory, ctypes.c_size_t(4), 2)
    return count.value


if __name__ == "__main__":
    context = multiprocessing.get_context("spawn" if sys.argv[2] == "spawn" else "fork")
    if sys.argv[2] == "alone":
        print([launch(0)])
    elif sys.argv[2] == "process":
        results = context.Queue()
        workers = [context.Process(target=lambda: results.put(launch(0))) for _ in range(WORKERS)]
        for worker in workers:
            worker.start()
        print([results.get() for _ in workers])
        for worker in workers:
            worker.join()
    elif sys.argv[2] in ("pool", "spawn"):
        # Ends its workers by SIGTERM.
        with context.Pool(WORKERS) as pool:
            print(pool.map(launch, range(WORKERS), chunksize=1))
    else:
        with concurrent.futures.ProcessPoolExecutor(WORKERS, mp_context=context) as pool:
            print(list(pool.map(launch, range(WORKERS))))
