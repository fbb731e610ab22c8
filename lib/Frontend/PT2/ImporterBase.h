//===- ImporterBase.h - What the parts of the importer share ----*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_IMPORTERBASE_H
#define TC_LIB_FRONTEND_PT2_IMPORTERBASE_H

#include "CallImporter.h"

namespace tc::pt2 {

class GraphImporter;

/// Base of the parts of GraphImporter: how they make calls, where ops are
/// inserted, and the tensors that have names.
class ImporterBase {
protected:
  explicit ImporterBase(CallImporter &calls)
      : calls(calls), builder(calls.getBuilder()), tensors(calls.getTensors()) {
  }

  CallImporter &calls;
  mlir::OpBuilder &builder;
  TensorTable &tensors;
};

/// Base of the parts that import calls which hold graphs, by `graphs`.
class NestedGraphImporter : protected ImporterBase {
protected:
  NestedGraphImporter(CallImporter &calls, GraphImporter &graphs)
      : ImporterBase(calls), graphs(graphs) {}

  GraphImporter &graphs;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_IMPORTERBASE_H
