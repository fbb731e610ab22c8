//===- DecomposeStaticScatter.cpp - Scatters to known places as folds -----===//
//
// The gradients of resampling, average pooling and overlapping windows add
// elements to places that follow from positions alone. Each place's sources
// are then known when compiling, and the place can sum them itself, which
// needs no order between threads: the gather form of a scatter.
//
//===----------------------------------------------------------------------===//

#include "StaticIndices.h"
#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSESTATICSCATTERPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Most elements that the places read, padding among them, for each element
/// that there is to read or place that there is to sum to.
static constexpr int64_t kMostReads = 8;

namespace {
/// The sources of the places along one indexed dimension of the result.
struct Sources {
  SmallVector<int64_t> dims;  ///< dimensions of the indices, increasing
  SmallVector<int64_t> sizes; ///< of `dims`
  int64_t places;             ///< size of the result's dimension
  int64_t taps = 1;           ///< most sources of a place
  /// For each place its row-major positions in `sizes`, increasing.
  SmallVector<SmallVector<int64_t>> positions;

  /// The sources where `index`, one of several tensors of one shape, has the
  /// places of a dimension of `places` elements.
  static std::optional<Sources> find(Value index, int64_t places);
  /// Keeps `count` places: offset, offset + stride, ...
  void keep(int64_t offset, int64_t stride, int64_t count);
  bool isPadded() const {
    return llvm::any_of(positions, [&](ArrayRef<int64_t> of) {
      return static_cast<int64_t>(of.size()) < taps;
    });
  }
  /// Whether the sources of one place after the other are all elements in
  /// their order, which then only are divided into places and taps.
  bool areInOrder() const;
  /// [places, taps]: the index of each source in dimension `dims[which]`. What
  /// pads a place with fewer sources reads its last one again.
  Value makeTable(TensorBuilder &b, unsigned which) const;
  /// [places, taps]: whether there is such a source.
  Value makeMask(TensorBuilder &b) const;

private:
  RankedTensorType tableOf(Type element) const {
    return RankedTensorType::get({places, taps}, element);
  }
};
} // namespace

/// Leaves one element of `values`, of dimensions `sizes`, along each dimension
/// along which they are the same; these have size 1 then. Values that are all
/// the same stay as they are.
static void dropRepeated(SmallVector<int64_t> &values,
                         SmallVector<int64_t> &sizes) {
  if (llvm::all_equal(values))
    return;
  int64_t inner = 1; // elements of the dimensions behind
  for (size_t dim = sizes.size(); dim-- > 0;) {
    const int64_t size = sizes[dim], count = int64_t(values.size());
    bool isSame = size > 1;
    for (int64_t index = 0; isSame && index < count; ++index)
      isSame = values[index] ==
               values[index / (inner * size) * (inner * size) + index % inner];
    if (!isSame) {
      inner *= size;
      continue;
    }
    SmallVector<int64_t> kept;
    for (int64_t index = 0; index < count; ++index)
      if (index / inner % size == 0)
        kept.push_back(values[index]);
    values = std::move(kept);
    sizes[dim] = 1;
  }
}

std::optional<Sources> Sources::find(Value index, int64_t places) {
  RankedTensorType type = TensorBuilder::typeOf(index);
  if (!type.hasStaticShape() || ShapedType::isDynamic(places))
    return std::nullopt;
  Sources sources;
  sources.places = places;
  Value varying = index;
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  if (auto broadcast = index.getDefiningOp<BroadcastOp>()) {
    varying = broadcast.getX();
    dims = llvm::to_vector(broadcast.getDims());
  }
  auto values = evaluateIndices(varying);
  if (!values || values->empty())
    return std::nullopt;
  SmallVector<int64_t> shape(TensorBuilder::typeOf(varying).getShape());
  dropRepeated(*values, shape);
  for (auto [dim, size] : llvm::zip_equal(dims, shape)) {
    if (size == 1)
      continue;
    sources.dims.push_back(dim);
    sources.sizes.push_back(size);
  }
  if (sources.dims.empty() || !llvm::is_sorted(sources.dims))
    return std::nullopt;
  sources.positions.resize(places);
  for (auto [position, value] : llvm::enumerate(*values)) {
    int64_t place = value < 0 ? value + places : value; // counted from the end
    if (place < 0 || place >= places)
      return std::nullopt; // an error when the program runs
    sources.positions[place].push_back(static_cast<int64_t>(position));
    sources.taps =
        std::max<int64_t>(sources.taps, sources.positions[place].size());
  }
  return sources;
}

