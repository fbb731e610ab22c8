//===- Aliases.h - other names of overloads ---------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_ALIASES_H
#define TC_LIB_CONVERSION_ATENTOTC_ALIASES_H

#include "AtenTable.h"

namespace tc::aten {

/// The overload of which `overload` is another name, or `overload` itself.
std::string getMeaning(llvm::StringRef overload);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_ALIASES_H
