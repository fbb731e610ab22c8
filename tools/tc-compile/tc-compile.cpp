//===- tc-compile.cpp - Compile a file to an artefact ---------------------===//

#include "tc-c/Tools.h"

int main(int argc, char **argv) { return tc_tool_compile(argc, argv); }
