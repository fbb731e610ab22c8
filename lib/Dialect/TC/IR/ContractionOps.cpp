//===- ContractionOps.cpp - Matrix products and convolution ---------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// ContractOp
//===----------------------------------------------------------------------===//

namespace {
/// The parts of "bmk,bkn->bmn".
struct ContractSpec {
  StringRef lhs, rhs, result;

  static ContractSpec parse(StringRef spec) {
    ContractSpec parts;
    auto [operands, result] = spec.split("->");
    parts.result = result;
    std::tie(parts.lhs, parts.rhs) = operands.split(',');
    return parts;
  }
};
} // namespace

StringRef ContractOp::getLhsLabels() {
  return ContractSpec::parse(getSpec()).lhs;
}
StringRef ContractOp::getRhsLabels() {
  return ContractSpec::parse(getSpec()).rhs;
}
StringRef ContractOp::getResultLabels() {
  return ContractSpec::parse(getSpec()).result;
}

std::string ContractOp::getContractedLabels() {
  ContractSpec parts = ContractSpec::parse(getSpec());
  std::string contracted;
  for (char label : parts.lhs)
    if (!parts.result.contains(label))
      contracted += label;
  return contracted;
}

/// Checks that `labels` are distinct letters, `rank` of them.
static LogicalResult checkLabels(std::optional<Location> location,
                                 StringRef part, StringRef labels,
                                 int64_t rank) {
  for (auto [index, label] : llvm::enumerate(labels)) {
    if (!llvm::isAlpha(label))
      return inferenceError<ContractOp>(
          location, "expects letters as labels of the ", part,
          " in 'spec', but found '", Twine(label), "'");
    if (labels.take_front(index).contains(label))
      return inferenceError<ContractOp>(
          location, "expects label '", Twine(label), "' at most once in the ",
          part, " of 'spec', but it is in \"", labels, "\" twice");
  }
  if (rank >= 0 && static_cast<int64_t>(labels.size()) != rank)
    return inferenceError<ContractOp>(
        location, "expects as many labels as dimensions of the ", part,
        ", but \"", labels, "\" has ", labels.size(), " for ", rank);
  return success();
}

LogicalResult ContractOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto lhs = getTensorOperand<ContractOp>(location, operands, 0, "lhs");
  auto rhs = getTensorOperand<ContractOp>(location, operands, 1, "rhs");
  if (failed(lhs) || failed(rhs))
    return failure();
  StringRef spec = adaptor.getSpec();
  if (spec.count(',') != 1 || spec.count("->") != 1)
    return inferenceError<ContractOp>(
        location, "expects 'spec' of the form \"mk,kn->mn\", but it is \"",
        spec, "\"");
  ContractSpec parts = ContractSpec::parse(spec);
  if (failed(
          checkLabels(location, "left operand", parts.lhs, lhs->getRank())) ||
      failed(
          checkLabels(location, "right operand", parts.rhs, rhs->getRank())) ||
      failed(checkLabels(location, "result", parts.result, -1)))
    return failure();
  Type element = lhs->getElementType();
  const bool isFloat8 =
      isFloat8Type(element) && isFloat8Type(rhs->getElementType());
  if (element != rhs->getElementType() && !isFloat8)
    return inferenceError<ContractOp>(
        location, "expects operands of one element type, but they are ",
        lhs->getElementType(), " and ", rhs->getElementType());

  Sizes lhsSizes = getSizes(*lhs), rhsSizes = getSizes(*rhs);
  for (auto [index, label] : llvm::enumerate(parts.lhs)) {
    size_t other = parts.rhs.find(label);
    if (other == StringRef::npos) {
      if (!parts.result.contains(label))
        return inferenceError<ContractOp>(
            location, "expects label '", Twine(label),
            "', which is in the left operand only, in the result of \"", spec,
            "\"");
      continue;
    }
    if (lhsSizes[index] != rhsSizes[other])
      return inferenceError<ContractOp>(
          location, "expects one size for label '", Twine(label),
          "', but it is ", lhsSizes[index].str(), " in the left operand and ",
          rhsSizes[other].str(), " in the right one");
  }
  for (char label : parts.rhs)
    if (!parts.lhs.contains(label) && !parts.result.contains(label))
      return inferenceError<ContractOp>(
          location, "expects label '", Twine(label),
          "', which is in the right operand only, in the result of \"", spec,
          "\"");

  Sizes sizes;
  for (char label : parts.result) {
    if (size_t index = parts.lhs.find(label); index != StringRef::npos)
      sizes.push_back(lhsSizes[index]);
    else if (size_t index = parts.rhs.find(label); index != StringRef::npos)
      sizes.push_back(rhsSizes[index]);
    else
      return inferenceError<ContractOp>(
          location, "expects label '", Twine(label),
          "' of the result in an operand of \"", spec, "\"");
  }
  results.push_back(
      tc::getTensorType(sizes, isFloat8 ? Float32Type::get(context) : element));
  return success();
}

LogicalResult ContractOp::verify() { return verifyInference(*this); }

