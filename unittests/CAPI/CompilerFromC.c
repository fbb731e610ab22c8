/*===- CompilerFromC.c - The C API, used from C ---------------------------===*/

#include "CompilerFromC.h"

#include "tc-c/Compiler.h"

#include <stdio.h>
#include <string.h>

static const char *const program_text =
    "func.func @main(%x: tensor<?x3xf32, #tc.sizes<[s0, 3]>>)\n"
    "    -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>\n"
    "    attributes {tc.symbols = [#tc.symbol<\"s0\", min = 1, max = 8>],\n"
    "                tc.signature = {inputs = [\"x\"]}} {\n"
    "  %0 = tc.neg %x : tensor<?x3xf32, #tc.sizes<[s0, 3]>>\n"
    "  return %0 : tensor<?x3xf32, #tc.sizes<[s0, 3]>>\n"
    "}\n";

/* Moves the message of an error to `message`; 1 when there was one. */
static int failed(tc_error *error, char *message, size_t size) {
  if (!error)
    return 0;
  snprintf(message, size, "%d %s: %s", (int)tc_error_code(error),
           tc_error_code_name(error), tc_error_message(error));
  tc_error_free(error);
  return 1;
}

void tc_test_negate(const char *device, int64_t rows, const float *values,
                    float *results, char *message, size_t size) {
  tc_session *session = NULL;
  tc_program *program = NULL;
  tc_array *output = NULL;
  int64_t sizes[2], strides[2] = {3, 1};
  tc_tensor input, descriptor;
  tc_compile_options options;
  message[0] = 0;
  sizes[0] = rows;
  sizes[1] = 3;
  memset(&input, 0, sizeof(input));
  input.data = (void *)values;
  input.sizes = sizes;
  input.strides = strides;
  input.rank = 2;
  input.dtype = TC_DTYPE_F32;
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.device = device;
  if (failed(tc_session_create(TC_C_API_VERSION, &session), message, size))
    return;
  if (!failed(tc_compile_buffer(session, program_text, strlen(program_text),
                                "negate", &options, &program),
              message, size) &&
      !failed(tc_program_call_raw(program, 0, &input, 1, &output, 1), message,
              size)) {
    descriptor = tc_array_descriptor(output);
    memcpy(results, descriptor.data, sizeof(float) * 3 * (size_t)rows);
    tc_array_free(output);
  }
  tc_program_free(program);
  tc_session_free(session);
}

void tc_test_describe(char *text, size_t size) {
  tc_session *session = NULL;
  tc_program *program = NULL;
  const tc_function_info *function;
  if (failed(tc_session_create(TC_C_API_VERSION, &session), text, size))
    return;
  if (!failed(tc_compile_buffer(session, program_text, strlen(program_text),
                                "negate", NULL, &program),
              text, size)) {
    function = tc_program_function(program, 0);
    snprintf(text, size,
             "%s; %s %s [%lld %s] [%lld %s]; %s in [%lld, %lld]; %s",
             function->signature, function->inputs[0].name,
             function->inputs[0].type, (long long)function->inputs[0].sizes[0],
             function->inputs[0].size_texts[0],
             (long long)function->inputs[0].sizes[1],
             function->inputs[0].size_texts[1], function->symbols[0].name,
             (long long)function->symbols[0].minimum,
             (long long)function->symbols[0].maximum,
             tc_program_kernel(program, 0)->kernel_class);
    tc_program_free(program);
  }
  tc_session_free(session);
}
