//===- tc-opt.cpp - Run passes and phases on a module ---------------------===//

#include "tc-c/Tools.h"

int main(int argc, char **argv) { return tc_tool_opt(argc, argv); }
