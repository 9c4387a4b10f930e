# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Fails unless the tool of an installed Luthier's user, in a folder with a space in its name,
# is built for a target with settings, again where a header has changed, and else not; also
# where a header has changed that is older than what was made of it, as a package's may be.
file(REMOVE_RECURSE "${work}")
include("${CMAKE_CURRENT_LIST_DIR}/Run.cmake")
function(configure)
  run("${CMAKE_COMMAND}" -S "${source}/test/rocm/tool" -B "${work}/tool" -G Ninja -D "CMAKE_CXX_COMPILER=${compiler}"
      -D "CMAKE_PREFIX_PATH=${work}/prefix" -D "SOURCE=${work}/LaunchCount.hip" ${ARGN})
endfunction()
function(expect text what)
  run("${CMAKE_COMMAND}" --build "${work}/tool")
  if(NOT output MATCHES "${text}")
    message(FATAL_ERROR "${what}:\n${output}")
  endif()
endfunction()
run("${CMAKE_COMMAND}" --install "${build}" --prefix "${work}/prefix")
file(COPY "${source}/examples/tools/LaunchCount.hip" DESTINATION "${work}")
configure(-D "TARGETS=gfx90a:xnack-")
expect("Linking CXX shared library libcounter.so" "the tool is not built")
expect("no work to do" "the tool is built again")
file(TOUCH "${work}/prefix/include/luthier/Tool.h")
expect("Building tool counter" "the tool is not built again where a header has changed")
file(APPEND "${work}/prefix/include/luthier/Tool.h" "// Changed.\n")
run(touch -d 2000-01-01 "${work}/prefix/include/luthier/Tool.h")
file(TOUCH "${work}/LaunchCount.hip")
expect("Tool.h' has been modified since.*compiling without precompiled headers.*Linking"
       "the tool is not built with an older header")
expect("Precompiling.*Linking" "headers are not precompiled anew")
expect("no work to do" "the tool is built again")
# An author's own error leaves them alone, whatever it says.
file(APPEND "${work}/LaunchCount.hip" "#error the precompiled header is not to blame\n")
execute_process(COMMAND "${CMAKE_COMMAND}" --build "${work}/tool" OUTPUT_VARIABLE output RESULT_VARIABLE code)
file(GLOB_RECURSE headers "${work}/tool/*.pch")
if(NOT code OR NOT output MATCHES "is not to blame" OR output MATCHES "compiling without" OR NOT headers)
  message(FATAL_ERROR "an error in the tool is taken for one of its headers: ${headers}\n${output}")
endif()
file(REMOVE "${work}/LaunchCount.hip")
file(COPY "${source}/examples/tools/LaunchCount.hip" DESTINATION "${work}")
file(TOUCH "${work}/LaunchCount.hip")
# What an author compiles for besides has no precompiled headers.
configure(-D TARGETS=gfx90a -D "FLAGS=-O2 --offload-arch=gfx1030")
expect("Building tool counter" "the tool is not built for one more target")
