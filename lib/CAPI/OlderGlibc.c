/*===- OlderGlibc.c - What LLVM uses of glibc 2.36 and later --------------===*\
|*                                                                            *|
|* Part of a libTCCompiler with LLVM inside, which then runs with glibc 2.35. *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

uint32_t arc4random(void);

/* LLVM names temporary files with it. Four bytes are never read in part; a
   signal may only come before the first. */
uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) < 0 && errno == EINTR)
    ;
  return value;
}
