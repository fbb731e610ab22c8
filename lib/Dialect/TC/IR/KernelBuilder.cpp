//===- KernelBuilder.cpp - Writing the body of a tc.kernel ----------------===//

#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "mlir/IR/AttrTypeSubElements.h"

using namespace mlir;
using namespace tc;

Type KernelBuilder::getComputeType(Type stored) {
  if (isa<BFloat16Type, Float16Type>(stored) || isFloat8Type(stored))
    return Float32Type::get(stored.getContext());
  return stored;
}

/// Default names of dimensions: i, j, k, ...
static std::string getDimName(unsigned index) {
  static constexpr StringLiteral letters = "ijklmnpqrstuvwxyz";
  std::string name(1, letters[index % letters.size()]);
  if (index >= letters.size())
    name += std::to_string(index / letters.size());
  return name;
}

SmallVector<DimAttr> tc::getNamedDims(MLIRContext *context,
                                      ArrayRef<SizeExprAttr> sizes) {
  SmallVector<DimAttr> dims;
  for (auto [index, size] : llvm::enumerate(sizes))
    dims.push_back(
        DimAttr::get(context, getDimName(index), IteratorKind::Parallel, size));
  return dims;
}

static SmallVector<Value> createEmpties(OpBuilder &builder, Location loc,
                                        TypeRange types) {
  return llvm::map_to_vector(types, [&](Type type) -> Value {
    return EmptyOp::create(builder, loc, type);
  });
}

KernelBuilder::KernelBuilder(OpBuilder &outer, Location loc, StringRef name,
                             ArrayRef<DimAttr> dims, ValueRange destinations)
    : body(outer.getContext()), loc(loc),
      kernel(KernelOp::create(outer, loc, name, KernelClass::Pointwise, dims,
                              ValueRange(), destinations)) {
  body.setInsertionPointToEnd(&kernel.getBodyBlock());
}

KernelBuilder::KernelBuilder(OpBuilder &outer, Location loc, StringRef name,
                             ArrayRef<SizeExprAttr> sizes,
                             TypeRange resultTypes)
    : KernelBuilder(outer, loc, name, getNamedDims(outer.getContext(), sizes),
                    createEmpties(outer, loc, resultTypes)) {}

AffineExpr KernelBuilder::dim(unsigned index) const {
  return getAffineDimExpr(index, getContext());
}

AffineExpr KernelBuilder::constant(int64_t value) const {
  return getAffineConstantExpr(value, getContext());
}

SmallVector<AffineExpr> KernelBuilder::dims(unsigned count) const {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, count),
                             [&](unsigned index) { return dim(index); });
}

AffineMap KernelBuilder::mapOf(ArrayRef<AffineExpr> results,
                               size_t numIndices) {
  return AffineMap::get(getRank() + numIndices, kernel.getSymbols().size(),
                        results, getContext());
}

Value KernelBuilder::read(Value input, ArrayRef<AffineExpr> at,
                          ValueRange indices,
                          std::optional<IntegerSet> within) {
  BlockArgument source = bindInput(kernel, input);
  Type element = cast<ShapedType>(input.getType()).getElementType();
  return ReadOp::create(body, loc, element, source,
                        AffineMapAttr::get(mapOf(at, indices.size())), indices,
                        within ? IntegerSetAttr::get(*within) : nullptr);
}

Value KernelBuilder::readForCompute(Value input, ArrayRef<AffineExpr> at,
                                    ValueRange indices,
                                    std::optional<IntegerSet> within) {
  Value value = read(input, at, indices, within);
  return cast(value, getComputeType(value.getType()));
}

void KernelBuilder::write(Value value, unsigned out, ArrayRef<AffineExpr> at,
                          ValueRange indices, std::optional<IntegerSet> within,
                          CombineKind combine) {
  BlockArgument destination = kernel.getOutArgument(out);
  Type element = ::cast<ShapedType>(destination.getType()).getElementType();
  WriteOp::create(body, loc, cast(value, element), destination,
                  AffineMapAttr::get(mapOf(at, indices.size())), indices,
                  within ? IntegerSetAttr::get(*within) : nullptr,
                  CombineKindAttr::get(getContext(), combine));
}

Value tc::castScalar(OpBuilder &builder, Location loc, Value value, Type type) {
  return value.getType() == type
             ? value
             : CastOp::create(builder, loc, type, value).getResult();
}

Value KernelBuilder::cast(Value value, Type type) {
  return castScalar(body, loc, value, type);
}

Value KernelBuilder::scalar(TypedAttr value) {
  return ScalarOp::create(body, loc, value.getType(), value);
}

Value KernelBuilder::scalar(double value, Type type) {
  if (isa<FloatType>(type))
    return scalar(cast<TypedAttr>(FloatAttr::get(type, value)));
  return scalar(
      cast<TypedAttr>(IntegerAttr::get(type, static_cast<int64_t>(value))));
}

Value KernelBuilder::size(SizeExprAttr size) {
  return SizeScalarOp::create(body, loc, body.getI64Type(), size);
}

