//===- CommandLine.h - The command line of tc-fuzz --------------*- C++ -*-===//

#ifndef TC_FUZZ_COMMANDLINE_H
#define TC_FUZZ_COMMANDLINE_H

namespace tc::fuzz {

/// What tc-fuzz does with its command line; returns the exit status. Prints
/// help, or what is wrong, and ends the process as LLVM's tools do.
int runTool(int argc, char **argv);

} // namespace tc::fuzz

#endif // TC_FUZZ_COMMANDLINE_H
