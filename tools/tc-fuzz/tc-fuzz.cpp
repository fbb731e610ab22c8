//===- tc-fuzz.cpp - Random modules through every phase -------------------===//

#include "tc-c/Tools.h"

int main(int argc, char **argv) { return tc_tool_fuzz(argc, argv); }
