//===- GraphImporter.cpp - Captured graphs as tc.aten calls ---------------===//

#include "GraphImporter.h"

#include "ImportTypes.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TensorAliases.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

LogicalResult GraphImporter::importNodes(Scope &scope) {
  for (const Node &node : scope.graph->nodes) {
    tensors.setScope(node, scope);
    if (failed(importNode(scope, node)))
      return failure();
  }
  return success();
}

LogicalResult GraphImporter::importNode(Scope &scope, const Node &node) {
  StringRef name = node.name;
  if (name.empty() && !node.outputs.empty())
    name = node.outputs.front().text;
  Location location =
      convertLocation(node.stackTrace, name, calls.getContext());
  bool symbolic = !node.outputs.empty() &&
                  llvm::all_of(node.outputs, [](const Argument &output) {
                    return output.kind == ArgumentKind::SymInt ||
                           output.kind == ArgumentKind::SymFloat ||
                           output.kind == ArgumentKind::SymBool;
                  });
  StringRef target = node.target;
  if (symbolic && !target.starts_with("torch.ops.higher_order."))
    return importSizes(scope, node, location);
  if (target.starts_with("torch._functorch.predispatch."))
    return batches.importLevel(scope, node, location);
  if (target.starts_with("torch.ops.higher_order."))
    return importHigherOrder(scope, node, location);
  if (node.outputs.empty())
    return importCheck(scope, node, location);
  return importCall(scope, node, location);
}

LogicalResult GraphImporter::importHigherOrder(Scope &scope, const Node &node,
                                               Location location) {
  StringRef name = node.target;
  name.consume_front("torch.ops.higher_order.");
  if (name == "wrap_with_set_grad_enabled" || name == "wrap_with_autocast")
    return regions.importInlined(scope, node, location);
  if (name == "cond")
    return regions.importCond(scope, node, location);
  if (name == "scan")
    return unrolledLoops.import(scope, node, name, location);
  if (name == "map_impl")
    return unrolledLoops.import(scope, node, "map", location);
  if (name == "while_loop")
    return whileLoops.import(scope, node, location);
  return emitError(location)
         << "higher-order operator '" << name
         << "' is not supported; expected torch.cond, while_loop, scan, "
            "map, torch.no_grad or autocast, unroll or remove it before the "
            "export";
}

/// Arithmetic on sizes: the archive holds each result as an expression, so the
/// calls themselves vanish, unless they read the elements of a tensor.
LogicalResult GraphImporter::importSizes(Scope &scope, const Node &node,
                                         Location location) {
  StringRef target = node.target;
  if (!target.starts_with("torch.ops.aten.") ||
      target.contains("aten.sym_size.") || target.contains("aten.sym_numel.") ||
      target.contains("aten.sym_stride.") ||
      target.contains("aten.sym_storage_offset."))
    return success();
  if (target.contains("aten.item.") ||
      target.contains("aten._local_scalar_dense."))
    return importItem(scope, node, location);
  return emitError(location)
         << "'" << target
         << "' makes a size or a number from the elements of a tensor, which "
            "is not supported; keep the value in a tensor, or leave this part "
            "of the model out of the export";
}

/// The one element of a tensor as a number: an integer has a symbol, which the
/// element defines; the symbol of a float or bool stands for a 0-d tensor.
LogicalResult GraphImporter::importItem(Scope &scope, const Node &node,
                                        Location location) {
  StringRef overload = node.target;
  overload.consume_front("torch.ops.aten.");
  Call call{overload.str(), location, {}, {}};
  if (failed(
          calls.addArguments(scope, call, node, findOperatorSchema(overload))))
    return failure();
  const Argument &output = node.outputs.front();
  const Expression *expression = findExpression(scope, output);
  if (call.inputs.size() != 1 || !expression)
    return emitError(location) << "the value of '" << output.text
                               << "' is missing; the archive is damaged, "
                                  "export it again";
  Type element =
      cast<RankedTensorType>(call.inputs[0].getType()).getElementType();
  if (isa<FloatType>(element))
    element = builder.getF64Type();
  else if (!element.isInteger(1))
    element = builder.getI64Type();
  Value value =
      calls.createCall(call, RankedTensorType::get({}, element)).front();
  if (output.kind == ArgumentKind::SymBool)
    return numbers.defineTruth(*expression, value, location);
  if (output.kind != ArgumentKind::SymInt) {
    numbers.setNumber(*expression, value);
    return success();
  }
  return numbers.defineInteger(scope, output, value, location);
}

