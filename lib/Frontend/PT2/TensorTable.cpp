//===- TensorTable.cpp - The tensors of captured graphs, by name ----------===//

#include "TensorTable.h"

using namespace mlir;

namespace tc::pt2 {

TensorEntry *TensorTable::add(Value value) {
  storages.emplace_back();
  entries.emplace_back();
  entries.back().storage = &storages.back();
  entries.back().value = value;
  return &entries.back();
}

Scope &TensorTable::addScope(const Graph &graph) {
  nestedScopes.emplace_back();
  nestedScopes.back().graph = &graph;
  return nestedScopes.back();
}

} // namespace tc::pt2
