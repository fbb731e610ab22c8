//===- Contractions.cpp - matrix products ---------------------------------===//

#include "AtenTable.h"
#include "Promotion.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// Adds beta * addend to alpha * product, as addmm does; the factors are not
/// rounded to a narrow type.
static LogicalResult finishSum(AtenCall &call, Value product, Value addend) {
  double alpha = call.getReal("alpha"), beta = call.getReal("beta");
  if (call.hasFailed())
    return failure();
  Type element = elementOf(product);
  if (elementOf(product).isInteger(1)) {
    if (alpha == 0.0)
      product = call.fill(0.0, product);
    if (beta == 0.0)
      return call.replace(product);
    addend = call.broadcast(addend, sizesOf(product));
    return call.hasFailed()
               ? failure()
               : call.replace(call.binary<BitwiseOrOp>(addend, product));
  }
  if (alpha != 1.0)
    product = call.binary<MulOp>(call.widen(product), alpha);
  if (beta == 0.0) // the addend is ignored, NaN included
    return call.replace(call.cast(product, element));
  addend = call.broadcast(call.cast(addend, element), sizesOf(product));
  if (beta != 1.0)
    addend = call.binary<MulOp>(call.widen(addend), beta);
  if (alpha != 1.0 || beta != 1.0) {
    product = call.widen(product);
    addend = call.widen(addend);
  }
  if (call.hasFailed())
    return failure();
  return call.replace(call.cast(call.binary<AddOp>(addend, product), element));
}

/// The product of two operands by a spec, which says their ranks too; operands
/// are named as the overload's schema names them. With an `out_dtype` the
/// operands are of this type, so that no sum is rounded to theirs. Null when it
/// is refused.
static Value multiply(AtenCall &call, StringRef spec, StringRef xName,
                      StringRef yName) {
  auto [xDims, yDims] = spec.split("->").first.split(',');
  Value x = call.getTensor(xName), y = call.getTensor(yName);
  if (size_t(rankOf(x)) != xDims.size() || size_t(rankOf(y)) != yDims.size()) {
    (void)call.refuse("operands of ranks " + Twine(rankOf(x)) + " and " +
                      Twine(rankOf(y)) + "; expected " + Twine(xDims.size()) +
                      " and " + Twine(yDims.size()));
    return nullptr;
  }
  // PyTorch promotes the types of outer products alone.
  bool isOuter = xDims.find_first_of(yDims) == StringRef::npos;
  if (!isOuter && elementOf(x) != elementOf(y)) {
    (void)call.refuse("operands of different element types");
    return nullptr;
  }
  if (call.getArgument("out_dtype")) {
    Type element = call.getResultType().getElementType();
    x = call.cast(x, element);
    y = call.cast(y, element);
  }
  return call.contract(spec, x, y);
}

static LogicalResult convertProduct(AtenCall &call, StringRef spec,
                                    StringRef xName, StringRef yName) {
  Value product = multiply(call, spec, xName, yName);
  return product ? call.replace(product) : failure();
}

/// A product and its addend, each with its factor.
static LogicalResult convertSummedProduct(AtenCall &call, StringRef spec,
                                          StringRef xName, StringRef yName) {
  Value product = multiply(call, spec, xName, yName);
  return product ? finishSum(call, product, call.getTensor("self")) : failure();
}

// Pattern: aten.mm(x, y) -> tc.contract "mk,kn->mn" x, y
static LogicalResult convertMm(AtenCall &call) {
  return convertProduct(call, "mk,kn->mn", "self", "mat2");
}

// Pattern: aten.bmm(x, y) -> tc.contract "bmk,bkn->bmn" x, y
static LogicalResult convertBmm(AtenCall &call) {
  return convertProduct(call, "bmk,bkn->bmn", "self", "mat2");
}

// Pattern: aten.mv(x, y) -> tc.contract "mk,k->m" x, y
static LogicalResult convertMv(AtenCall &call) {
  return convertProduct(call, "mk,k->m", "self", "vec");
}

// Pattern: aten.dot(x, y) -> tc.contract "k,k->" x, y
static LogicalResult convertDot(AtenCall &call) {
  return convertProduct(call, "k,k->", "self", "tensor");
}

// Pattern: aten.outer(x, y) -> tc.contract "m,n->mn" x, y
static LogicalResult convertOuter(AtenCall &call) {
  return convertProduct(call, "m,n->mn", "self", "vec2");
}

// Pattern: aten.addmm(c, x, y) -> tc.add c, (tc.contract "mk,kn->mn" x, y)
static LogicalResult convertAddmm(AtenCall &call) {
  return convertSummedProduct(call, "mk,kn->mn", "mat1", "mat2");
}

