/* Compiles a program with TC's C API, prints its signature and one result. */

#include "tc-c/Compiler.h"

#include <stdio.h>
#include <string.h>

static const char *const text =
    "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32>\n"
    "    attributes {tc.signature = {inputs = [\"x\"]}} {\n"
    "  %0 = tc.neg %x : tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n";

int main(void) {
  float values[4] = {1, 2, 3, 4};
  int64_t sizes[] = {4}, strides[] = {1};
  tc_tensor x = {values, sizes, strides, 1, TC_DTYPE_F32, TC_DEVICE_CPU, 0};
  tc_session *session;
  tc_program *program;
  tc_array *y;
  tc_error *error = tc_session_create(TC_C_API_VERSION, &session);
  if (!error)
    error = tc_compile_buffer(session, text, strlen(text), "negate", NULL,
                              &program);
  if (!error)
    error = tc_program_call_raw(program, 0, &x, 1, &y, 1);
  if (error) {
    fprintf(stderr, "%s\n", tc_error_message(error));
    return 1;
  }
  const float *results = tc_array_descriptor(y).data;
  printf("%s\n", tc_program_function(program, 0)->signature);
  printf("%g %g %g %g\n", results[0], results[1], results[2], results[3]);
  tc_array_free(y);
  tc_program_free(program);
  tc_session_free(session);
  return 0;
}