void Sources::keep(int64_t offset, int64_t stride, int64_t count) {
  SmallVector<SmallVector<int64_t>> kept;
  taps = 1;
  for (int64_t index = 0; index < count; ++index) {
    kept.push_back(positions[offset + index * stride]);
    taps = std::max<int64_t>(taps, kept.back().size());
  }
  positions = std::move(kept);
  places = count;
}

bool Sources::areInOrder() const {
  int64_t next = 0;
  for (ArrayRef<int64_t> of : positions)
    for (int64_t position : of)
      if (position != next++)
        return false;
  int64_t elements = 1;
  for (int64_t size : sizes)
    elements *= size;
  return !isPadded() && next == elements &&
         dims.back() - dims.front() + 1 == static_cast<int64_t>(dims.size());
}

Value Sources::makeTable(TensorBuilder &b, unsigned which) const {
  int64_t stride = 1;
  for (int64_t size : ArrayRef(sizes).drop_front(which + 1))
    stride *= size;
  SmallVector<int32_t> table;
  for (ArrayRef<int64_t> of : positions)
    for (int64_t tap = 0; tap < taps; ++tap) {
      int64_t last = static_cast<int64_t>(of.size()) - 1;
      int64_t position = of.empty() ? 0 : of[std::min(tap, last)];
      table.push_back(static_cast<int32_t>(position / stride % sizes[which]));
    }
  RankedTensorType type = tableOf(b.getBuilder().getI32Type());
  return ConstantOp::create(b.getBuilder(), b.getLoc(), type,
                            DenseElementsAttr::get(type, ArrayRef(table)));
}

Value Sources::makeMask(TensorBuilder &b) const {
  SmallVector<bool> mask;
  for (ArrayRef<int64_t> of : positions)
    for (int64_t tap = 0; tap < taps; ++tap)
      mask.push_back(tap < static_cast<int64_t>(of.size()));
  RankedTensorType type = tableOf(b.getBuilder().getI1Type());
  return ConstantOp::create(b.getBuilder(), b.getLoc(), type,
                            DenseElementsAttr::get(type, ArrayRef(mask)));
}

/// What reads `op`, where that is a slice along indexed dimensions alone.
static SliceOp findSlice(IndexPutOp op) {
  if (!op->hasOneUse())
    return {};
  auto slice = dyn_cast<SliceOp>(*op->user_begin());
  if (!slice)
    return {};
  RankedTensorType whole = TensorBuilder::typeOf(op.getResult()),
                   part = TensorBuilder::typeOf(slice.getResult());
  Sizes sizes = getSizes(whole), kept = getSizes(part);
  for (int64_t dim = 0; dim < whole.getRank(); ++dim) {
    bool isIndexed = llvm::is_contained(op.getDims(), dim);
    SizeExpr offset = slice.getOffsets().getSizes()[dim];
    if (isIndexed ? !offset.getConstant() || part.isDynamicDim(dim)
                  : sizes[dim] != kept[dim] || slice.getStrides()[dim] != 1)
      return {};
  }
  return slice;
}

/// The sources of each indexed dimension, of `slice` where there is one.
/// Nothing unless each dimension of the indices moves one of them, and the
/// places read few elements in all.
static std::optional<SmallVector<Sources>> findSources(IndexPutOp op,
                                                       SliceOp slice) {
  SmallVector<Sources> all;
  ArrayRef<int64_t> shape =
      TensorBuilder::typeOf(op.getIndices().front()).getShape();
  SmallVector<bool> moves(shape.size(), false);
  int64_t reads = 1, elements = 1, places = 1;
  for (auto [index, dim] : llvm::zip_equal(op.getIndices(), op.getDims())) {
    auto sources =
        Sources::find(index, TensorBuilder::typeOf(op.getX()).getDimSize(dim));
    if (!sources)
      return std::nullopt;
    if (slice)
      sources->keep(*slice.getOffsets().getSizes()[dim].getConstant(),
                    slice.getStrides()[dim],
                    TensorBuilder::typeOf(slice.getResult()).getDimSize(dim));
    for (auto [moved, size] : llvm::zip_equal(sources->dims, sources->sizes)) {
      if (moves[moved])
        return std::nullopt;
      moves[moved] = true;
      elements *= size;
    }
    places *= sources->places;
    reads *= sources->places * sources->taps;
    all.push_back(std::move(*sources));
  }
  for (auto [moved, size] : llvm::zip_equal(moves, shape))
    if (!moved && size != 1)
      return std::nullopt;
  if (reads > kMostReads * (elements + places))
    return std::nullopt;
  return all;
}

