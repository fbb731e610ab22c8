/* Measures a process that runs an artefact with libTCRuntime alone: from the
   start of main() to the first result of its function, whose inputs are zeros.
   The weights are in --parameters' place, the folder of the artefact.

   usage: artefact_first_result FILE.tca [SIZE of symbols, default 1] */

#include "tc-c/Artefact.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double milliseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static int fail(tc_error *error) {
  fprintf(stderr, "%s\n", tc_error_message(error));
  tc_error_free(error);
  return 1;
}

/* An array of zeros; symbolic sizes are `size`. */
static tc_error *make_input(const tc_tensor_info *info, int64_t size,
                            tc_array **result) {
  int64_t sizes[TC_MAX_RANK];
  for (int32_t i = 0; i < info->rank; ++i)
    sizes[i] = info->sizes[i] < 0 ? size : info->sizes[i];
  tc_error *error = tc_array_create(info->dtype, info->rank, sizes, result);
  if (error)
    return error;
  /* Of one element, in the order of tc_dtype. */
  static const size_t element_bytes[] = {8, 4, 2, 2, 8, 4, 2, 1, 8,
                                         4, 2, 1, 1, 1, 1, 8, 16};
  size_t bytes = element_bytes[info->dtype];
  for (int32_t i = 0; i < info->rank; ++i)
    bytes *= (size_t)sizes[i];
  memset(tc_array_descriptor(*result).data, 0, bytes);
  return NULL;
}

int main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: artefact_first_result FILE.tca [SIZE]\n");
    return 1;
  }
  const double begin = milliseconds(CLOCK_MONOTONIC);
  tc_artefact *artefact = NULL;
  tc_error *error = tc_artefact_load(argv[1], NULL, &artefact);
  if (error)
    return fail(error);
  const double loaded = milliseconds(CLOCK_MONOTONIC);
  int64_t number = 0;
  if ((error = tc_artefact_find_function(artefact, NULL, &number)))
    return fail(error);
  const tc_function_info *function = tc_artefact_function(artefact, number);
  tc_array **arrays =
      calloc((size_t)(function->input_count + function->output_count),
             sizeof(tc_array *));
  tc_array **outputs = arrays + function->input_count;
  for (int64_t i = 0; i < function->input_count; ++i)
    if ((error = make_input(&function->inputs[i], argc > 2 ? atoll(argv[2]) : 1,
                            &arrays[i])))
      return fail(error);
  for (int call = 0; call < 2; ++call) {
    const double start = milliseconds(CLOCK_MONOTONIC);
    if ((error = tc_artefact_call(
             artefact, number, (const tc_array *const *)arrays,
             function->input_count, outputs, function->output_count)))
      return fail(error);
    const double end = milliseconds(CLOCK_MONOTONIC);
    if (call == 0)
      printf("load %.3f call %.3f first %.3f ", loaded - begin, end - start,
             end - begin);
    else
      printf("again %.3f\n", end - start);
    for (int64_t i = 0; i < function->output_count; ++i)
      tc_array_free(outputs[i]);
  }
  for (int64_t i = 0; i < function->input_count; ++i)
    tc_array_free(arrays[i]);
  free(arrays);
  tc_artefact_free(artefact);
  return 0;
}