// Pattern: aten.baddbmm(c, x, y) -> tc.add c, (tc.contract "bmk,bkn->bmn" x, y)
static LogicalResult convertBaddbmm(AtenCall &call) {
  return convertSummedProduct(call, "bmk,bkn->bmn", "batch1", "batch2");
}

// Pattern: aten.addbmm(c, x, y) -> tc.add c, (tc.reduce sum (tc.contract
// "bmk,bkn->bmn" x, y)). As in PyTorch, each product of floats is a sum of its
// own, and rounded less than one sum of all.
static LogicalResult convertAddbmm(AtenCall &call) {
  if (!isa<FloatType>(elementOf(call.getTensor("batch1"))))
    return convertSummedProduct(call, "bmk,bkn->mn", "batch1", "batch2");
  Value products = multiply(call, "bmk,bkn->bmn", "batch1", "batch2");
  if (!products || call.hasFailed())
    return failure();
  return finishSum(call, call.reduce(ReductionKind::Sum, products, {0}),
                   call.getTensor("self"));
}

// Pattern: aten.addr(c, x, y) -> tc.add c, (tc.contract "m,n->mn" x, y)
static LogicalResult convertAddr(AtenCall &call) {
  return convertSummedProduct(call, "m,n->mn", "vec1", "vec2");
}

// Pattern: aten.vdot(x, y) -> tc.contract "k,k->" x, y
static LogicalResult convertVdot(AtenCall &call) {
  return convertProduct(call, "k,k->", "self", "other");
}

// Pattern: aten.addmv(c, x, y) -> tc.add c, (tc.contract "mk,k->m" x, y)
static LogicalResult convertAddmv(AtenCall &call) {
  return convertSummedProduct(call, "mk,k->m", "mat", "vec");
}

// Pattern: aten._int_mm(x, y) -> tc.contract "mk,kn->mn" (tc.cast x), (tc.cast
// y), of i32
static LogicalResult convertIntMm(AtenCall &call) {
  Value x = call.getTensor("self"), y = call.getTensor("mat2");
  if (rankOf(x) != 2 || rankOf(y) != 2 || !elementOf(x).isInteger(8) ||
      !elementOf(y).isInteger(8))
    return call.refuse("other operands than matrices of i8");
  Type sum = call.builder.getI32Type();
  return call.replace(
      call.contract("mk,kn->mn", call.cast(x, sum), call.cast(y, sum)));
}

/// A factor of `product`, one for all or one for each point of dimension `dim`;
/// null after an error where it is another.
static Value getScale(AtenCall &call, StringRef name, Value product,
                      int64_t dim) {
  Value scale = call.getTensor(name);
  Sizes sizes = sizesOf(scale), expected(2, call.constant(1));
  expected[dim] = sizesOf(product)[dim];
  const bool isOne =
      llvm::all_of(sizes, [](SizeExpr size) { return size.isConstant(1); });
  if (!elementOf(scale).isF32() || (!isOne && sizes != expected)) {
    (void)call.refuse("a '" + name +
                      "' that is neither one f32 nor one for "
                      "each row of the left and each column of the right "
                      "operand");
    return nullptr;
  }
  if (isOne)
    scale = call.reshape(scale, {});
  return call.broadcast(scale, sizesOf(product));
}

// Pattern: aten._scaled_mm(x, y, s, t, b) -> tc.add (tc.mul (tc.mul
// (tc.contract "mk,kn->mn" x, y), s), t), b
static LogicalResult convertScaledMm(AtenCall &call) {
  constexpr StringLiteral kScales[] = {"scale_a", "scale_b"};
  Value x = call.getTensor("self"), y = call.getTensor("mat2"),
        bias = call.getTensor("bias");
  bool fast = call.getBool("use_fast_accum");
  if (call.hasFailed())
    return failure();
  if (call.getTensor("scale_result"))
    return call.refuse("'scale_result'");
  if (rankOf(x) != 2 || rankOf(y) != 2 || !isFloat8Type(elementOf(x)) ||
      !isFloat8Type(elementOf(y)))
    return call.refuse("other operands than matrices of f8E4M3FN and f8E5M2");
  Value product = call.contractFloat8("mk,kn->mn", x, y, fast);
  for (auto [dim, name] : llvm::enumerate(kScales)) {
    Value scale = getScale(call, name, product, int64_t(dim));
    if (!scale || call.hasFailed())
      return failure();
    product = call.binary<MulOp>(product, scale);
  }
  if (bias)
    product = call.binary<AddOp>(
        product,
        call.broadcast(call.cast(bias, elementOf(product)), sizesOf(product)));
  return call.hasFailed() ? failure() : call.replace(product);
}

/// `count` labels that no spec here uses otherwise.
static std::string getBatchLabels(size_t count) {
  return std::string("abcdefghij").substr(0, count);
}

