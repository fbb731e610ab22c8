//===- tc-lsp-server.cpp - Modules of tc in an editor ---------------------===//

#include "tc-c/Tools.h"

int main(int argc, char **argv) { return tc_tool_lsp_server(argc, argv); }
