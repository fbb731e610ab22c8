//===- KernelBuilder.cpp - Writing the body of a tc.kernel ----------------===//

#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"

using namespace mlir;
using namespace tc;

Type KernelBuilder::getComputeType(Type stored) {
  if (isa<BFloat16Type, Float16Type, Float8E4M3FNType, Float8E5M2Type>(stored))
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

AffineExpr KernelBuilder::symbol(StringRef name) {
  SmallVector<Attribute> symbols(kernel.getSymbols().getValue());
  auto *found = llvm::find_if(symbols, [&](Attribute attribute) {
    return cast<StringAttr>(attribute).getValue() == name;
  });
  unsigned position = found - symbols.begin();
  if (found == symbols.end()) {
    symbols.push_back(StringAttr::get(getContext(), name));
    kernel.setSymbolsAttr(ArrayAttr::get(getContext(), symbols));
  }
  return getAffineSymbolExpr(position, getContext());
}

SmallVector<AffineExpr> KernelBuilder::dims(unsigned count) const {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, count),
                             [&](unsigned index) { return dim(index); });
}

std::optional<AffineExpr> KernelBuilder::affine(SizeExprAttr size) {
  auto operand = [&](unsigned index) {
    return affine(cast<SizeExprAttr>(size.getOperands()[index]));
  };
  switch (size.getKind()) {
  case SizeExprKind::Constant:
    return constant(size.getValue());
  case SizeExprKind::Symbol:
    return symbol(size.getSymbol().getValue());
  case SizeExprKind::Sum:
  case SizeExprKind::Product: {
    bool isSum = size.getKind() == SizeExprKind::Sum;
    AffineExpr result = constant(size.getValue());
    for (unsigned index = 0; index < size.getOperands().size(); ++index) {
      std::optional<AffineExpr> next = operand(index);
      if (!next)
        return std::nullopt;
      result = isSum ? result + *next : result * *next;
    }
    return result;
  }
  case SizeExprKind::FloorDiv:
  case SizeExprKind::Mod: {
    std::optional<AffineExpr> left = operand(0), right = operand(1);
    if (!left || !right)
      return std::nullopt;
    return size.getKind() == SizeExprKind::Mod ? *left % *right
                                               : left->floorDiv(*right);
  }
  case SizeExprKind::Min:
  case SizeExprKind::Max:
    return std::nullopt;
  }
  return std::nullopt;
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

Value KernelBuilder::cast(Value value, Type type) {
  return value.getType() == type
             ? value
             : CastOp::create(body, loc, type, value).getResult();
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
