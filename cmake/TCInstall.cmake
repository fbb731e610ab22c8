# What `cmake --install build` puts where, and the package that
# find_package(TC) finds: TC::Runtime (calls, tensors; no LLVM) and TC::Compiler
# (the C API). The compiler's C++ libraries are not installed.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TC_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/TC")

foreach(library TCRuntime TCCompilerC)
  target_include_directories(${library} INTERFACE "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
  set_target_properties(${library} PROPERTIES INSTALL_RPATH "$ORIGIN")
endforeach()
if(NOT TC_STATIC_LLVM)
  # Where the shared LLVM and MLIR are.
  set_target_properties(TCCompilerC PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endif()
set_target_properties(TCRuntime PROPERTIES EXPORT_NAME Runtime)
set_target_properties(TCCompilerC PROPERTIES EXPORT_NAME Compiler)
install(TARGETS TCRuntime TCCompilerC EXPORT TCTargets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
if(TARGET TCCompilerStatic)
  # Only when it is asked for: takes the place of the libTCCompiler above.
  install(TARGETS TCCompilerStatic LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT static EXCLUDE_FROM_ALL)
endif()
install(EXPORT TCTargets NAMESPACE TC:: DESTINATION "${TC_CMAKE_DIR}")

set(tools tc-cache tc-compile tc-fuzz tc-lsp-server tc-opt tc-run)
file(RELATIVE_PATH library_path "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")
set_target_properties(${tools} PROPERTIES
  INSTALL_RPATH "$ORIGIN/${library_path}")
install(TARGETS ${tools} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")

install(DIRECTORY include/tc-c DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY include/TC/Runtime DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/TC" FILES_MATCHING PATTERN "*.h")
install(DIRECTORY python-bindings/tc DESTINATION python FILES_MATCHING PATTERN "*.py" PATTERN "py.typed")
install(FILES LICENSE THIRD_PARTY_LICENSES CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")

configure_package_config_file(cmake/TCConfig.cmake.in "${PROJECT_BINARY_DIR}/cmake/TCConfig.cmake"
  INSTALL_DESTINATION "${TC_CMAKE_DIR}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cmake/TCConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cmake/TCConfig.cmake" "${PROJECT_BINARY_DIR}/cmake/TCConfigVersion.cmake"
  DESTINATION "${TC_CMAKE_DIR}")