//===----------------------------------------------------------------------===//
// ConvolutionOp
//===----------------------------------------------------------------------===//

/// Checks operands and lists of a convolution against each other.
static LogicalResult checkConvolution(std::optional<Location> location,
                                      ConvolutionOp::Adaptor adaptor,
                                      RankedTensorType x,
                                      RankedTensorType weight) {
  int64_t spatialRank = x.getRank() - 2;
  if (spatialRank < 1 || spatialRank > 3)
    return inferenceError<ConvolutionOp>(
        location, "expects 'x' of rank 3 to 5, but its rank is ", x.getRank());
  if (weight.getRank() != x.getRank())
    return inferenceError<ConvolutionOp>(
        location, "expects 'weight' of the rank of 'x', ", x.getRank(),
        ", but its rank is ", weight.getRank());
  if (x.getElementType() != weight.getElementType())
    return inferenceError<ConvolutionOp>(
        location, "expects operands of one element type, but they are ",
        x.getElementType(), " and ", weight.getElementType());
  if (failed(checkSpatialList<ConvolutionOp>(
          location, "stride", adaptor.getStride(), spatialRank, 1)) ||
      failed(checkSpatialList<ConvolutionOp>(
          location, "padding", adaptor.getPadding(), spatialRank, 0)) ||
      failed(checkSpatialList<ConvolutionOp>(
          location, "dilation", adaptor.getDilation(), spatialRank, 1)))
    return failure();
  ArrayRef<int64_t> outputPadding = adaptor.getOutputPadding();
  if (!outputPadding.empty()) {
    if (!adaptor.getTransposed())
      return inferenceError<ConvolutionOp>(
          location, "expects 'output_padding' only with 'transposed'");
    if (failed(checkSpatialList<ConvolutionOp>(location, "output_padding",
                                               outputPadding, spatialRank, 0)))
      return failure();
  }
  int64_t groups = adaptor.getGroups();
  if (groups < 1)
    return inferenceError<ConvolutionOp>(
        location, "expects 'groups' of at least 1, but it is ", groups);
  Sizes xSizes = getSizes(x), weightSizes = getSizes(weight);
  SizeExpr channels =
      adaptor.getTransposed() ? weightSizes[0] : weightSizes[1].mul(groups);
  if (xSizes[1] != channels)
    return inferenceError<ConvolutionOp>(
        location, "expects 'x' to have the ", channels.str(),
        " channels that 'weight' and 'groups' imply, but it has ",
        xSizes[1].str());
  return success();
}

/// Every spatial dimension has an output.
static SmallVector<SizePrecondition>
getOutputPreconditions(ArrayRef<SizeExpr> resultSizes) {
  SmallVector<SizePrecondition> conditions;
  for (auto [axis, count] : llvm::enumerate(resultSizes.drop_front(2)))
    conditions.push_back(SizePrecondition::atLeast(
        "the number of outputs along spatial dimension " + Twine(axis), count,
        1));
  return conditions;
}

LogicalResult ConvolutionOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<ConvolutionOp>(location, operands, 0, "x");
  auto weight =
      getTensorOperand<ConvolutionOp>(location, operands, 1, "weight");
  if (failed(x) || failed(weight) ||
      failed(checkConvolution(location, adaptor, *x, *weight)))
    return failure();

  Sizes xSizes = getSizes(*x), weightSizes = getSizes(*weight);
  bool transposed = adaptor.getTransposed();
  ArrayRef<int64_t> outputPadding = adaptor.getOutputPadding();
  Sizes sizes = {xSizes[0], transposed ? weightSizes[1].mul(adaptor.getGroups())
                                       : weightSizes[0]};
  for (int64_t axis = 0; axis < x->getRank() - 2; ++axis) {
    SizeExpr in = xSizes[axis + 2];
    int64_t stride = adaptor.getStride()[axis];
    int64_t padding = adaptor.getPadding()[axis];
    // The kernel's extent, less one.
    SizeExpr reach =
        weightSizes[axis + 2].add(-1).mul(adaptor.getDilation()[axis]);
    SizeExpr out;
    if (transposed)
      out = in.add(-1).mul(stride).add(reach).add(
          1 - 2 * padding + (outputPadding.empty() ? 0 : outputPadding[axis]));
    else
      out = in.add(2 * padding).sub(reach).add(-1).floorDiv(stride).add(1);
    sizes.push_back(out);
  }
  if (failed(checkPreconditions<ConvolutionOp>(location,
                                               getOutputPreconditions(sizes))))
    return failure();
  results.push_back(tc::getTensorType(sizes, x->getElementType()));
  return success();
}

LogicalResult ConvolutionOp::verify() { return verifyInference(*this); }

SmallVector<SizePrecondition> ConvolutionOp::getSizePreconditions() {
  SmallVector<SizePrecondition> conditions =
      getOutputPreconditions(getSizes(getResult().getType()));
  conditions.push_back(SizePrecondition::multipleOf(
      "size 0 of 'weight'", getSizes(getWeight().getType())[0], "'groups'",
      getGroups()));
  return conditions;
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ContractionOps.cpp.inc"