namespace {
/// The values of an index_put while its indices' dimensions become places and
/// taps, one indexed dimension after the other.
class GatherForm {
public:
  explicit GatherForm(TensorBuilder &b, IndexPutOp op);
  void gather(const Sources &sources, int64_t dim);
  /// The sum over the taps, with the dimensions of the result in order.
  Value sum();

private:
  /// What a dimension of `values` is: dimension `number` of the result, of the
  /// indices, or what is summed.
  enum class Role { Result, Index, Tap };
  struct Dim {
    Role role;
    int64_t number;
  };
  SmallVector<int64_t> findIndexDims(ArrayRef<int64_t> numbers) const;

  TensorBuilder &b;
  Value values;
  SmallVector<Dim> dims;
  SmallVector<std::pair<const Sources *, int64_t>> masked; ///< with the place
};
} // namespace

GatherForm::GatherForm(TensorBuilder &b, IndexPutOp op)
    : b(b), values(op.getValues()) {
  int64_t rank = TensorBuilder::typeOf(op.getX()).getRank();
  int64_t indexRank = TensorBuilder::typeOf(op.getIndices().front()).getRank();
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (dim == op.getDims().front())
      for (int64_t number = 0; number < indexRank; ++number)
        dims.push_back({Role::Index, number});
    if (!llvm::is_contained(op.getDims(), dim))
      dims.push_back({Role::Result, dim});
  }
}

SmallVector<int64_t>
GatherForm::findIndexDims(ArrayRef<int64_t> numbers) const {
  SmallVector<int64_t> found;
  for (auto [at, dim] : llvm::enumerate(dims))
    if (dim.role == Role::Index && llvm::is_contained(numbers, dim.number))
      found.push_back(static_cast<int64_t>(at));
  return found;
}

void GatherForm::gather(const Sources &sources, int64_t dim) {
  SmallVector<int64_t> at = findIndexDims(sources.dims);
  if (sources.areInOrder()) {
    Sizes split = TensorBuilder::sizesOf(values);
    split.erase(split.begin() + at.front(), split.begin() + at.back() + 1);
    MLIRContext *context = values.getContext();
    split.insert(split.begin() + at.front(),
                 {SizeExpr::constant(context, sources.places),
                  SizeExpr::constant(context, sources.taps)});
    values = b.reshape(values, split);
  } else {
    SmallVector<Value> tables;
    for (unsigned which = 0; which < at.size(); ++which)
      tables.push_back(sources.makeTable(b, which));
    values = IndexOp::create(b.getBuilder(), b.getLoc(), values, tables, at);
  }
  for (int64_t gone : llvm::reverse(ArrayRef(at).drop_front()))
    dims.erase(dims.begin() + gone);
  dims[at.front()] = {Role::Result, dim};
  dims.insert(dims.begin() + at.front() + 1, {Role::Tap, dim});
  if (sources.isPadded())
    masked.push_back({&sources, dim});
}

Value GatherForm::sum() {
  Sizes sizes = TensorBuilder::sizesOf(values);
  Value mask;
  SmallVector<int64_t> summed;
  SmallVector<std::pair<int64_t, int64_t>> order; // with its place among them
  for (auto [at, dim] : llvm::enumerate(dims)) {
    if (dim.role != Role::Result) {
      summed.push_back(static_cast<int64_t>(at));
      continue;
    }
    order.push_back({dim.number, static_cast<int64_t>(order.size())});
    for (auto [sources, number] : masked) {
      if (number != dim.number)
        continue;
      Value part = b.broadcast(sources->makeMask(b), sizes,
                               {int64_t(at), int64_t(at) + 1});
      mask = mask ? b.create<BitwiseAndOp>(mask, part) : part;
    }
  }
  if (mask)
    values = b.select(mask, values, b.fullLike(0.0, values));
  values = b.reduce(ReductionKind::Sum, values, summed);
  llvm::sort(order);
  return b.transpose(values, llvm::to_vector(llvm::make_second_range(order)));
}

