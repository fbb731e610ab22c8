//===- TensorTable.h - The tensors of captured graphs, by name --*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_TENSORTABLE_H
#define TC_LIB_FRONTEND_PT2_TENSORTABLE_H

#include "TC/Frontend/PT2/ExportedProgram.h"

#include "mlir/IR/Value.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"

#include <deque>

namespace tc::pt2 {

/// Memory that several tensors share; `version` counts the writes to it.
struct Storage {
  unsigned version = 0;
};

/// A tensor of the graph. A view has a `base` it was taken from by `view`; its
/// value is out of date when the storage was written through another name.
struct TensorEntry {
  Storage *storage = nullptr;
  mlir::Value value;
  unsigned version = 0;
  TensorEntry *base = nullptr;
  const Node *view = nullptr;
  unsigned resultIndex = 0;
  /// The levels of torch.vmap that the first dimensions of `value` stand for,
  /// in increasing order; none outside of vmap.
  llvm::SmallVector<int64_t> levels;
};

/// The names of one graph.
struct Scope {
  const Graph *graph = nullptr;
  llvm::StringMap<TensorEntry *> tensors;
};

/// Owns the tensors and scopes of an import: views may outlive the graph that
/// they are taken in.
class TensorTable {
public:
  /// A new tensor with memory of its own.
  TensorEntry *add(mlir::Value value);
  /// A scope for a nested graph.
  Scope &addScope(const Graph &graph);
  /// Notes the scope of a node that is about to be imported.
  void setScope(const Node &node, Scope &scope) { scopeOfNode[&node] = &scope; }
  /// The scope of a node whose import has begun.
  Scope &getScope(const Node &node) const { return *scopeOfNode.at(&node); }

private:
  std::deque<TensorEntry> entries;
  std::deque<Storage> storages;
  std::deque<Scope> nestedScopes;
  llvm::DenseMap<const Node *, Scope *> scopeOfNode;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_TENSORTABLE_H
