//===- FoldConstants.cpp - Ops on constants, evaluated --------------------===//

#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFOLDCONSTANTSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Results of more elements stay computed: they would make the IR and the
/// artefact larger than the computation is worth.
static constexpr int64_t kMostElements = 1024;

//===----------------------------------------------------------------------===//
// Between attributes and the interpreter's tensors
//===----------------------------------------------------------------------===//

/// A tensor of `sizes` from one attribute an element.
static reference::Tensor makeTensor(Type elementType, ArrayRef<int64_t> sizes,
                                    ArrayRef<Attribute> elements) {
  if (isa<FloatType>(elementType)) {
    auto values = llvm::map_to_vector(elements, [](Attribute element) {
      return cast<FloatAttr>(element).getValueAsDouble();
    });
    return reference::Tensor::fromDoubles(elementType, sizes, values);
  }
  bool zeroExtend = elementType.isInteger(1) || elementType.isUnsignedInteger();
  auto values = llvm::map_to_vector(elements, [&](Attribute element) {
    APInt bits = cast<IntegerAttr>(element).getValue();
    return zeroExtend ? static_cast<int64_t>(bits.getZExtValue())
                      : bits.getSExtValue();
  });
  return reference::Tensor::fromIntegers(elementType, sizes, values);
}

static TypedAttr getElement(const reference::Tensor &tensor, int64_t index) {
  Type elementType = tensor.getElementType();
  if (isa<FloatType>(elementType))
    return FloatAttr::get(elementType, tensor.getDouble(index));
  APInt bits(64, static_cast<uint64_t>(tensor.getInteger(index)));
  return IntegerAttr::get(elementType,
                          bits.trunc(elementType.getIntOrFloatBitWidth()));
}

/// Whether elements are numbers or bools, which attributes hold one by one.
static bool isNumber(Type elementType) {
  auto kind = reference::getElementKind(elementType);
  return kind && kind != reference::ElementKind::Complex;
}

/// The constant that `value` is: a small tc.constant or tc.full of constant
/// sizes. An empty tensor if it is none.
static reference::Tensor getConstant(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.hasStaticShape() || type.getNumElements() > kMostElements ||
      !isNumber(type.getElementType()))
    return {};
  SmallVector<Attribute> elements;
  if (auto full = value.getDefiningOp<FullOp>()) {
    elements.assign(type.getNumElements(), full.getValue());
  } else if (auto constant = value.getDefiningOp<ConstantOp>()) {
    auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
    if (!dense)
      return {};
    llvm::append_range(elements, dense.getValues<Attribute>());
  } else {
    return {};
  }
  return makeTensor(type.getElementType(), type.getShape(), elements);
}

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

/// What `op` gives for `operands`, with results of `type`: the reference
/// interpreter run on a function of that op alone.
static FailureOr<reference::Tensor>
evaluate(Operation *op, MutableArrayRef<reference::Tensor> operands,
         RankedTensorType type) {
  OpBuilder builder(op->getContext());
  SmallVector<Type> operandTypes =
      llvm::map_to_vector(operands, [](const reference::Tensor &tensor) {
        return Type(
            RankedTensorType::get(tensor.getSizes(), tensor.getElementType()));
      });
  OwningOpRef<func::FuncOp> function = func::FuncOp::create(
      builder, op->getLoc(), "evaluated",
      builder.getFunctionType(operandTypes, TypeRange(type)));
  builder.setInsertionPointToStart(function->addEntryBlock());
  Operation *copy = builder.clone(*op);
  copy->setOperands(function->getArguments());
  copy->getResult(0).setType(type);
  func::ReturnOp::create(builder, op->getLoc(), copy->getResults());
  auto results = reference::evaluateFunction(*function, operands);
  if (failed(results))
    return failure();
  return results->front();
}

/// Ops that are worth evaluating and cannot fail.
static bool isFoldable(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!isNumber(type.getElementType()))
    return false;
  // Whether a fold of nothing is an error is known when it runs.
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return !llvm::is_contained(TensorBuilder::typeOf(reduce.getX()).getShape(),
                               0);
  return isa<ElementwiseOpInterface, BroadcastOp, TransposeOp, ReshapeOp,
             SliceOp, ConcatOp, PadOp>(op);
}

/// An elementwise op on tensors of one value each, as a tensor of one value.
static Value foldSplat(Operation *op, OpBuilder &builder) {
  if (!isa<ElementwiseOpInterface>(op))
    return {};
  SmallVector<reference::Tensor> operands;
  for (Value operand : op->getOperands()) {
    TypedAttr splat = getSplatValue(operand);
    if (!splat || !isNumber(splat.getType()))
      return {};
    operands.push_back(makeTensor(splat.getType(), {}, Attribute(splat)));
  }
  RankedTensorType type = TensorBuilder::typeOf(op->getResult(0));
  auto result =
      evaluate(op, operands, RankedTensorType::get({}, type.getElementType()));
  if (failed(result))
    return {};
  return FullOp::create(builder, op->getLoc(), type, getElement(*result, 0));
}

/// A tensor without elements is computed from nothing.
static Value foldEmpty(Operation *op, OpBuilder &builder) {
  RankedTensorType type = TensorBuilder::typeOf(op->getResult(0));
  Type element = type.getElementType();
  if (!llvm::is_contained(type.getShape(), 0) || !element.isIntOrFloat())
    return {};
  return FullOp::create(builder, op->getLoc(), type,
                        cast<TypedAttr>(builder.getZeroAttr(element)));
}

static Value foldDense(Operation *op, OpBuilder &builder) {
  RankedTensorType type = TensorBuilder::typeOf(op->getResult(0));
  if (!type.hasStaticShape() || type.getNumElements() > kMostElements)
    return {};
  SmallVector<reference::Tensor> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(getConstant(operand));
    if (!operands.back())
      return {};
  }
  auto result = evaluate(op, operands, type);
  if (failed(result))
    return {};
  SmallVector<Attribute> elements;
  for (int64_t index = 0; index < type.getNumElements(); ++index)
    elements.push_back(getElement(*result, index));
  return ConstantOp::create(builder, op->getLoc(), type,
                            DenseElementsAttr::get(type, elements));
}

namespace {
class FoldConstantsPass
    : public tc::impl::TCFoldConstantsPassBase<FoldConstantsPass> {
  void runOnOperation() override {
    // In the order of the program, so that constants reach what uses them.
    getOperation().walk<WalkOrder::PreOrder>([](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      if (!isFoldable(op))
        return WalkResult::advance();
      OpBuilder builder(op);
      Value constant = foldEmpty(op, builder);
      if (!constant)
        constant = foldSplat(op, builder);
      if (!constant)
        constant = foldDense(op, builder);
      if (!constant)
        return WalkResult::advance();
      op->replaceAllUsesWith(ValueRange(constant));
      op->erase();
      return WalkResult::skip(); // the op is gone
    });
  }
};
} // namespace
