//===- CompileTool.h - tc-compile -------------------------------*- C++ -*-===//

#ifndef TC_RUNNER_COMPILETOOL_H
#define TC_RUNNER_COMPILETOOL_H

namespace tc::runner {

/// Does what the command line of tc-compile says; the exit status.
int runCompileTool(int argc, char **argv);

} // namespace tc::runner

#endif // TC_RUNNER_COMPILETOOL_H
