/*===- Tools.h - The command-line tools as functions --------------*- C -*-===*\
|*                                                                            *|
|* In libTCCompiler, so that the programs tc-opt, tc-run, tc-compile, tc-fuzz *|
|* and tc-lsp-server share its one copy of the compiler. Each does what the   *|
|* program of its name does and returns the exit status, or ends the process  *|
|* where the program would, after --help for example. At most one of them     *|
|* runs in a process.                                                         *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_TOOLS_H
#define TC_C_TOOLS_H

#include "tc-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

TC_CAPI int tc_tool_opt(int argc, char **argv);
TC_CAPI int tc_tool_run(int argc, char **argv);
TC_CAPI int tc_tool_compile(int argc, char **argv);
TC_CAPI int tc_tool_fuzz(int argc, char **argv);
TC_CAPI int tc_tool_lsp_server(int argc, char **argv);

#ifdef __cplusplus
}
#endif

#endif /* TC_C_TOOLS_H */
