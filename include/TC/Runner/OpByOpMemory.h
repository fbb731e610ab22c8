//===- OpByOpMemory.h - Memory of a graph that runs op by op ----*- C++ -*-===//
//
// The memory that a compiled function's is compared with: the captured graph
// run one op after the other, each result in a buffer that is freed after
// its last use. This is the memory of eager execution without the workspaces of
// its libraries.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_OPBYOPMEMORY_H
#define TC_RUNNER_OPBYOPMEMORY_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/IR/Block.h"
#include "llvm/ADT/DenseMap.h"

namespace tc {

/// The tensors that a block's ops make, and when each is live.
///
/// An op allocates its results; a tensor lives from the op that makes it
/// through the last op that uses it or a view of it, and to the end if it is
/// returned. Views own no memory: calls whose schema says so (a cast that
/// changes the element type is none), dropout outside of training, and
/// `tc.reshape`, `tc.transpose`, `tc.broadcast` and `tc.slice`; so do
/// reshapes that eager execution would copy for. Arguments, parameters and
/// constants are not counted. Ops inside of regions are not looked at, except
/// for what they use.
class OpByOpMemory {
public:
  /// Analyses captured calls (`tc.aten`), `tc` ops, or a mix of both.
  explicit OpByOpMemory(mlir::Block &block);

  /// The value of a symbol, or nothing if it is not known.
  using SymbolValues =
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)>;

  enum class Results { Counted, NotCounted };
  /// Most bytes live at one op, each tensor rounded up to a multiple of 64 as
  /// allocators do; with what the block returns, or without it. Nothing if a
  /// size is not known.
  std::optional<int64_t> getPeakBytes(SymbolValues symbols,
                                      Results results) const;

  /// Bytes that the ops which allocate a result read and write, each operand
  /// and result in full.
  SizeExpr getBytesRead() const { return bytesRead; }
  SizeExpr getBytesWritten() const { return bytesWritten; }
  /// How many ops that is.
  int64_t getOpCount() const { return opCount; }

private:
  struct Tensor {
    SizeExpr bytes;
    int64_t first, last;
    bool isReturned = false;
  };
  void addUse(mlir::Value value, int64_t step);
  void addResults(mlir::Operation &op, int64_t step);

  llvm::SmallVector<Tensor> tensors;
  SizeExpr bytesRead, bytesWritten;
  int64_t opCount = 0;
  /// The tensor whose memory a value shows; none for an argument's.
  llvm::DenseMap<mlir::Value, unsigned> owners;
};

} // namespace tc

#endif // TC_RUNNER_OPBYOPMEMORY_H
