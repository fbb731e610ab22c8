/*===- CompilerFromC.h - The C API, used from C -------------------*- C -*-===*/

#ifndef TC_UNITTESTS_CAPI_COMPILERFROMC_H
#define TC_UNITTESTS_CAPI_COMPILERFROMC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Compiles y = -x for rows of three and runs it. `message` is empty, or says
   what failed. */
void tc_test_negate(const char *device, int64_t rows, const float *values,
                    float *results, char *message, size_t size);

/* The same program as the C API describes it. */
void tc_test_describe(char *text, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TC_UNITTESTS_CAPI_COMPILERFROMC_H */
