//===- Contraction.cpp - Matrix products and convolution to kernels -------===//

#include "Elements.h"
#include "Patterns.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

/// Whether `value` is picked from another tensor by indices, as the matrix of
/// an expert is for each row: the same elements may be there several times.
static bool isPicked(Value value) {
  if (value.getDefiningOp<IndexOp>())
    return true;
  auto kernel = value.getDefiningOp<KernelOp>();
  ReadOp read = kernel ? findOnlyRead(kernel) : ReadOp();
  return read && !read.getIndices().empty();
}

/// Whether tensor cores multiply rows with one of several matrices each.
static bool multipliesPicked(ContractOp op) {
  Type element = cast<ShapedType>(op.getLhs().getType()).getElementType();
  return MachineModel::get(op.getOperation()).hasWarpProducts &&
         (element.isBF16() || element.isF16());
}

namespace {
/// The labels of a `tc.contract` as dimensions of a kernel: the result's in
/// order, then the contracted ones.
struct LabelledDomain {
  std::string labels;
  SmallVector<DimAttr> dims;
  SmallVector<int64_t> contracted;

  explicit LabelledDomain(ContractOp op) {
    labels = op.getResultLabels().str() + op.getContractedLabels();
    for (auto [index, label] : llvm::enumerate(labels)) {
      bool isContracted = index >= op.getResultLabels().size();
      dims.push_back(DimAttr::get(op.getContext(), std::string(1, label),
                                  isContracted ? IteratorKind::Reduced
                                               : IteratorKind::Parallel,
                                  getSize(op, label)));
      if (isContracted)
        contracted.push_back(index);
    }
  }

  static SizeExprAttr getSize(ContractOp op, char label) {
    size_t position = op.getLhsLabels().find(label);
    if (position != StringRef::npos)
      return getSizes(op.getLhs().getType())[position];
    return getSizes(op.getRhs().getType())[op.getRhsLabels().find(label)];
  }

  SmallVector<AffineExpr> indicesOf(KernelBuilder &kernel,
                                    StringRef operandLabels) {
    SmallVector<AffineExpr> indices;
    for (char label : operandLabels)
      indices.push_back(kernel.dim(labels.find(label)));
    return indices;
  }

  /// Whether some operand has every dimension longer than one: then no
  /// element of it is used twice, and the contraction is a reduction that
  /// memory bounds.
  bool isReduction(ContractOp op) {
    auto hasAll = [&](Value operand, StringRef operandLabels) {
      if (isPicked(operand) && multipliesPicked(op))
        return false;
      return llvm::all_of(llvm::enumerate(labels), [&](auto pair) {
        return operandLabels.contains(pair.value()) ||
               dims[pair.index()].getSize().isConstant(1);
      });
    };
    return contracted.empty() || hasAll(op.getLhs(), op.getLhsLabels()) ||
           hasAll(op.getRhs(), op.getRhsLabels());
  }
};

/// Pattern: tc.contract %a, %b -> kernel { read; read; contract_stage; write }
struct ContractToKernel : public KernelPattern<ContractOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ContractOp op,
                            PatternRewriter &rewriter) const override {
    LabelledDomain domain(op);
    Value empty = EmptyOp::create(rewriter, op.getLoc(), op.getType());
    KernelBuilder kernel(rewriter, op.getLoc(), "contract", domain.dims, empty);
    SmallVector<AffineExpr> left = domain.indicesOf(kernel, op.getLhsLabels());
    SmallVector<AffineExpr> right = domain.indicesOf(kernel, op.getRhsLabels());
    Value result;
    if (domain.isReduction(op)) {
      result = kernel.create<MulOp>(readElement(kernel, op.getLhs(), left),
                                    readElement(kernel, op.getRhs(), right));
      if (!domain.contracted.empty())
        result = kernel.reduce(ReductionKind::Sum, result, domain.contracted);
    } else {
      Value lhs = kernel.read(op.getLhs(), left);
      Value rhs = kernel.read(op.getRhs(), right);
      result =
          ContractStageOp::create(kernel.body, op.getLoc(),
                                  KernelBuilder::getComputeType(lhs.getType()),
                                  lhs, rhs, domain.contracted, op.getFast());
    }
    kernel.write(result, 0, domain.indicesOf(kernel, op.getResultLabels()));
    return kernel.finish();
  }
};

