# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The interpreter itself for hundreds of tests, where the first in PATH is a
# script that looks for it at each start (pyenv), which takes ten times as long.
# One that is too old, or none, is left to find_package().
if(NOT Python3_EXECUTABLE AND NOT Python3_ROOT_DIR)
  find_program(luthier_python3 python3 NO_CACHE)
endif()
if(luthier_python3)
  execute_process(COMMAND "${luthier_python3}" -c "import sys; print(sys.executable if sys.version_info >= (3, 9) else '')"
                  OUTPUT_VARIABLE luthier_python3 OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  if(luthier_python3)
    set(Python3_EXECUTABLE "${luthier_python3}" CACHE FILEPATH "for tests and benchmarks")
  endif()
endif()
