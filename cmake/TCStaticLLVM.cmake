# TC_STATIC_LLVM: libTCCompiler and the tools hold LLVM and MLIR themselves, so
# that they run where neither is installed. Needs the static archives of both;
# Debian's libmlir-22-dev and llvm-22-dev have them. Sets TC_LLVM_LIBRARIES.

# Whether the file of an imported library is there. The packages also name
# archives that they do not install, such as Polly's.
function(tc_is_installed target out)
  get_target_property(location ${target} LOCATION)
  if(EXISTS "${location}")
    set(${out} TRUE PARENT_SCOPE)
  else()
    set(${out} FALSE PARENT_SCOPE)
  endif()
endfunction()

# The packages link their archives to the shared LLVM and MLIR; two copies of
# one LLVM in a process do not get along.
get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target ${imported})
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  if(links)
    foreach(shared LLVM MLIR Polly PollyISL)
      list(REMOVE_ITEM links ${shared} "$<LINK_ONLY:${shared}>")
    endforeach()
    set_property(TARGET ${target} PROPERTY INTERFACE_LINK_LIBRARIES "${links}")
  endif()
endforeach()

# tc_collect_archives(OUT target...): the imported static libraries among the
# targets. Nothing of TC's needs those of LLVM's tools, or what is linked to a
# library that is not there, as LLVMLineEditor is to libedit.
function(tc_collect_archives out)
  set(archives)
  foreach(target ${ARGN})
    if(NOT TARGET ${target} OR target MATCHES "Test|Runner|Python|Polly|Exegesis")
      continue()
    endif()
    get_target_property(type ${target} TYPE)
    tc_is_installed(${target} complete)
    get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
    foreach(link ${links})
      if(link MATCHES "::" AND NOT TARGET ${link})
        set(complete FALSE)
      endif()
    endforeach()
    if(complete AND type STREQUAL "STATIC_LIBRARY")
      list(APPEND archives ${target})
    endif()
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
