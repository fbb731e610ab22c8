//===- GraphReader.h - graphs from model.json -------------------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_GRAPHREADER_H
#define TC_LIB_FRONTEND_PT2_GRAPHREADER_H

#include "JsonCursor.h"
#include "TC/Frontend/PT2/ExportedProgram.h"

namespace tc::pt2 {

/// Each reads one structure of the schema; failures are kept by the cursor.
Graph readGraph(JsonCursor cursor, unsigned depth = 0);
Argument readArgument(JsonCursor cursor, unsigned depth = 0);
TensorMeta readTensorMeta(JsonCursor cursor);
Expression readSymbolicValue(JsonCursor cursor);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_GRAPHREADER_H
