# The few ways a target is declared in TC.

set(TC_WARNINGS -Wall -Wextra -Wno-unused-parameter -Wnon-virtual-dtor -Wimplicit-fallthrough)
if(TC_ENABLE_WERROR)
  list(APPEND TC_WARNINGS -Werror)
endif()

set(TC_INCLUDE_DIRS "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")

# tc_use_precompiled_headers(TARGET FROM): TARGET is compiled with the precompiled header of the target FROM.
function(tc_use_precompiled_headers target from)
  if(NOT TC_USE_PRECOMPILED_HEADERS)
    return()
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Reproducible, so that ccache can serve what is built with it.
    target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
  # Precompiled headers are code for shared libraries, and so is what is compiled with them: -fPIE does not fit.
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  if(NOT target STREQUAL from)
    target_precompile_headers(${target} REUSE_FROM ${from})
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.c$")
    set_source_files_properties(${sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  endif()
endfunction()

# tc_add_precompiled_headers(NAME HEADER): a target whose precompiled header is HEADER, for others to use.
function(tc_add_precompiled_headers name header)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp")
  file(WRITE "${source}" "// Holds the precompiled header.\n")
  add_library(${name} STATIC "${source}")
  tc_use_precompiled_headers(${name} ${name})
  if(TC_USE_PRECOMPILED_HEADERS)
    target_precompile_headers(${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/${header}")
  endif()
endfunction()

# tc_use_mlir(TARGET): settings of every target that uses MLIR: LLVM's definitions, no exceptions, tables generated first.
function(tc_use_mlir target)
  target_compile_definitions(${target} PRIVATE ${TC_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE ${TC_WARNINGS} -fno-exceptions)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PRIVATE ${TC_INCLUDE_DIRS})
  add_dependencies(${target} TCTableGen)
endfunction()

# tc_add_mlir_library(NAME source... [DEPENDS tablegen-target...] [LINK library...] [PRECOMPILED target])
# A part of the compiler: a static library, linked against the shared MLIR and LLVM by whoever uses it. PRECOMPILED
# names whose precompiled header it is compiled with, TCPrecompiledHeaders unless said.
function(tc_add_mlir_library name)
  cmake_parse_arguments(ARG "" "PRECOMPILED" "DEPENDS;LINK" ${ARGN})
  if(NOT ARG_PRECOMPILED)
    set(ARG_PRECOMPILED TCPrecompiledHeaders)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tc_use_mlir(${name})
  tc_use_precompiled_headers(${name} ${ARG_PRECOMPILED})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tc_add_tool(NAME source... [LINK library...]): an executable. It calls libTCCompiler, or is linked with the parts of
# the compiler that it names and the shared MLIR and LLVM.
function(tc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_LINK)
    tc_use_mlir(${name})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} ${TC_SHARED_LLVM})
  else()
    target_compile_options(${name} PRIVATE ${TC_WARNINGS})
    target_include_directories(${name} PRIVATE ${TC_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE TCCompilerC)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
endfunction()

# tc_add_unit_test(NAME source... [LINK library...] [MLIR]): a gtest binary in build/unittests.
function(tc_add_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_MLIR)
    tc_use_mlir(${name})
    tc_use_precompiled_headers(${name} TCPrecompiledMLIRTestHeaders)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} ${TC_SHARED_LLVM} GTest::gtest GTest::gtest_main)
  else()
    target_compile_options(${name} PRIVATE ${TC_WARNINGS})
    target_include_directories(${name} PRIVATE ${TC_INCLUDE_DIRS})
    tc_use_precompiled_headers(${name} TCPrecompiledTestHeaders)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unittests")
  add_dependencies(TCUnitTests ${name})
endfunction()
