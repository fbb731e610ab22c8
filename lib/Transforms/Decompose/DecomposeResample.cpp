//===- DecomposeResample.cpp - Resampling as views or gathers -------------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSERESAMPLEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {

/// Where along each spatial dimension the elements of a result are read from,
/// and how the two ends are weighted; tensors of the result's spatial sizes.
class Taps {
public:
  Taps(ResampleOp op, TensorBuilder &b) : op(op), b(b) {
    in = getSizes(op.getX().getType());
    out = getSizes(cast<RankedTensorType>(op.getType()));
    for (unsigned axis = 0; axis + 2 < in.size(); ++axis)
      op.getMode() == ResampleMode::Nearest ? addNearest(axis)
                                            : addLinear(axis);
  }

  /// The weighted sum over both ends of the dimensions from `axis` on, the
  /// ends of those before being chosen in `chosen`.
  Value interpolate(unsigned axis) {
    if (axis == low.size())
      return gather();
    chosen.push_back(low[axis]);
    Value first = interpolate(axis + 1);
    chosen.pop_back();
    if (!high[axis])
      return first;
    chosen.push_back(high[axis]);
    Value second = interpolate(axis + 1);
    chosen.pop_back();
    auto dims = llvm::to_vector(llvm::seq<int64_t>(2, out.size()));
    Value weight = b.broadcast(fraction[axis], out, dims);
    Value rest = b.sub(b.fullLike(1, weight), weight);
    return b.add(b.mul(first, rest), b.mul(second, weight));
  }

private:
  /// A tensor of one dimension, put along `axis` of the spatial sizes.
  Value spread(Value x, unsigned axis) {
    return b.alongDim(x, ArrayRef<SizeExpr>(out).drop_front(2), axis);
  }

  /// 0, 1, ... along the result's axis, in `type`.
  Value positions(unsigned axis, Type type) {
    return b.cast(
        b.iota(getTensorType(out[axis + 2], b.getBuilder().getI64Type()), 0),
        type);
  }

  /// in / out, or what the op says.
  Value getScale(unsigned axis, Value like) {
    if (op.getScales())
      return b.fullLike((*op.getScales())[axis], like);
    return b.div(size(in[axis + 2], like), size(out[axis + 2], like));
  }

  Value size(SizeExpr size, Value like) {
    return b.fullOfSize(size, TensorBuilder::typeOf(like));
  }

  /// `position` as an index that is at most the last one.
  Value clampToLast(Value position, unsigned axis) {
    return b.create<MinimumOp>(position, size(in[axis + 2].add(-1), position));
  }

  void addNearest(unsigned axis) {
    // In f64: a position that rounds to the next element would be a jump.
    Value at = positions(axis, b.getBuilder().getF64Type());
    Value source = b.create<FloorOp>(b.mul(at, getScale(axis, at)));
    Value index =
        clampToLast(b.cast(source, b.getBuilder().getI64Type()), axis);
    low.push_back(spread(index, axis));
    high.push_back(Value());
    fraction.push_back(Value());
  }

  void addLinear(unsigned axis) {
    Type elementType = op.getX().getType().getElementType();
    Value at = positions(axis, TensorBuilder::getComputeType(elementType));
    Value source;
    if (op.getAlignCorners()) {
      // (in - 1) / (out - 1); position 0 is all there is where out is 1.
      Value steps = b.create<MaximumOp>(size(out[axis + 2].add(-1), at),
                                        b.fullLike(1, at));
      source = b.mul(at, b.div(size(in[axis + 2].add(-1), at), steps));
    } else {
      Value half = b.fullLike(0.5, at);
      source = b.sub(b.mul(b.add(at, half), getScale(axis, at)), half);
      source = b.create<MaximumOp>(source, b.fullLike(0, at));
    }
    Value index =
        clampToLast(b.cast(source, b.getBuilder().getI64Type()), axis);
    Value next = clampToLast(b.add(index, b.fullLike(1, index)), axis);
    low.push_back(spread(index, axis));
    high.push_back(spread(next, axis));
    fraction.push_back(
        spread(b.sub(source,
                     b.cast(index, TensorBuilder::typeOf(at).getElementType())),
               axis));
  }

  /// x at the chosen ends, in the type that is computed in.
  Value gather() {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(2, in.size()));
    Value picked =
        IndexOp::create(b.getBuilder(), b.getLoc(), op.getX(), chosen, dims,
                        /*non_negative=*/true);
    Type elementType = op.getX().getType().getElementType();
    bool isNearest = op.getMode() == ResampleMode::Nearest;
    return isNearest
               ? picked
               : b.cast(picked, TensorBuilder::getComputeType(elementType));
  }

  ResampleOp op;
  TensorBuilder &b;
  Sizes in, out;
  SmallVector<Value> low, high, fraction;
  SmallVector<Value> chosen;
};

} // namespace

namespace {

// Pattern: tc.resample x -> a repeating view (nearest, whole factors), or
// weighted tc.index_tensors
struct DecomposeResample : OpRewritePattern<ResampleOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ResampleOp op,
                                PatternRewriter &rewriter) const override {
    TensorBuilder b(rewriter, op.getLoc());
    Value result = repeatWhole(op, b);
    if (!result) {
      Taps taps(op, b);
      Type elementType = op.getX().getType().getElementType();
      result = b.cast(taps.interpolate(0), elementType);
    }
    rewriter.replaceOp(op, result);
    return success();
  }

private:
  /// A nearest resample by whole factors: each element `factor` times. Null if
  /// it is none.
  static Value repeatWhole(ResampleOp op, TensorBuilder &b) {
    Sizes in = getSizes(op.getX().getType()),
          out = getSizes(cast<RankedTensorType>(op.getType()));
    if (op.getMode() != ResampleMode::Nearest)
      return {};
    Sizes split(in.begin(), in.begin() + 2), repeated = split;
    SizeExpr one = SizeExpr::constant(op.getContext(), 1);
    for (size_t dim = 2; dim < in.size(); ++dim) {
      std::optional<int64_t> factor = out[dim].floorDiv(in[dim]).getConstant();
      if (!factor || in[dim].mul(*factor) != out[dim])
        return {};
      if (op.getScales() &&
          (*op.getScales())[dim - 2] != 1.0 / static_cast<double>(*factor))
        return {};
      split.append({in[dim], one});
      repeated.append({in[dim], SizeExpr::constant(op.getContext(), *factor)});
    }
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, split.size()));
    return b.reshape(b.broadcast(b.reshape(op.getX(), split), repeated, dims),
                     out);
  }
};

class DecomposeResamplePass
    : public tc::impl::TCDecomposeResamplePassBase<DecomposeResamplePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeResample>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
