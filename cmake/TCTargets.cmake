# The few ways a target is declared in TC.

set(TC_WARNINGS -Wall -Wextra -Wno-unused-parameter -Wnon-virtual-dtor -Wimplicit-fallthrough)
if(TC_ENABLE_WERROR)
  list(APPEND TC_WARNINGS -Werror)
endif()

set(TC_INCLUDE_DIRS "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include")

# Settings of every target that uses MLIR: LLVM's definitions, no exceptions.
function(tc_use_mlir target)
  target_compile_definitions(${target} PRIVATE ${TC_LLVM_DEFINITIONS})
  target_compile_options(${target} PRIVATE ${TC_WARNINGS} -fno-exceptions)
  target_include_directories(${target} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  target_include_directories(${target} PRIVATE ${TC_INCLUDE_DIRS})
  # Executables are compiled with -fPIE, for which this header does not fit.
  get_target_property(type ${target} TYPE)
  if(TC_USE_PRECOMPILED_HEADERS AND NOT type STREQUAL "EXECUTABLE")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
      # Reproducible, so that ccache can serve what is built with it.
      target_compile_options(${target} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
    endif()
    if(NOT target STREQUAL "TCPrecompiledHeaders")
      target_precompile_headers(${target} REUSE_FROM TCPrecompiledHeaders)
    endif()
  endif()
endfunction()

# tc_add_mlir_library(NAME source... [DEPENDS tablegen-target...] [LINK library...])
# A part of the compiler: a static library, linked against the shared MLIR and LLVM by whoever uses it.
function(tc_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tc_use_mlir(${name})
  if(NOT name STREQUAL "TCPrecompiledHeaders")
    add_dependencies(${name} TCTableGen ${ARG_DEPENDS})
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
    add_dependencies(${name} TCTableGen)
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
    add_dependencies(${name} TCTableGen)
    target_link_libraries(${name} PRIVATE ${ARG_LINK} ${TC_SHARED_LLVM} GTest::gtest GTest::gtest_main)
  else()
    target_compile_options(${name} PRIVATE ${TC_WARNINGS})
    target_include_directories(${name} PRIVATE ${TC_INCLUDE_DIRS})
    target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest GTest::gtest_main)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/unittests")
  add_dependencies(TCUnitTests ${name})
endfunction()
