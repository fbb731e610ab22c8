//===- GuardParser.h - Guards of an archive, parsed -------------*- C++ -*-===//

#ifndef TC_FRONTEND_PT2_GUARDPARSER_H
#define TC_FRONTEND_PT2_GUARDPARSER_H

#include "TC/Frontend/PT2/Expression.h"

namespace tc::pt2 {

/// Parses one line of `guards_code`: a Python condition over sizes, strides
/// and scalar values of the inputs, such as "L['x'].size()[0] % 2 == 0". Paths
/// are kept in Python's notation: "L['x'][0]".
llvm::Expected<Expression> parseGuard(llvm::StringRef text);

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_GUARDPARSER_H
