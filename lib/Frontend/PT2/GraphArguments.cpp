//===- GraphArguments.cpp - Arguments and results of calls ----------------===//

#include "GraphArguments.h"

#include "ImportTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::pt2 {

llvm::SmallVector<StringRef> getResultNames(ArrayRef<Argument> outputs) {
  SmallVector<StringRef> names;
  for (const Argument &output : outputs) {
    if (output.kind == ArgumentKind::Tensor)
      names.push_back(output.text);
    else if (output.kind == ArgumentKind::List)
      names.append(getResultNames(output.elements));
  }
  return names;
}

const Argument *findArgument(const Node &node, StringRef name) {
  for (const NamedArgument &input : node.inputs)
    if (input.name == name)
      return &input.value;
  return nullptr;
}

const Expression *findExpression(const Scope &scope, const Argument &argument) {
  auto found = scope.graph->symbolicValues.find(argument.text);
  return found == scope.graph->symbolicValues.end() ? nullptr : &found->second;
}

LogicalResult getResultTypes(const Scope &scope, const Node &node,
                             Location location, SmallVectorImpl<Type> &types) {
  for (StringRef name : getResultNames(node.outputs)) {
    auto meta = scope.graph->tensorValues.find(name);
    if (meta == scope.graph->tensorValues.end())
      return emitError(location)
             << "the type of value '" << name
             << "' is missing; the archive is damaged, export it again";
    RankedTensorType type = convertTensorType(meta->second, name, location);
    if (!type)
      return failure();
    types.push_back(type);
  }
  return success();
}

} // namespace tc::pt2
