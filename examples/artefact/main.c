/* Loads an artefact and calls its function; relu.h is what tc-compile has
   written of it. */

#include "relu.h"

#include <stdio.h>

static int fail(tc_error *error) {
  fprintf(stderr, "%s\n", tc_error_message(error));
  tc_error_free(error);
  return 1;
}

static tc_error *wrap(float *values, tc_array **result) {
  static const int64_t sizes[] = {2, 3}, strides[] = {3, 1};
  tc_tensor tensor = {.data = values,
                      .sizes = sizes,
                      .strides = strides,
                      .rank = 2,
                      .dtype = TC_DTYPE_F32,
                      .device_kind = TC_DEVICE_CPU};
  return tc_array_wrap(&tensor, NULL, NULL, result);
}

int main(int argc, char **argv) {
  float left[] = {1, -2, 3, -4, 5, -6}, right[] = {0, 1, 0, 1, 0, 7};
  tc_artefact *artefact = NULL;
  tc_array *x = NULL, *y = NULL, *result = NULL;
  if (argc != 2) {
    fprintf(stderr, "usage: relu FILE.tca\n");
    return 1;
  }
  tc_error *error = tc_check_api_version(TC_C_API_VERSION);
  if (!error)
    error = tc_artefact_load(argv[1], NULL, &artefact);
  if (!error)
    error = wrap(left, &x);
  if (!error)
    error = wrap(right, &y);
  if (!error)
    error = relu_relu(artefact, x, y, &result);
  if (error)
    return fail(error);
  printf("%s\n", tc_artefact_function(artefact, 0)->signature);
  const float *values = tc_array_descriptor(result).data;
  for (int i = 0; i < 6; ++i)
    printf("%g%s", values[i], i < 5 ? " " : "\n");
  tc_array_free(result);
  tc_array_free(y);
  tc_array_free(x);
  tc_artefact_free(artefact);
  return 0;
}
