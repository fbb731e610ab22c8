# TC_STATIC_LLVM: libTCCompiler and the tools hold LLVM and MLIR themselves, so
# that they run where neither is installed. Needs the static archives of both;
# Debian's libmlir-22-dev and llvm-22-dev have them. Sets TC_LLVM_LIBRARIES.

# tc_collect_archives(OUT target...): the imported static libraries among the
# targets, without the shared LLVM and MLIR that the packages link them to: two
# copies of one LLVM in a process do not get along.
function(tc_collect_archives out)
  set(archives)
  foreach(target ${ARGN})
    if(NOT TARGET ${target} OR target MATCHES "Test|Runner|Python")
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    if(NOT type STREQUAL "STATIC_LIBRARY")
      continue()
    endif()
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links LLVM MLIR)
      set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES "${links}")
    endif()
    list(APPEND archives ${target})
  endforeach()
  set(${out} ${archives} PARENT_SCOPE)
endfunction()

get_property(mlir_targets GLOBAL PROPERTY MLIR_ALL_LIBS)
tc_collect_archives(mlir_archives ${mlir_targets})
tc_collect_archives(llvm_archives ${LLVM_AVAILABLE_LIBS})
foreach(needed MLIRIR MLIRLspServerLib LLVMSupport LLVMX86CodeGen LLVMAArch64CodeGen LLVMNVPTXCodeGen)
  if(NOT ${needed} IN_LIST mlir_archives AND NOT ${needed} IN_LIST llvm_archives)
    message(FATAL_ERROR "TC_STATIC_LLVM needs the static library ${needed}, which ${MLIR_DIR} does not have: "
                        "install an LLVM 22 with static archives, or turn TC_STATIC_LLVM off")
  endif()
endforeach()
set(TC_LLVM_LIBRARIES -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
                      -Wl,--gc-sections -Wl,--exclude-libs,ALL)
