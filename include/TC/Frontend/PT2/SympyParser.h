//===- SympyParser.h - Expressions of sympy, parsed -------------*- C++ -*-===//

#ifndef TC_FRONTEND_PT2_SYMPYPARSER_H
#define TC_FRONTEND_PT2_SYMPYPARSER_H

#include "TC/Frontend/PT2/Expression.h"

namespace tc::pt2 {

/// Parses sympy's srepr as written into `expr_str` of a .pt2 archive. An error
/// names the text and the position at which it stopped making sense.
llvm::Expected<Expression> parseSympyExpression(llvm::StringRef text);

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_SYMPYPARSER_H
