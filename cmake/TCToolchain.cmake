# Finds MLIR and LLVM, the linker and the compiler cache.

# Debian installs LLVM 22 under a prefix of its own, which llvm-config-22 knows.
if(NOT MLIR_DIR)
  find_program(TC_LLVM_CONFIG NAMES llvm-config-22)
  if(TC_LLVM_CONFIG)
    execute_process(COMMAND ${TC_LLVM_CONFIG} --prefix
                    OUTPUT_VARIABLE TC_LLVM_PREFIX OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND CMAKE_PREFIX_PATH "${TC_LLVM_PREFIX}")
  endif()
endif()
# LLVM's version files accept the exact minor version only, so the major
# version is checked here.
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "TC needs MLIR 22, found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}: pass -DMLIR_DIR=.../llvm-22/lib/cmake/mlir")
endif()
message(STATUS "MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")

list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# Of the shared libraries only these two may be named: each component is part of
# one of them.
set(TC_SHARED_LLVM MLIR LLVM)

separate_arguments(TC_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
set(TC_LLVM_TOOLS_DIR "${LLVM_TOOLS_BINARY_DIR}")

find_program(TC_CCACHE ccache)
if(TC_CCACHE)
  # Precompiled headers need the sloppiness; see "Precompiled headers" in ccache's manual. By what a compilation depends
  # on, which the compiler says, ccache need not preprocess first what it then has compiled.
  set(TC_LAUNCHER env "CCACHE_SLOPPINESS=pch_defines,time_macros" CCACHE_DEPEND=true "${TC_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER ${TC_LAUNCHER})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TC_LAUNCHER})
endif()

find_program(TC_LLD NAMES ld.lld-22 ld.lld HINTS "${TC_LLVM_TOOLS_DIR}")
if(TC_LLD)
  add_link_options("-fuse-ld=lld")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_link_options("-B${TC_LLVM_TOOLS_DIR}")
  endif()
endif()

# LLVM and MLIR are as they are installed. The sanitizers' runtime is one shared
# library, as it has to be where a program loads libTCCompiler: Python preloads it.
if(TC_SANITIZERS)
  set(sanitize "-fsanitize=${TC_SANITIZERS}" -shared-libsan)
  # Objects of LLVM's classes come from code that is not checked.
  add_compile_options(${sanitize} -fno-sanitize=vptr,function -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
  add_link_options(${sanitize})
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-runtime-dir
                  OUTPUT_VARIABLE sanitizer_folder OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND CMAKE_BUILD_RPATH "${sanitizer_folder}")
endif()

# Objects can be shared between checkouts by ccache (its base_dir), or made
# faster with a precompiled header, which holds absolute paths; not both.
set(TC_CCACHE_BASE_DIR "")
if(TC_CCACHE)
  execute_process(COMMAND ${TC_CCACHE} --get-config base_dir
                  OUTPUT_VARIABLE TC_CCACHE_BASE_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(TC_CCACHE_BASE_DIR)
  option(TC_USE_PRECOMPILED_HEADERS "Precompile the headers that most files include" OFF)
else()
  option(TC_USE_PRECOMPILED_HEADERS "Precompile the headers that most files include" ON)
endif()

# The tools spend their time in LLVM; -O3 only makes TC slower to build.
string(REPLACE "-O3" "-O2" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
if(TC_SANITIZERS)
  string(REPLACE "-O2" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()
