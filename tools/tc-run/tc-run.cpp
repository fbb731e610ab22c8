//===- tc-run.cpp - Compile a file and run it -----------------------------===//

#include "tc-c/Tools.h"

int main(int argc, char **argv) { return tc_tool_run(argc, argv); }
