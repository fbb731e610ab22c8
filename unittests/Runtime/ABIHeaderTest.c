/*===- ABIHeaderTest.c - ABI.h must be plain C ----------------------------===*/

#include "TC/Runtime/ABI.h"

/* Called from ABILayoutTest.cpp: the sizes that C sees. */
uint64_t tcTestSizeOfCall(void);
uint64_t tcTestSizeOfCall(void) { return sizeof(tc_call); }
