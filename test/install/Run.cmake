# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs a command, which has to succeed, and leaves what it says in \p output.
function(run)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
  if(code)
    message(FATAL_ERROR "${ARGN}:\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