/// Calls without a result only check something: what they say of sizes becomes
/// a guard, what the types already say vanishes.
LogicalResult GraphImporter::importCheck(Scope &scope, const Node &node,
                                         Location location) {
  StringRef target = node.target;
  target.consume_front("torch.ops.");
  if (target.starts_with("aten._assert_tensor_metadata") ||
      target.starts_with("aten.sym_constrain_range") ||
      target.starts_with("aten._assert_async"))
    return success();
  if (!target.starts_with("aten._assert_scalar"))
    return emitError(location)
           << "'" << target << "' has no result and is not supported";
  const Argument *condition = findArgument(node, "self");
  if (!condition || condition->kind != ArgumentKind::SymBool)
    return success();
  auto found = scope.graph->symbolicValues.find(condition->text);
  if (found == scope.graph->symbolicValues.end())
    return success();
  SizeExpr expr = convertCondition(found->second, calls.getContext());
  if (!expr || (expr.isConstant() && expr.getValue() >= 0))
    return success();
  // Where a view begins is known when it is made, and checked there.
  bool isKnown = true;
  expr.walkSymbols([&](StringRef name) {
    isKnown &= !isDataDependent(name) || numbers.hasSymbol(name);
  });
  if (!isKnown)
    return success();
  int64_t maximum = INT64_MAX;
  if (found->second.kind == ExpressionKind::Equal) {
    // A difference of 0 reads better than a square that is not positive.
    expr = convertSize(found->second.operands[0], calls.getContext())
               .sub(convertSize(found->second.operands[1], calls.getContext()));
    maximum = 0;
  }
  GuardOp::create(builder, location, GuardKind::Scalar, ValueRange(),
                  IntegerAttr(), Attribute(), expr,
                  builder.getI64IntegerAttr(0),
                  builder.getI64IntegerAttr(maximum), IntegerAttr(),
                  builder.getStringAttr(found->second.str()));
  return success();
}

LogicalResult GraphImporter::importCall(Scope &scope, const Node &node,
                                        Location location) {
  StringRef overload = node.target;
  overload.consume_front("torch.ops.");
  bool isAten = overload.consume_front("aten.");
  const OperatorSchema *schema = findOperatorSchema(overload);
  if (!isAten && !schema) {
    return emitError(location)
           << "'" << overload
           << "' is no operator of ATen and is not supported; replace it, or "
              "decompose it with run_decompositions() before the export";
  }
  if (BatchImporter::hasLevels(scope, node))
    return batches.importCall(scope, node, schema, overload, location);
  if (schema && schema->mutates())
    return mutations.import(scope, node, *schema, location);
  SmallVector<Type> types;
  Call call{overload.str(), location, {}, {}};
  if (failed(checkStrided(scope, node, overload, location)) ||
      failed(getResultTypes(scope, node, location, types)) ||
      failed(calls.addArguments(scope, call, node, schema)))
    return failure();
  ValueRange results = calls.createCall(call, types);
  for (auto [index, name] : llvm::enumerate(getResultNames(node.outputs))) {
    TensorEntry *entry = tensors.add(results[index]);
    scope.tensors[name] = entry;
    TensorEntry *base =
        schema ? findBase(scope, node, *schema, index, calls.getContext())
               : nullptr;
    if (!base)
      continue;
    entry->base = base;
    entry->storage = base->storage;
    entry->version = base->storage->version;
    entry->view = &node;
    entry->resultIndex = index;
  }
  return success();
}

} // namespace tc::pt2
