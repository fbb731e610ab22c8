# The files generated from the elementwise table (ElementwiseOps.td) by utils/generate_tables.py, in
# build/include/TC/Dialect/TC/IR. Target TCElementwiseTables; part of TCTableGen.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_program(TC_LLVM_TBLGEN llvm-tblgen HINTS "${TC_LLVM_TOOLS_DIR}" NO_DEFAULT_PATH REQUIRED)

set(table_source "${PROJECT_SOURCE_DIR}/include/TC/Dialect/TC/IR/ElementwiseOps.td")
set(table_output "${PROJECT_BINARY_DIR}/include/TC/Dialect/TC/IR")
set(table_generator "${PROJECT_SOURCE_DIR}/utils/generate_tables.py")
file(MAKE_DIRECTORY "${table_output}")

add_custom_command(
  OUTPUT "${table_output}/ElementwiseOps.json"
  COMMAND "${TC_LLVM_TBLGEN}" --dump-json -I "${PROJECT_SOURCE_DIR}/include" -I "${MLIR_INCLUDE_DIRS}"
          "${table_source}" -o "${table_output}/ElementwiseOps.json" -d "${table_output}/ElementwiseOps.json.d"
  DEPENDS "${table_source}"
  DEPFILE "${table_output}/ElementwiseOps.json.d"
  COMMENT "Reading the elementwise table"
  VERBATIM)

# tc_elementwise_table(SUBCOMMAND FILE)
function(tc_elementwise_table subcommand file)
  add_custom_command(
    OUTPUT "${table_output}/${file}"
    COMMAND "${Python3_EXECUTABLE}" "${table_generator}" ${subcommand}
            "${table_output}/ElementwiseOps.json" -o "${table_output}/${file}"
    DEPENDS "${table_output}/ElementwiseOps.json" "${table_generator}"
    COMMENT "Generating ${file}"
    VERBATIM)
  set_property(GLOBAL APPEND PROPERTY TC_ELEMENTWISE_TABLES "${table_output}/${file}")
endfunction()

tc_elementwise_table(reference ElementwiseReference.inc)
tc_elementwise_table(emit ElementwiseEmit.inc)
tc_elementwise_table(aten ElementwiseAten.inc)
tc_elementwise_table(json elementwise_ops.json)

get_property(table_files GLOBAL PROPERTY TC_ELEMENTWISE_TABLES)
add_custom_target(TCElementwiseTables DEPENDS ${table_files})
add_dependencies(TCTableGen TCElementwiseTables)
