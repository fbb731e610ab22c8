//===- InputPaths.h - Python paths of the user's inputs ---------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_INPUTPATHS_H
#define TC_LIB_FRONTEND_PT2_INPUTPATHS_H

#include "JsonCursor.h"
#include "TC/Frontend/PT2/ExportedProgram.h"

namespace tc::pt2 {

/// Gives every user and constant input its Python path ("L['x'][0]"), from the
/// call signature of the root module. Left empty where the tree of inputs has
/// containers other than tuples, lists and dictionaries.
void assignInputPaths(JsonCursor moduleCallGraph,
                      std::vector<InputSpec> &inputs);

/// Whether a guard's path means the input at `inputPath`. The signature calls
/// the elements of *args "args_0", guards call them L['args'][0].
bool samePath(llvm::StringRef inputPath, llvm::StringRef guardPath);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_INPUTPATHS_H
