//===- Evaluation.h - The state of a call that is interpreted ---*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_EVALUATION_H
#define TC_LIB_REFERENCE_EVALUATION_H

#include "Layout.h"
#include "TC/Reference/Interpreter.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tc::reference {

using Tensors = llvm::SmallVector<Tensor, 2>;

/// A memref value: row-major elements at a byte offset of some memory.
/// Buffers of one arena share it, so that a plan with overlaps shows.
struct Buffer {
  mlir::Type elementType;
  Sizes64 sizes;
  std::shared_ptr<std::vector<char>> memory;
  int64_t offset = 0;

  int64_t getByteCount() const {
    return countElements(sizes) * getStoredBytes(elementType);
  }
  char *data() const { return memory->data() + offset; }
};

/// The state of a call: values of symbols, tensors and buffers.
class Evaluation {
public:
  Evaluation(const Options &options, unsigned depth)
      : options(options), depth(depth) {}

  const Options &options;
  /// How many calls this one is inside.
  unsigned depth;
  llvm::StringMap<int64_t> symbols;
  /// Memory of the function's outputs, by index.
  llvm::DenseMap<int64_t, std::shared_ptr<std::vector<char>>> outputs;
  /// The results of @tc.prepare, once something has read one.
  std::optional<llvm::SmallVector<Tensor>> prepared;

  const Tensor &get(mlir::Value value) const {
    return tensors.find(value)->second;
  }
  const Buffer &getBuffer(mlir::Value value) const {
    return buffers.find(value)->second;
  }
  void set(mlir::Value value, Tensor tensor) {
    tensors[value] = std::move(tensor);
  }
  void setBuffer(mlir::Value value, Buffer buffer) {
    buffers[value] = std::move(buffer);
  }
  void forget(mlir::Value value) { tensors.erase(value); }

  /// The value of an expression; emits an error at `op` when a symbol of it has
  /// none.
  mlir::FailureOr<int64_t> evaluate(mlir::Operation *op,
                                    SizeExpr expression) const;
  /// The sizes of a tensor or memref type.
  mlir::FailureOr<Sizes64> evaluateSizes(mlir::Operation *op,
                                         mlir::ShapedType type) const;
  mlir::FailureOr<Sizes64> evaluateSizes(mlir::Operation *op,
                                         llvm::ArrayRef<SizeExpr> sizes) const;

  /// Whether floats of this type are computed in double.
  bool computesInDouble(mlir::Type elementType) const {
    return options.precision == Precision::Double ||
           llvm::isa<mlir::Float64Type>(elementType);
  }
  /// Whether sums of this type round after every addition.
  bool chainsSums(mlir::Type elementType) const {
    return options.precision == Precision::Chained &&
           !llvm::isa<mlir::Float64Type>(elementType);
  }
  /// Rounds to the element type where the precision asks for it; wraps
  /// integers. What every op does last.
  Tensor finish(Tensor result) const;

private:
  llvm::DenseMap<mlir::Value, Tensor> tensors;
  llvm::DenseMap<mlir::Value, Buffer> buffers;
};

/// Refuses a value of `sizes`, all at least 0, that takes more than this
/// machine's memory, with an error at `op`.
mlir::LogicalResult verifyMemory(mlir::Operation *op,
                                 llvm::ArrayRef<int64_t> sizes,
                                 int64_t bytesPerElement = sizeof(Word));

/// Refuses tensors of an element type that the interpreter does not hold, with
/// an error at `op`.
mlir::LogicalResult verifyElementType(mlir::Operation *op,
                                      mlir::ShapedType type);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_EVALUATION_H
