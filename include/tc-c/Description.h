/*===- Description.h - TC's C API: what programs take and give ----*- C -*-===*\
|*                                                                            *|
|* Of programs (Compiler.h) and of artefacts (Artefact.h). Strings and arrays *|
|* live as long as what they describe.                                        *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_DESCRIPTION_H
#define TC_C_DESCRIPTION_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An input, output or parameter. */
typedef struct tc_tensor_info {
  const char *name; /**< in the user's program; may be empty */
  const char *type; /**< "s0x8xf32" */
  int32_t dtype;    /**< tc_dtype */
  int32_t rank;
  const int64_t *sizes;          /**< -1 where a size is symbolic */
  const char *const *size_texts; /**< "8", "s0 * 4" */
  /** For an output that is the new value of an input its number, "0"; of a
      parameter its name after an '@', "@running_mean". Else empty. */
  const char *mutates;
  /** For an input that is not row-major its strides, in elements, as
      size_texts; else null. */
  const char *const *stride_texts;
} tc_tensor_info;

/** A symbolic size of a function. */
typedef struct tc_symbol_info {
  const char *name;
  int64_t minimum, maximum, divisor;
} tc_symbol_info;

/** One public function. */
typedef struct tc_function_info {
  const char *name;
  const char *signature; /**< "main(x: s0x8xf32) -> (s0x8xf32)" */
  int64_t input_count;
  int64_t output_count; /**< with those that mutate, which are the last */
  int64_t user_output_count;
  int64_t symbol_count;
  const tc_tensor_info *inputs;
  const tc_tensor_info *outputs;
  const tc_symbol_info *symbols;
} tc_function_info;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TC_C_DESCRIPTION_H */