/// A convolution's domain: batch, group, out channel of the group, output
/// points; reduced: in channel of the group, kernel points.
struct ConvolutionDomain {
  static constexpr unsigned kBatch = 0, kGroup = 1, kOut = 2, kFirstPoint = 3;
  unsigned spatial;
  SizeExpr inPerGroup, outPerGroup;
  SmallVector<DimAttr> dims;

  unsigned in() const { return kFirstPoint + spatial; }
  unsigned kernelPoint(unsigned index) const { return in() + 1 + index; }
  SmallVector<int64_t> reduced() const { return dimRange(in(), spatial + 1); }

  static ConvolutionDomain get(ConvolutionOp op) {
    ConvolutionDomain domain;
    Sizes weight = getSizes(op.getWeight().getType());
    Sizes result = getSizes(op.getType());
    domain.spatial = result.size() - 2;
    int64_t groups = op.getGroups();
    SizeExpr first = weight[0].floorDiv(groups), second = weight[1];
    domain.outPerGroup = op.getTransposed() ? second : first;
    domain.inPerGroup = op.getTransposed() ? first : second;
    MLIRContext *context = op.getContext();
    auto add = [&](const Twine &name, SizeExprAttr size) {
      domain.dims.push_back(
          DimAttr::get(context, name.str(), IteratorKind::Parallel, size));
    };
    add("n", result[0]);
    add("g", SizeExprAttr::constant(context, groups));
    add("o", domain.outPerGroup);
    for (unsigned index = 0; index < domain.spatial; ++index)
      add("p" + Twine(index), result[2 + index]);
    add("c", domain.inPerGroup);
    for (unsigned index = 0; index < domain.spatial; ++index)
      add("k" + Twine(index), weight[2 + index]);
    return domain;
  }

  /// Whether the groups have as many channels of x as a symbol says.
  bool hasSymbolicInputGroups() const {
    return !dims[kGroup].getSize().isConstant(1) && !inPerGroup.isConstant() &&
           outPerGroup.isConstant();
  }

  /// Channel `inner` of this point's group; nothing where that is a product of
  /// a dimension and a symbol.
  static std::optional<AffineExpr>
  getChannel(KernelBuilder &kernel, SizeExpr perGroup, AffineExpr inner) {
    if (kernel.getKernel().getDimSize(kGroup).isConstant(1))
      return inner;
    if (std::optional<int64_t> constant = perGroup.getConstant())
      return kernel.dim(kGroup) * *constant + inner;
    return std::nullopt;
  }
};

/// Pattern: tc.convolution %x, %w -> kernel { read within; read; contract_stage
/// }
struct ConvolutionToKernel : public KernelPattern<ConvolutionOp> {
  using KernelPattern::KernelPattern;

