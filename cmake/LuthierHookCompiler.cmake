# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What clang is told when a tool compiles hooks at run time
# (InstrumentationModule::compile): the options of luthier_add_tool(), in a
# configuration file of clang's beside libluthier.so, with the device libraries
# of all processors. Another file is for programs.
file(STRINGS "${CMAKE_SOURCE_DIR}/src/amdgpu/Targets.def" targets REGEX "\"gfx[0-9a-f]+\"")
list(TRANSFORM targets REPLACE "^.*\"(gfx[0-9a-f]+)\".*$" "\\1")
luthier_tool_flags(flags "${targets}")
list(FILTER flags EXCLUDE REGEX "^--offload-arch=")

function(luthier_write_config file flags)
  list(TRANSFORM flags REPLACE "^(.+)$" "\"\\1\"")
  list(JOIN flags "\n" text)
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}\n" @ONLY)
endfunction()
luthier_write_config("${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/luthier/hook-compiler.cfg" "${flags}")

# Where Luthier is installed, all that is its own lies relative to the file.
function(luthier_install_config name flags)
  list(TRANSFORM flags REPLACE "${LUTHIER_TOOL_PLUGIN}" "<CFGDIR>/../luthier-plugin.so")
  list(TRANSFORM flags REPLACE "${CMAKE_BINARY_DIR}/device-libs" "<CFGDIR>/device-libs")
  list(TRANSFORM flags REPLACE "^${CMAKE_SOURCE_DIR}/include$" "<CFGDIR>/../../include")
  list(TRANSFORM flags REPLACE "^${LUTHIER_LLVM_TABLES}/include$" "<CFGDIR>/../../include/luthier-llvm")
  luthier_write_config("${CMAKE_CURRENT_BINARY_DIR}/installed/${name}" "${flags}")
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/installed/${name}" DESTINATION "${CMAKE_INSTALL_LIBDIR}/luthier")
endfunction()
luthier_install_config(hook-compiler.cfg "${flags}")

# For users who compile HIP programs with this clang: clang++ --config=... -x hip.
# It does not say the latter itself: objects and libraries are not HIP.
luthier_hip_flags(flags "${targets}")
luthier_write_config("${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/luthier/hip-program.cfg" "${flags}")
luthier_install_config(hip-program.cfg "${flags}")
install(DIRECTORY "${CMAKE_BINARY_DIR}/device-libs" DESTINATION "${CMAKE_INSTALL_LIBDIR}/luthier"
        FILES_MATCHING PATTERN "*.bc")
