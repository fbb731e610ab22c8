//===- TestInputs.h - the archives of test/Frontend/Inputs ------*- C++ -*-===//

#ifndef TC_UNITTESTS_FRONTEND_PT2_TESTINPUTS_H
#define TC_UNITTESTS_FRONTEND_PT2_TESTINPUTS_H

#include "llvm/Support/MemoryBuffer.h"

#include <string>

/// The path of an archive made by make_inputs.py.
inline std::string getInputPath(const std::string &name) {
  return std::string(TC_TEST_INPUTS) + "/" + name;
}

/// Its bytes; empty if the file is missing.
inline std::string readInput(const std::string &name) {
  auto buffer = llvm::MemoryBuffer::getFile(getInputPath(name));
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

#endif // TC_UNITTESTS_FRONTEND_PT2_TESTINPUTS_H