// Pattern: aten.inner(x, y) -> tc.contract "..k,..k->...." x, y
static LogicalResult convertInner(AtenCall &call) {
  Value x = call.getTensor("self"), y = call.getTensor("other");
  if (rankOf(x) < 1 || rankOf(y) < 1 || rankOf(x) + rankOf(y) > 12)
    return call.refuse("operands of ranks " + Twine(rankOf(x)) + " and " +
                       Twine(rankOf(y)));
  std::string labels = getBatchLabels(rankOf(x) + rankOf(y) - 2);
  std::string left = labels.substr(0, rankOf(x) - 1),
              right = labels.substr(rankOf(x) - 1);
  return call.replace(
      call.contract(left + "k," + right + "k->" + labels, x, y));
}

// Pattern: aten.linalg_vecdot(x, y, dim) -> tc.reduce sum (tc.mul x, y)
static LogicalResult convertVecdot(AtenCall &call) {
  Value x = call.getTensor("x"), y = call.getTensor("y");
  Type element = promoteTypes(elementOf(x), elementOf(y));
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(y));
  int64_t dim = call.getDim("dim", sizes.size());
  if (call.hasFailed() || sizes.empty() || isa<ComplexType>(element))
    return call.hasFailed() ? failure()
                            : call.refuse("0-d tensors or complex numbers");
  x = call.broadcast(call.widen(call.cast(x, element)), sizes);
  y = call.broadcast(call.widen(call.cast(y, element)), sizes);
  if (call.hasFailed())
    return failure();
  return call.replace(
      call.reduce(ReductionKind::Sum, call.binary<MulOp>(x, y), dim));
}

// Pattern: aten.linear(x, w, b) -> tc.add (tc.contract "..k,nk->..n" x, w), b
static LogicalResult convertLinear(AtenCall &call) {
  Value x = call.getTensor("input"), weight = call.getTensor("weight"),
        bias = call.getTensor("bias");
  if (rankOf(x) < 1 || rankOf(x) > 10 || rankOf(weight) < 1 ||
      rankOf(weight) > 2)
    return call.refuse("an input of rank " + Twine(rankOf(x)) +
                       " and a weight of rank " + Twine(rankOf(weight)));
  std::string batch = getBatchLabels(rankOf(x) - 1);
  bool isMatrix = rankOf(weight) == 2;
  std::string spec = batch + "k," + (isMatrix ? "nk->" : "k->") + batch +
                     (isMatrix ? "n" : "");
  Value product = call.contract(spec, x, weight);
  if (!bias)
    return call.replace(product);
  bias = call.broadcast(call.cast(bias, elementOf(product)), sizesOf(product));
  if (call.hasFailed())
    return failure();
  return call.replace(call.binary<AddOp>(product, bias));
}

/// Drops the batch dimensions of size 1 that the other operand has larger, and
/// labels the rest; labels are shared from the back.
static std::string labelBatch(AtenCall &call, Value &x, ArrayRef<SizeExpr> own,
                              ArrayRef<SizeExpr> other, StringRef labels) {
  std::string text;
  Sizes kept;
  for (auto [index, size] : llvm::enumerate(own)) {
    size_t back = own.size() - index;
    bool isRepeated = back <= other.size() && size.isConstant(1) &&
                      !other[other.size() - back].isConstant(1);
    if (isRepeated)
      continue;
    text += labels[labels.size() - back];
    kept.push_back(size);
  }
  if (kept.size() != own.size()) {
    kept.append(
        llvm::to_vector(ArrayRef<SizeExpr>(sizesOf(x)).drop_front(own.size())));
    x = call.reshape(x, kept);
  }
  return text;
}

// Pattern: aten.matmul(x, y) -> tc.contract "..mk,..kn->..mn" x, y
static LogicalResult convertMatmul(AtenCall &call) {
  Value x = call.getTensor("self"), y = call.getTensor("other");
  int64_t xRank = rankOf(x), yRank = rankOf(y);
  if (xRank < 1 || yRank < 1 || std::max(xRank, yRank) > 10)
    return call.refuse("operands of ranks " + Twine(xRank) + " and " +
                       Twine(yRank));
  Sizes xSizes = sizesOf(x), ySizes = sizesOf(y);
  auto xBatch = ArrayRef<SizeExpr>(xSizes).drop_back(xRank > 1 ? 2 : 1);
  auto yBatch = ArrayRef<SizeExpr>(ySizes).drop_back(yRank > 1 ? 2 : 1);
  std::string labels = getBatchLabels(std::max(xBatch.size(), yBatch.size()));
  std::string xLabels = labelBatch(call, x, xBatch, yBatch, labels);
  std::string yLabels = labelBatch(call, y, yBatch, xBatch, labels);
  std::string spec = xLabels + (xRank > 1 ? "mk," : "k,") + yLabels +
                     (yRank > 1 ? "kn->" : "k->") + labels +
                     (xRank > 1 ? "m" : "") + (yRank > 1 ? "n" : "");
  return call.replace(call.contract(spec, x, y));
}