namespace {

/// The folds that were made.
using Folds = llvm::DenseSet<Operation *>;

/// The sums of `op`, those that `slice` keeps where there is one. Null where
/// they stay a scatter.
static Value computeSums(PatternRewriter &rewriter, IndexPutOp op,
                         SliceOp slice, Folds &folds) {
  Type element = TensorBuilder::typeOf(op.getX()).getElementType();
  TypedAttr start = getSplatValue(op.getX());
  // Few elements are added to a large tensor in place.
  if (op.getCombine() != CombineKind::Sum || element.isInteger(1) || !start ||
      start != getZero(element))
    return {};
  auto sources = findSources(op, slice);
  if (!sources)
    return {};
  TensorBuilder b(rewriter, op.getLoc());
  GatherForm form(b, op);
  for (auto [of, dim] : llvm::zip_equal(*sources, op.getDims()))
    form.gather(of, dim);
  Value sums = form.sum();
  if (auto fold = sums.getDefiningOp<ReduceOp>())
    folds.insert(fold);
  return sums;
}

/// Replaces `slice`, or `op` where there is none, by such sums.
static LogicalResult replaceBySums(PatternRewriter &rewriter, IndexPutOp op,
                                   SliceOp slice, Folds &folds) {
  Value sums = computeSums(rewriter, op, slice, folds);
  if (!sums)
    return rewriter.notifyMatchFailure(op, "no sum, or unknown places");
  rewriter.replaceOp(slice ? slice.getOperation() : op.getOperation(), sums);
  return success();
}

/// A pattern that knows the folds.
template <typename OpTy> struct FoldPattern : OpRewritePattern<OpTy> {
  FoldPattern(MLIRContext *context, Folds &folds)
      : OpRewritePattern<OpTy>(context), folds(folds) {}

protected:
  Folds &folds;
};

// Pattern: tc.index_put sum 0[known] = v -> tc.reduce sum (select known,
// tc.index_tensors v[known], 0)
struct DecomposeIndexPut : FoldPattern<IndexPutOp> {
  using FoldPattern::FoldPattern;

  LogicalResult matchAndRewrite(IndexPutOp op,
                                PatternRewriter &rewriter) const override {
    if (findSlice(op))
      return rewriter.notifyMatchFailure(op, "is decomposed with its slice");
    return replaceBySums(rewriter, op, {}, folds);
  }
};

// Pattern: tc.slice (tc.index_put sum 0[known] = v) -> the same for the places
// that are kept
struct DecomposeSlicedIndexPut : FoldPattern<SliceOp> {
  using FoldPattern::FoldPattern;

  LogicalResult matchAndRewrite(SliceOp op,
                                PatternRewriter &rewriter) const override {
    auto put = op.getX().getDefiningOp<IndexPutOp>();
    if (!put || findSlice(put) != op)
      return rewriter.notifyMatchFailure(op, "no slice of sums");
    return replaceBySums(rewriter, put, op, folds);
  }
};

// Pattern: tc.add (tc.reduce sum x, tc.reduce sum y) of such folds -> tc.reduce
// sum (tc.add x, y): the corners that an interpolation reads are one fold.
struct AddFolds : FoldPattern<AddOp> {
  using FoldPattern::FoldPattern;

  LogicalResult matchAndRewrite(AddOp op,
                                PatternRewriter &rewriter) const override {
    auto x = op->getOperand(0).getDefiningOp<ReduceOp>(),
         y = op->getOperand(1).getDefiningOp<ReduceOp>();
    Type element = TensorBuilder::typeOf(op.getResult()).getElementType();
    if (!x || !y || x == y || !folds.contains(x) || !folds.contains(y) ||
        !x->hasOneUse() || !y->hasOneUse() ||
        x.getX().getType() != y.getX().getType() || x.getDims() != y.getDims())
      return rewriter.notifyMatchFailure(op, "no sum of folds of one shape");
    // Narrow floats would be rounded more often.
    if (TensorBuilder::getComputeType(element) != element)
      return rewriter.notifyMatchFailure(op, "adds narrow floats");
    TensorBuilder b(rewriter, op.getLoc());
    Value sum =
        b.reduce(ReductionKind::Sum, b.add(x.getX(), y.getX()), x.getDims());
    folds.insert(sum.getDefiningOp());
    rewriter.replaceOp(op, sum);
    return success();
  }
};

class DecomposeStaticScatterPass
    : public tc::impl::TCDecomposeStaticScatterPassBase<
          DecomposeStaticScatterPass> {
  void runOnOperation() override {
    Folds folds;
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeIndexPut, DecomposeSlicedIndexPut, AddFolds>(
        &getContext(), folds);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
