//===- JsonCursor.h - reading JSON with errors that say where ---*- C++ -*-===//
//
// llvm::json's ObjectMapper reports only literal messages; archives deserve
// the actual value and the path to it. A cursor is a value together with the
// way it was reached; reading with the wrong type records the first failure in
// the shared state and yields a default, so readers need no error plumbing.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_FRONTEND_PT2_JSONCURSOR_H
#define TC_LIB_FRONTEND_PT2_JSONCURSOR_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <vector>

namespace tc::pt2 {

/// State that the cursors of a document share: the first failure, and the steps
/// from the root to each value.
struct JsonReading {
  struct Step {
    const Step *parent;
    llvm::StringRef field; ///< empty for an element of an array
    size_t index;
  };
  llvm::SpecificBumpPtrAllocator<Step> steps;
  std::string failure;
};

class JsonCursor {
public:
  JsonCursor(const llvm::json::Value &value, JsonReading &reading)
      : value(&value), reading(&reading) {}

  /// A field of an object; reading a missing field fails unless optional.
  JsonCursor field(llvm::StringRef name) const;
  /// Whether the field exists and is not null.
  bool has(llvm::StringRef name) const;
  /// The only field of a tagged union, such as {"as_int": 3}.
  std::pair<llvm::StringRef, JsonCursor> tagged() const;

  bool isNull() const {
    return !value || value->kind() == llvm::json::Value::Null;
  }
  int64_t getInteger() const;
  double getReal() const;
  bool getBool() const;
  std::string getString() const;
  void forEach(llvm::function_ref<void(JsonCursor)> visit) const;
  void forEachField(
      llvm::function_ref<void(llvm::StringRef, JsonCursor)> visit) const;

  /// A list of what `read` makes of each element.
  template <typename Read> auto getList(Read read) const {
    std::vector<decltype(read(*this))> result;
    forEach([&](JsonCursor element) { result.push_back(read(element)); });
    return result;
  }

  /// Records `message` under this cursor's path, if it is the first.
  void fail(const llvm::Twine &message) const;

private:
  JsonCursor(const llvm::json::Value *value, const JsonCursor &parent,
             llvm::StringRef field, size_t index)
      : value(value), reading(parent.reading),
        step(new (reading->steps.Allocate())
                 JsonReading::Step{parent.step, field, index}) {}
  void failType(llvm::StringRef expected) const;

  const llvm::json::Value *value;
  JsonReading *reading;
  const JsonReading::Step *step = nullptr;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_JSONCURSOR_H
