//===- Evaluation.h - One call of a function under interpretation -*- C++
//-*-===//

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

/// Runs one op: its results are set in `evaluation`.
mlir::LogicalResult evaluateOp(Evaluation &evaluation, mlir::Operation *op);
/// Runs a block up to its terminator and returns the terminator's operands.
mlir::FailureOr<Tensors> evaluateBlock(Evaluation &evaluation,
                                       mlir::Block &block);
/// Gives every symbol of `function` the value that the arguments' sizes imply
/// and checks the sizes and the symbols' ranges.
mlir::LogicalResult bindSymbols(Evaluation &evaluation,
                                mlir::func::FuncOp function,
                                llvm::ArrayRef<Tensor> arguments);

/// Emits an error at `op`, which names the need of `user`, where the condition
/// does not hold.
mlir::LogicalResult checkPrecondition(Evaluation &evaluation,
                                      mlir::Operation *op, llvm::StringRef user,
                                      const SizePrecondition &condition);

/// Refuses a value of `sizes`, all at least 0, that takes more than this
/// machine's memory, with an error at `op`.
mlir::LogicalResult verifyMemory(mlir::Operation *op,
                                 llvm::ArrayRef<int64_t> sizes,
                                 int64_t bytesPerElement = sizeof(Word));

/// evaluateFunction of Interpreter.h inside `depth` calls. Emits an error at
/// `caller` when those are too many.
mlir::FailureOr<llvm::SmallVector<Tensor>>
evaluateCall(mlir::Operation *caller, mlir::func::FuncOp function,
             llvm::MutableArrayRef<Tensor> arguments, const Options &options,
             unsigned depth);

/// Refuses tensors of an element type that the interpreter does not hold, with
/// an error at `op`.
mlir::LogicalResult verifyElementType(mlir::Operation *op,
                                      mlir::ShapedType type);

/// A float or integer attribute as a word of `elementType`.
Word getWord(mlir::Attribute value, mlir::Type elementType);

//===----------------------------------------------------------------------===//
// Cores shared between graph ops and stages of kernels
//===----------------------------------------------------------------------===//

/// An op of the elementwise table on operands of equal sizes.
mlir::FailureOr<Tensor> evaluateElementwise(const Evaluation &evaluation,
                                            mlir::Operation *op,
                                            llvm::ArrayRef<Tensor> operands);

/// Folds every row; the result has the rows' outer sizes. Sum to Any only.
/// `chained` rounds floats to f32 after every step.
Tensor reduceRows(const Rows &rows, ReductionKind kind, bool chained);
/// Index of the extreme element of every row (i64).
Tensor argReduceRows(const Rows &rows, bool largest);
/// Mean of every row and sum of squared deviations from it.
std::pair<Tensor, Tensor> welfordRows(const Rows &rows);
/// Running fold along every row; the result has the arranged sizes.
Tensor scanRows(const Rows &rows, ReductionKind kind);
/// The first `keep` of every row's elements in order, and their places.
std::pair<Tensor, Tensor> sortRows(const Rows &rows, bool descending,
                                   int64_t keep);

/// A routine on operands whose matrices are the rows; the results have the
/// outer sizes, which all operands have alike, then those of the matrices.
/// `sizes` are those of the operands' matrices. Emits an error at `op` where
/// the routine fails and is `checked`.
mlir::FailureOr<Tensors> runRoutine(mlir::Operation *op, RoutineKind kind,
                                    llvm::ArrayRef<Rows> operands,
                                    llvm::ArrayRef<Sizes64> sizes,
                                    bool checked);

/// Sum of products over the labels that both operands have and the result
/// lacks. A label is any number; each operand's dimensions have distinct ones,
/// and a label that only one operand has is in the result. `chained` sums in
/// f32.
Tensor contract(const Tensor &lhs, llvm::ArrayRef<int64_t> lhsLabels,
                const Tensor &rhs, llvm::ArrayRef<int64_t> rhsLabels,
                llvm::ArrayRef<int64_t> resultLabels,
                mlir::Type resultElementType, bool chained);

/// `current` with `update` folded in.
Word combineWords(CombineKind combine, Word current, Word update,
                  ElementKind kind);

//===----------------------------------------------------------------------===//
// Ops, by family; each returns its results in order
//===----------------------------------------------------------------------===//

mlir::FailureOr<Tensors> evaluate(Evaluation &, ReduceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ArgReduceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, VarianceOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, ContractOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ConvolutionOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, ConstantOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, FullOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SizeValueOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SizeFromOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IotaOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, EmptyOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, BroadcastOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, TransposeOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ReshapeOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SliceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, PadOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ConcatOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, GatherOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IndexOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, NonzeroOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ScatterOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IndexPutOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, MaxPoolOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, AvgPoolOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, AdaptiveAvgPoolOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ResampleOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, SoftmaxOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, LogSoftmaxOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, LayerNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, RmsNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, GroupNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, BatchNormOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, AttentionOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, RandomOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, RoutineOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SortOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, TopKOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ScanOp);

mlir::FailureOr<Tensors> evaluate(Evaluation &, ParameterOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, GuardOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SizeGuardOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IfOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, WhileOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, mlir::func::CallOp);

/// The elements of a constant's attribute; emits an error at the op when they
/// are not in the module.
mlir::FailureOr<Tensor> readElements(mlir::Operation *, mlir::ElementsAttr);
/// The contents of a buffer.
Tensor readBuffer(const Buffer &);

mlir::FailureOr<Tensors> evaluate(Evaluation &, KernelOp);
mlir::LogicalResult evaluateBufferOp(Evaluation &, mlir::Operation *);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_EVALUATION_H
