//===- Aliases.cpp - operators with another name --------------------------===//

#include "Aliases.h"
#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

namespace {
struct Alias {
  StringLiteral name, meaning;
};
} // namespace

/// Operators with the overloads, arguments and meaning of another one.
static constexpr Alias aliases[] = {
    {"absolute", "abs"},
    {"arccos", "acos"},
    {"arccosh", "acosh"},
    {"arcsin", "asin"},
    {"arcsinh", "asinh"},
    {"arctan", "atan"},
    {"arctan2", "atan2"},
    {"arctanh", "atanh"},
    {"fix", "trunc"},
    {"ger", "outer"},
    {"greater", "gt"},
    {"greater_equal", "ge"},
    {"less", "lt"},
    {"less_equal", "le"},
    {"linalg_matmul", "matmul"},
    {"moveaxis", "movedim"},
    {"negative", "neg"},
    {"not_equal", "ne"},
    {"special_erf", "erf"},
    {"special_erfc", "erfc"},
    {"special_erfinv", "erfinv"},
    {"special_exp2", "exp2"},
    {"special_expit", "sigmoid"},
    {"special_expm1", "expm1"},
    {"special_gammaln", "lgamma"},
    {"special_log1p", "log1p"},
    {"special_logit", "logit"},
    {"special_logsumexp", "logsumexp"},
};

std::string getMeaning(StringRef overload) {
  auto [name, variant] = overload.split('.');
  for (const Alias &alias : aliases)
    if (name == alias.name)
      return (alias.meaning + "." + variant).str();
  return overload.str();
}

void addAliases(AtenTable &table) {
  for (const Alias &alias : aliases)
    for (StringRef variant :
         {"default", "Tensor", "Scalar", "int", "intlist"}) {
      std::string overload = (alias.name + "." + variant).str();
      if (AtenConversion conversion = table.find(getMeaning(overload));
          conversion && pt2::findOperatorSchema(overload))
        table.add(overload, conversion);
    }
}

} // namespace tc::aten
