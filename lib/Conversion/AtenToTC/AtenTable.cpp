//===- AtenTable.cpp - the conversion of each overload --------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

void AtenTable::add(StringRef overload, AtenConversion conversion) {
  auto [row, isNew] = conversions.try_emplace(overload, Row{conversion, theme});
  if (!isNew && error.empty())
    error = ("'" + overload + "' is converted by '" + row->second.theme +
             "' and by '" + theme + "'; leave it to one of them")
                .str();
}

void AtenTable::addOverRow(std::initializer_list<StringLiteral> overloads,
                           AtenConversion conversion) {
  for (StringRef overload : overloads) {
    Row &row = conversions[overload];
    StringRef below = row.conversion ? row.theme : StringRef("nothing");
    if (below != kElementwiseRows && error.empty())
      error = ("'" + overload + "' of '" + theme + "' is over '" + below +
               "', expected an elementwise row")
                  .str();
    row = {conversion, theme};
  }
}

void AtenTable::print(raw_ostream &os) const {
  SmallVector<std::pair<StringRef, StringRef>> lines;
  for (const auto &entry : conversions)
    lines.emplace_back(entry.getValue().theme, entry.getKey());
  llvm::sort(lines);
  for (auto [theme, overload] : lines)
    os << theme << ": " << overload << "\n";
}

} // namespace tc::aten