Value KernelBuilder::index(AffineExpr expr) {
  return DimIndexOp::create(body, loc, body.getI64Type(),
                            AffineMapAttr::get(mapOf(expr, 0)));
}

IntegerSet KernelBuilder::setOf(ArrayRef<AffineExpr> constraints) {
  SmallVector<bool> equalities(constraints.size(), false);
  return IntegerSet::get(getRank(), kernel.getSymbols().size(), constraints,
                         equalities);
}

Value KernelBuilder::within(IntegerSet set) {
  return WithinOp::create(body, loc, body.getI1Type(),
                          IntegerSetAttr::get(set));
}

Value KernelBuilder::reduce(ReductionKind kind, Value value,
                            ArrayRef<int64_t> over) {
  return ReduceStageOp::create(body, loc, TypeRange(value.getType()),
                               ReductionKindAttr::get(getContext(), kind),
                               value, body.getDenseI64ArrayAttr(over))
      .getResult(0);
}

/// The affine symbol of `kernel` that stands for `size`.
static AffineExpr bindSymbol(KernelOp kernel, SizeExprAttr size) {
  SmallVector<Attribute> symbols(kernel.getSymbols().getValue());
  unsigned position = llvm::find(symbols, size) - symbols.begin();
  if (position == symbols.size()) {
    symbols.push_back(size);
    kernel.setSymbolsAttr(ArrayAttr::get(kernel.getContext(), symbols));
  }
  return getAffineSymbolExpr(position, kernel.getContext());
}

AffineExpr tc::toAffine(KernelOp kernel, SizeExprAttr size) {
  auto operand = [&](unsigned index) {
    return toAffine(kernel, cast<SizeExprAttr>(size.getOperands()[index]));
  };
  AffineExpr result =
      getAffineConstantExpr(size.getValue(), kernel.getContext());
  switch (size.getKind()) {
  case SizeExprKind::Constant:
    return result;
  case SizeExprKind::Sum:
    for (unsigned index = 0; index < size.getOperands().size(); ++index)
      result = result + operand(index);
    return result;
  case SizeExprKind::Product:
    for (unsigned index = 0; index < size.getOperands().size(); ++index)
      result = result * operand(index);
    return result;
  case SizeExprKind::FloorDiv:
    return operand(0).floorDiv(operand(1));
  case SizeExprKind::Mod:
    return operand(0) % operand(1);
  case SizeExprKind::Symbol:
  case SizeExprKind::Min:
  case SizeExprKind::Max:
    return bindSymbol(kernel, size);
  }
  llvm_unreachable("all kinds are listed");
}

void tc::updateSymbols(KernelOp kernel) {
  SmallVector<Attribute> old(kernel.getSymbols().getValue());
  kernel.setSymbolsAttr(ArrayAttr::get(kernel.getContext(), {}));
  SmallVector<AffineExpr> symbols =
      llvm::map_to_vector(old, [&](Attribute size) {
        return toAffine(kernel, cast<SizeExprAttr>(size));
      });
  unsigned count = kernel.getSymbols().size();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](AffineMapAttr attribute) -> Attribute {
    AffineMap map = attribute.getValue();
    return AffineMapAttr::get(
        map.replaceDimsAndSymbols({}, symbols, map.getNumDims(), count));
  });
  replacer.addReplacement([&](IntegerSetAttr attribute) -> Attribute {
    IntegerSet set = attribute.getValue();
    return IntegerSetAttr::get(
        set.replaceDimsAndSymbols({}, symbols, set.getNumDims(), count));
  });
  for (Operation &op : kernel.getBodyBlock())
    replacer.replaceElementsIn(&op);
}

BlockArgument tc::bindInput(KernelOp kernel, Value input) {
  for (auto [index, bound] : llvm::enumerate(kernel.getIns()))
    if (bound == input)
      return kernel.getInArgument(index);
  unsigned index = kernel.getIns().size();
  kernel.getInsMutable().append(input);
  return kernel.getBodyBlock().insertArgument(index, input.getType(),
                                              input.getLoc());
}

Value tc::getOperandOf(KernelOp kernel, Value argument) {
  return kernel->getOperand(cast<BlockArgument>(argument).getArgNumber());
}

void tc::updateIteratorKinds(KernelOp kernel) {
  KernelDims values(kernel);
  SmallVector<Attribute> dims;
  bool hasChanged = false;
  for (unsigned index = 0; index < kernel.getNumDims(); ++index) {
    DimAttr dim = kernel.getDim(index);
    IteratorKind kind = values.written().test(index) ? IteratorKind::Parallel
                                                     : IteratorKind::Reduced;
    if (dim.getIterator() != kind) {
      dim =
          DimAttr::get(kernel.getContext(), dim.getName(), kind, dim.getSize());
      hasChanged = true;
    }
    dims.push_back(dim);
  }
  if (hasChanged)
    kernel.setDimsAttr(ArrayAttr::get(kernel.getContext(), dims));
}

KernelOp KernelBuilder::finish() {
  updateIteratorKinds(kernel);
  return kernel;
}
