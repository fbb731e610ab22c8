//===- RegionBindings.cpp - Text of region arguments ----------------------===//

#include "RegionBindings.h"

using namespace mlir;

ParseResult
tc::parseBindings(OpAsmParser &parser, StringRef keyword,
                  SmallVectorImpl<OpAsmParser::Argument> &arguments,
                  SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parser.parseCommaSeparatedList(
      OpAsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::Argument &argument = arguments.emplace_back();
        if (failed(parser.parseArgument(argument)) ||
            failed(parser.parseEqual()) ||
            failed(parser.parseOperand(operands.emplace_back())))
          return failure();
        return parser.parseColonType(argument.type);
      });
}

void tc::printBindings(OpAsmPrinter &printer, StringRef keyword,
                       ValueRange arguments, ValueRange operands) {
  if (operands.empty())
    return;
  printer << " " << keyword << "(";
  llvm::interleaveComma(
      llvm::zip_equal(arguments, operands), printer, [&](auto pair) {
        auto [argument, operand] = pair;
        printer << argument << " = " << operand << " : " << argument.getType();
      });
  printer << ")";
}
