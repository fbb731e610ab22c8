//===- tc-run.cpp - Compile a file and run it -----------------------------===//

#include "TC/Runner/Runner.h"

int main(int argc, char **argv) {
  return tc::runner::run(tc::runner::parseCommandLine(argc, argv));
}
