# LLVM and MLIR as static archives, for a libTCCompiler that runs where neither
# is installed (TC_STATIC_LLVM, and the target TCCompilerStatic). Debian's
# libmlir-22-dev and llvm-22-dev have the archives.

# tc_collect_archives(OUT target...): the files of the static libraries among
# the targets that are installed. The packages also name archives that they do
# not install, and those of LLVM's own tools, which nothing of TC needs.
function(tc_collect_archives out)
  set(files)
  foreach(target ${ARGN})
    if(NOT TARGET ${target} OR target MATCHES "Test|Runner|Python|Polly|Exegesis")
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    get_target_property(file ${target} LOCATION)
    if(type STREQUAL "STATIC_LIBRARY" AND EXISTS "${file}")
      list(APPEND files "${file}")
    endif()
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# tc_write_absent_targets(FILE): C functions that do nothing in place of those
# that bring the code generators which TC does not use; a pass of MLIR's starts
# all that LLVM was built with.
function(tc_write_absent_targets file)
  set(text "/* Written by cmake/TCStaticLLVM.cmake. */\n")
  foreach(target ${LLVM_TARGETS_TO_BUILD})
    if(NOT target MATCHES "^(X86|AArch64|NVPTX)$")
      foreach(part TargetInfo Target TargetMC AsmPrinter AsmParser Disassembler)
        string(APPEND text "void LLVMInitialize${target}${part}(void);\n"
                           "void LLVMInitialize${target}${part}(void) {}\n")
      endforeach()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT "${file}" CONTENT "${text}")
endfunction()

# tc_find_static_llvm(OUT): what to link instead of MLIR and LLVM; empty where
# an archive that is needed is not installed. The linker takes from the archives
# what is reached and keeps their symbols inside. The archives are named by file:
# as targets they would bring the shared LLVM, and two copies of one LLVM in a
# process do not get along.
function(tc_find_static_llvm out)
  get_property(mlir_targets GLOBAL PROPERTY MLIR_ALL_LIBS)
  tc_collect_archives(archives ${mlir_targets} ${LLVM_AVAILABLE_LIBS})
  set(${out} PARENT_SCOPE)
  foreach(needed MLIRIR MLIRLspServerLib LLVMSupport LLVMX86CodeGen LLVMAArch64CodeGen LLVMNVPTXCodeGen)
    if(NOT "${archives}" MATCHES "/lib${needed}\\.a")
      message(STATUS "No static LLVM: lib${needed}.a is missing")
      return()
    endif()
  endforeach()
  find_library(TC_STATIC_ZLIB NAMES libz.a)
  find_library(TC_STATIC_ZSTD NAMES libzstd.a)
  mark_as_advanced(TC_STATIC_ZLIB TC_STATIC_ZSTD)
  if(NOT TC_STATIC_ZLIB OR NOT TC_STATIC_ZSTD)
    message(STATUS "No static LLVM: libz.a or libzstd.a is missing")
    return()
  endif()
  set(options -Wl,--gc-sections -Wl,--exclude-libs,ALL)
  if(TC_LLD)
    # Equal functions once, where nobody compares their addresses.
    list(APPEND options -Wl,--icf=all)
  endif()
  set(${out} -Wl,--start-group ${archives} -Wl,--end-group ${TC_STATIC_ZLIB} ${TC_STATIC_ZSTD}
      ${options} Threads::Threads ${CMAKE_DL_LIBS} m PARENT_SCOPE)
endfunction()
