/*===- Guards.h - TC's C API: guards of captured functions --------*- C -*-===*\
|*                                                                            *|
|* In libTCCompiler. A function of MLIR with `tc.guard`s says what a capture  *|
|* has assumed; a tc_guards checks calls by it. What its arguments are, is    *|
|* for the guards of tensors; a guard without operands that has a `value` is  *|
|* about something of the caller's, which `origin` names and the caller       *|
|* checks.                                                                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_GUARDS_H
#define TC_C_GUARDS_H

#include "tc-c/Compiler.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tc_guards tc_guards;

/** A guard about something that is no tensor. */
typedef struct tc_value_guard {
  const char *origin;  /**< what it is about, by the caller's name */
  const char *value;   /**< what is expected, as JSON: true, 3, 1.5, "mean" */
  int32_t is_identity; /**< 1: `value` describes the one object expected */
} tc_value_guard;

/**
 * Reads the text of a module with one function, which has a guard of rank for
 * each argument. What is made is thread-safe.
 */
TC_CAPI tc_error *tc_guards_create(tc_session *session, const char *text,
                                   size_t bytes, tc_guards **result);
TC_CAPI void tc_guards_free(tc_guards *guards);

/** The guards that the caller checks, in order. */
TC_CAPI int64_t tc_guards_value_count(const tc_guards *guards);
/** Null for a number that there is no guard for. */
TC_CAPI const tc_value_guard *tc_guards_value(const tc_guards *guards,
                                              int64_t number);

/** How many tensors tc_guards_check takes. */
TC_CAPI int64_t tc_guards_tensor_count(const tc_guards *guards);
/** The number of the first guard that misses; -1 where all hold. Takes no
    memory from the heap for up to 16 symbols. */
TC_CAPI int64_t tc_guards_check(const tc_guards *guards,
                                const tc_tensor *tensors);
/** Says why tc_guards_check gives `miss`: what the guard expects, what it
   finds, and its origin. Free the text with tc_string_free. */
TC_CAPI tc_error *tc_guards_describe_miss(const tc_guards *guards,
                                          const tc_tensor *tensors,
                                          int64_t miss, char **text);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TC_C_GUARDS_H */
