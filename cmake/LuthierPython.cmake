# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The interpreter itself for hundreds of tests, where the first in PATH is a
# script that looks for it at each start (pyenv), which takes ten times as long.
if(NOT Python3_EXECUTABLE)
  find_program(luthier_python3 python3 REQUIRED NO_CACHE)
  execute_process(COMMAND "${luthier_python3}" -c "import sys; print(sys.executable)"
                  OUTPUT_VARIABLE luthier_python3 OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(Python3_EXECUTABLE "${luthier_python3}" CACHE FILEPATH "for tests and benchmarks")
endif()
