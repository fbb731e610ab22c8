//===- TableRows.cpp - Rows of the elementwise table ----------------------===//

#include "TableRows.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstdlib>

namespace tc::test {

std::vector<Row> readRows() {
  auto buffer = llvm::MemoryBuffer::getFile(TC_ELEMENTWISE_ROWS);
  std::vector<Row> rows;
  if (!buffer)
    return rows;
  auto value = llvm::json::parse((*buffer)->getBuffer());
  if (!value) {
    llvm::consumeError(value.takeError());
    return rows;
  }
  const char *only = std::getenv("TC_TEST_ONLY");
  llvm::SmallVector<llvm::StringRef> wanted;
  llvm::SplitString(only ? only : "", wanted, ",");
  for (const llvm::json::Value &entry : *value->getAsArray()) {
    const llvm::json::Object &object = *entry.getAsObject();
    Row row;
    row.name = object.getString("name")->str();
    if (object.getString("reference")->empty())
      continue;
    if (only &&
        !llvm::is_contained(wanted, llvm::StringRef(row.name).drop_front(3)))
      continue;
    row.operandCount = *object.getInteger("operands");
    row.isPredicate = *object.getBoolean("predicate");
    for (const llvm::json::Value &kind : *object.getArray("kinds"))
      row.kinds.push_back(kind.getAsString()->str());
    row.low = *(*object.getArray("sample"))[0].getAsNumber();
    row.high = *(*object.getArray("sample"))[1].getAsNumber();
    row.ulp = *object.getNumber("ulp");
    rows.push_back(row);
  }
  return rows;
}

} // namespace tc::test
