# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# luthier_install_tool(target): installs a shipped tool. scripts/demo.sh builds only
# what it needs, so a tool may be missing: the installation then says so and goes on.
function(luthier_install_tool tool)
  install(TARGETS ${tool} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/luthier/tools" OPTIONAL)
  install(CODE "
    if(NOT EXISTS \"$<TARGET_FILE:${tool}>\")
      message(NOTICE \"-- Not installed: the tool ${tool}, which is not built (scripts/build.sh ${tool} builds it)\")
    endif()")
endfunction()