  FailureOr<KernelOp> build(ConvolutionOp op,
                            PatternRewriter &rewriter) const override {
    ConvolutionDomain domain = ConvolutionDomain::get(op);
    bool splitsGroups = !op.getTransposed() && domain.hasSymbolicInputGroups();
    Value x = splitsGroups ? splitGroups(op, domain, rewriter) : op.getX();
    Value empty = EmptyOp::create(rewriter, op.getLoc(), op.getType());
    KernelBuilder kernel(rewriter, op.getLoc(), "convolution", domain.dims,
                         empty);
    std::optional<AffineExpr> in = kernel.dim(domain.in());
    if (!splitsGroups)
      in = ConvolutionDomain::getChannel(kernel, domain.inPerGroup, *in);
    std::optional<AffineExpr> out = ConvolutionDomain::getChannel(
        kernel, domain.outPerGroup, kernel.dim(ConvolutionDomain::kOut));
    if (!in || !out) {
      rewriter.eraseOp(kernel.getKernel());
      return rewriter.notifyMatchFailure(
          op, "has groups of a symbolic number of channels");
    }

    SmallVector<AffineExpr> image{kernel.dim(ConvolutionDomain::kBatch)};
    if (splitsGroups)
      image.push_back(kernel.dim(ConvolutionDomain::kGroup));
    image.push_back(*in);
    SmallVector<AffineExpr> weight{*out, kernel.dim(domain.in())};
    if (op.getTransposed())
      weight = {*in, kernel.dim(ConvolutionDomain::kOut)};
    SmallVector<AffineExpr> result{kernel.dim(ConvolutionDomain::kBatch), *out};
    SmallVector<AffineExpr> inside;
    SmallVector<bool> equalities;
    for (unsigned index = 0; index < domain.spatial; ++index) {
      addSpatial(op, kernel, domain, index, image, inside, equalities);
      weight.push_back(kernel.dim(domain.kernelPoint(index)));
      result.push_back(kernel.dim(ConvolutionDomain::kFirstPoint + index));
    }
    std::optional<IntegerSet> within;
    if (!inside.empty())
      within = IntegerSet::get(kernel.getRank(),
                               kernel.getKernel().getSymbols().size(), inside,
                               equalities);
    Value sum = multiply(op, x, kernel, domain, image, weight, within);
    kernel.write(sum, 0, result);
    return kernel.finish();
  }

private:
  /// x with its groups as a dimension of their own, [n, g, c, ...].
  static Value splitGroups(ConvolutionOp op, const ConvolutionDomain &domain,
                           PatternRewriter &rewriter) {
    Sizes sizes = getSizes(op.getX().getType());
    sizes[1] = domain.inPerGroup;
    sizes.insert(sizes.begin() + 1,
                 SizeExpr::constant(op.getContext(), op.getGroups()));
    return ReshapeOp::create(
        rewriter, op.getLoc(),
        tc::getTensorType(sizes, op.getX().getType().getElementType()),
        op.getX());
  }

  /// The image's index at spatial dimension `index`, and when it is inside.
  static void addSpatial(ConvolutionOp op, KernelBuilder &kernel,
                         const ConvolutionDomain &domain, unsigned index,
                         SmallVectorImpl<AffineExpr> &image,
                         SmallVectorImpl<AffineExpr> &inside,
                         SmallVectorImpl<bool> &equalities) {
    AffineExpr point = kernel.dim(ConvolutionDomain::kFirstPoint + index);
    AffineExpr tap = kernel.dim(domain.kernelPoint(index));
    int64_t stride = op.getStride()[index], padding = op.getPadding()[index],
            dilation = op.getDilation()[index];
    AffineExpr size = kernel.affine(getSizes(op.getX().getType())[2 + index]);
    AffineExpr at = point * stride + tap * dilation - padding;
    if (op.getTransposed()) {
      AffineExpr scaled = point - tap * dilation + padding;
      at = scaled.floorDiv(stride);
      if (stride != 1) {
        inside.push_back(scaled % stride);
        equalities.push_back(true);
      }
    }
    image.push_back(at);
    if (padding == 0 && !op.getTransposed())
      return;
    inside.append({at, size - 1 - at});
    equalities.append({false, false});
  }

  /// A depthwise convolution uses each element of x for one channel only: it
  /// is a reduction over a window, not a matrix product.
  static Value multiply(ConvolutionOp op, Value images, KernelBuilder &kernel,
                        const ConvolutionDomain &domain,
                        ArrayRef<AffineExpr> image, ArrayRef<AffineExpr> weight,
                        std::optional<IntegerSet> within) {
    if (domain.inPerGroup.isConstant(1) && domain.outPerGroup.isConstant(1)) {
      Value x = kernel.readForCompute(images, image, {}, within);
      Value w = kernel.readForCompute(op.getWeight(), weight);
      return kernel.reduce(ReductionKind::Sum, kernel.create<MulOp>(x, w),
                           domain.reduced());
    }
    Value x = kernel.read(images, image, {}, within);
    Value w = kernel.read(op.getWeight(), weight);
    return ContractStageOp::create(kernel.body, op.getLoc(),
                                   KernelBuilder::getComputeType(x.getType()),
                                   x, w, domain.reduced());
  }
};
} // namespace

void tc::populateContractionToKernelPatterns(RewritePatternSet &patterns) {
  patterns.add<ContractToKernel, ConvolutionToKernel>(patterns.getContext());
}
