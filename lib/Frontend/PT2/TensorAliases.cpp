//===- TensorAliases.cpp - Which results share memory with inputs ---------===//

#include "TensorAliases.h"

#include "ImportTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

/// Sizes or strides as expressions; null for those that are no integers.
static SmallVector<SizeExpr> convertSizes(ArrayRef<Expression> sizes,
                                          MLIRContext *context) {
  return llvm::map_to_vector(sizes, [&](const Expression &size) {
    return convertSize(size, context);
  });
}

/// Whether the elements are in row-major order without gaps.
static bool isContiguous(const TensorMeta &meta, MLIRContext *context) {
  SizeExpr expected = SizeExpr::constant(context, 1);
  for (size_t i = meta.sizes.size(); i-- > 0;) {
    SizeExpr size = convertSize(meta.sizes[i], context);
    SizeExpr stride = convertSize(meta.strides[i], context);
    if (!size || !stride || (!size.isConstant(1) && stride != expected))
      return false;
    expected = expected.mul(size);
  }
  return true;
}

LogicalResult checkStrided(const Scope &scope, const Node &node,
                           StringRef overload, Location location) {
  if (!overload.starts_with("as_strided"))
    return success();
  const Argument *self = findArgument(node, "self"),
                 *offset = findArgument(node, "storage_offset");
  auto meta = scope.graph->tensorValues.find(self ? self->text : "");
  if (meta != scope.graph->tensorValues.end() &&
      isContiguous(meta->second, location.getContext())) {
    SizeExpr start =
        convertSize(meta->second.storageOffset, location.getContext());
    bool isRelative = !offset || offset->kind == ArgumentKind::None;
    if (isRelative || (start && start.isConstant(0)))
      return success();
  }
  return emitError(location)
         << "'aten." << overload
         << "' of a tensor that is not laid out in row-major order from the "
            "start of its memory is not supported; make it contiguous()";
}

/// Whether two tensors of the same sizes have their elements in the same
/// places of their memory.
static bool haveSameStrides(const TensorMeta &one, const TensorMeta &other,
                            MLIRContext *context) {
  return llvm::all_of_zip(
      one.sizes, convertSizes(one.strides, context),
      convertSizes(other.strides, context),
      [&](const Expression &size, SizeExpr first, SizeExpr second) {
        SizeExpr count = convertSize(size, context);
        return (count && count.isConstant(1)) || (first && first == second);
      });
}

/// Whether a tensor takes other sizes without a copy. The rule is
/// computeStride in ATen/TensorUtils.cpp: dimensions whose strides nest are
/// taken together, and each such group must be one of the result's.
static bool canReshapeInPlace(const TensorMeta &from, const TensorMeta &to,
                              MLIRContext *context) {
  SmallVector<SizeExpr> sizes = convertSizes(from.sizes, context);
  SmallVector<SizeExpr> strides = convertSizes(from.strides, context);
  SmallVector<SizeExpr> results = convertSizes(to.sizes, context);
  if (!llvm::all_of(sizes, [](SizeExpr size) { return bool(size); }) ||
      !llvm::all_of(strides, [](SizeExpr size) { return bool(size); }) ||
      !llvm::all_of(results, [](SizeExpr size) { return bool(size); }))
    return false;
  size_t left = results.size();
  SizeExpr one = SizeExpr::constant(context, 1);
  SizeExpr elements = one, innerStride = one;
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (elements == one)
      innerStride = strides[dim];
    elements = elements.mul(sizes[dim]);
    bool isGroupEnd =
        dim == 0 || (!sizes[dim - 1].isConstant(1) &&
                     strides[dim - 1] != elements.mul(innerStride));
    if (!isGroupEnd)
      continue;
    SizeExpr found = one;
    while (left > 0 && (found != elements || results[left - 1].isConstant(1)))
      found = found.mul(results[--left]);
    if (found != elements)
      return false;
    elements = one;
  }
  return llvm::all_of(ArrayRef(results).take_front(left),
                      [](SizeExpr size) { return size.isConstant(1); });
}

/// Dropout that drops nothing returns its input, which its schema does not say.
static bool isIdleDropout(const Node &node, StringRef name) {
  if (!name.ends_with("dropout") || name.starts_with("native"))
    return false;
  const Argument *train = findArgument(node, "train");
  const Argument *probability = findArgument(node, "p");
  return (train && train->kind == ArgumentKind::Bool && !train->integer) ||
         (probability && probability->kind == ArgumentKind::Float &&
          probability->real == 0.0);
}

/// Whether a call that may copy its input does, `from` the input and `to` the
/// result.
static bool copies(const Node &node, StringRef name, const TensorMeta &from,
                   const TensorMeta &to, MLIRContext *context) {
  if (name == "reshape" || name == "reshape_as" || name == "flatten")
    return !canReshapeInPlace(from, to, context);
  if (name == "ravel")
    return !isContiguous(from, context);
  if (name == "contiguous")
    return !haveSameStrides(from, to, context);
  if (name != "to")
    return false;
  const Argument *copy = findArgument(node, "copy");
  return (copy && copy->integer) || from.dtype != to.dtype ||
         !haveSameStrides(from, to, context);
}

TensorEntry *findBase(const Scope &scope, const Node &node,
                      const OperatorSchema &schema, unsigned resultIndex,
                      MLIRContext *context) {
  StringRef name = StringRef(schema.name).split('.').first;
  const llvm::StringMap<TensorMeta> &metas = scope.graph->tensorValues;
  if (name == "meshgrid") { // each result is an expanded input
    const Argument *list = findArgument(node, "tensors");
    return list ? scope.tensors.lookup(list->elements[resultIndex].text)
                : nullptr;
  }
  bool isIdentity = isIdleDropout(node, name);
  if (!isIdentity && !schema.returnsView())
    return nullptr;
  for (const SchemaValue &declared : schema.arguments) {
    if ((declared.aliasSet.empty() && !isIdentity) || declared.isList)
      continue;
    const Argument *argument = findArgument(node, declared.name);
    if (!argument || argument->kind != ArgumentKind::Tensor)
      return nullptr;
    StringRef result = getResultNames(node.outputs)[resultIndex];
    auto from = metas.find(argument->text), to = metas.find(result);
    if (from == metas.end() || to == metas.end() ||
        copies(node, name, from->second, to->second, context))
      return nullptr;
    return scope.tensors.lookup(argument->text);
  }
  return nullptr;
}

} // namespace tc::pt2