/// x summed over `dim`, which stays with a size of 1.
static Value sumTo1(AtenCall &call, Value x, int64_t dim) {
  if (sizesOf(x)[dim].isConstant(1))
    return x;
  Sizes sizes = sizesOf(x);
  sizes[dim] = call.constant(1);
  return call.reshape(call.reduce(ReductionKind::Sum, x, {dim}), sizes);
}

// Pattern: aten.tensordot(x, y, dims, dims) -> tc.contract
static LogicalResult convertTensordot(AtenCall &call) {
  Value x = call.getTensor("self"), y = call.getTensor("other");
  SmallVector<int64_t> xDims = call.getIntegers("dims_self"),
                       yDims = call.getIntegers("dims_other");
  if (call.hasFailed() || xDims.size() != yDims.size() ||
      rankOf(x) + rankOf(y) > 26)
    return call.hasFailed() ? failure() : call.refuse("these dimensions");
  std::string xLabels, yLabels, result;
  for (int64_t i = 0; i < rankOf(x); ++i)
    xLabels += static_cast<char>('a' + i);
  for (int64_t i = 0; i < rankOf(y); ++i)
    yLabels += static_cast<char>('a' + rankOf(x) + i);
  std::string kept = xLabels;
  for (auto [xDim, yDim] : llvm::zip(xDims, yDims)) {
    int64_t from = xDim < 0 ? xDim + rankOf(x) : xDim,
            to = yDim < 0 ? yDim + rankOf(y) : yDim;
    if (from < 0 || from >= rankOf(x) || to < 0 || to >= rankOf(y))
      return call.refuse("a dimension out of range");
    if (sizesOf(x)[from].isConstant(1))
      y = sumTo1(call, y, to);
    else if (sizesOf(y)[to].isConstant(1))
      x = sumTo1(call, x, from);
    yLabels[to] = xLabels[from];
    kept[from] = ' ';
  }
  for (char label : kept + yLabels)
    if (label != ' ' && (kept.find(label) != std::string::npos ||
                         xLabels.find(label) == std::string::npos))
      result += label;
  return call.replace(
      call.contract(xLabels + "," + yLabels + "->" + result, x, y));
}

// Pattern: aten.bilinear(x, y, w, b) -> two tc.contract, and the bias
static LogicalResult convertBilinear(AtenCall &call) {
  Value x = call.getTensor("input1"), y = call.getTensor("input2");
  int64_t rank = rankOf(x);
  if (rank < 1 || rank > 10 || rankOf(y) != rank)
    return call.refuse("inputs of ranks " + Twine(rank) + " and " +
                       Twine(rankOf(y)));
  std::string batch = getBatchLabels(rank - 1);
  Value left = call.contract(batch + "k,nkl->" + batch + "nl", x,
                             call.getTensor("weight"));
  Value product =
      call.contract(batch + "nl," + batch + "l->" + batch + "n", left, y);
  if (Value bias = call.getTensor("bias"))
    product = call.binary<AddOp>(
        product,
        call.broadcast(call.cast(bias, elementOf(product)), sizesOf(product)));
  return call.hasFailed() ? failure() : call.replace(product);
}

void addContractions(AtenTable &table) {
  table.add({"mm.default", "mm.dtype"}, convertMm);
  table.add({"bmm.default", "bmm.dtype"}, convertBmm);
  table.add({"_int_mm.default"}, convertIntMm);
  table.add({"_scaled_mm.default"}, convertScaledMm);
  table.add({"mv.default"}, convertMv);
  table.add({"dot.default"}, convertDot);
  table.add({"outer.default"}, convertOuter);
  table.add({"addmm.default", "addmm.dtype"}, convertAddmm);
  table.add({"baddbmm.default", "baddbmm.dtype"}, convertBaddbmm);
  table.add({"addmv.default"}, convertAddmv);
  table.add({"addbmm.default"}, convertAddbmm);
  table.add({"addr.default"}, convertAddr);
  table.add({"vdot.default"}, convertVdot);
  table.add({"inner.default"}, convertInner);
  table.add({"linalg_vecdot.default"}, convertVecdot);
  table.add({"linear.default"}, convertLinear);
  table.add({"matmul.default"}, convertMatmul);
  table.add({"tensordot.default"}, convertTensordot);
  table.add({"bilinear.default"}, convertBilinear);
}

} // namespace tc::aten
