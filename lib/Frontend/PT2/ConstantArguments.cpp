//===- ConstantArguments.cpp - Constants of calls as attributes -----------===//

#include "TC/Frontend/PT2/ConstantArguments.h"

using namespace mlir;

namespace tc::pt2 {

Attribute convertConstant(const Argument &argument, bool wantsReal,
                          Builder &builder) {
  switch (argument.kind) {
  case ArgumentKind::None:
    return builder.getUnitAttr();
  case ArgumentKind::Int:
    if (wantsReal)
      return builder.getF64FloatAttr(static_cast<double>(argument.integer));
    return builder.getI64IntegerAttr(argument.integer);
  case ArgumentKind::Float:
    return builder.getF64FloatAttr(argument.real);
  case ArgumentKind::Bool:
    return builder.getBoolAttr(argument.integer);
  case ArgumentKind::String:
    return builder.getStringAttr(argument.text);
  case ArgumentKind::Layout:
    return builder.getI64IntegerAttr(argument.integer);
  case ArgumentKind::Device:
    return builder.getStringAttr(
        argument.device.index ? argument.device.type + ":" +
                                    std::to_string(*argument.device.index)
                              : argument.device.type);
  case ArgumentKind::List: {
    SmallVector<Attribute> elements;
    for (const Argument &element : argument.elements) {
      elements.push_back(convertConstant(element, wantsReal, builder));
      if (!elements.back())
        return {};
    }
    return builder.getArrayAttr(elements);
  }
  default:
    return {};
  }
}

} // namespace tc::pt2
