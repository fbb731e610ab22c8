//===- Einsum.cpp - sums of products by an equation -----------------------===//

#include "AtenTable.h"

#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace tc;

namespace tc::aten {

namespace {
/// A tensor of an einsum and the labels of its dimensions.
struct Labelled {
  Value value;
  std::string labels;
};
} // namespace

/// Sums away labels that neither the result nor another operand has.
static void sumUnused(AtenCall &call, Labelled &x, StringRef needed) {
  SmallVector<int64_t> dims;
  std::string kept;
  for (auto [index, label] : llvm::enumerate(x.labels)) {
    if (needed.contains(label))
      kept += label;
    else
      dims.push_back(index);
  }
  x.value = call.reduce(ReductionKind::Sum, x.value, dims);
  x.labels = kept;
}

/// The equation with letters of its own for the dimensions of '...',
/// aligned at the last; empty when the ranks do not fit.
static std::string expandEllipsis(StringRef equation, ArrayRef<Labelled> xs) {
  std::string text, free;
  for (char c : equation)
    if (c != ' ')
      text += c;
  if (!StringRef(text).contains("..."))
    return text;
  for (char c = 'A'; c <= 'z'; ++c)
    if (llvm::isAlpha(c) && !StringRef(text).contains(c))
      free += c;
  auto [operands, result] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  operands.split(parts, ',');
  if (parts.size() != xs.size())
    return "";
  std::string expanded, labels;
  for (auto [x, part] : llvm::zip(xs, parts)) {
    auto [front, back] = part.split("...");
    int64_t count = rankOf(x.value) - int64_t(front.size() + back.size());
    if (count < 0 || count > int64_t(free.size()))
      return "";
    std::string hidden = free.substr(free.size() - count);
    if (!part.contains("..."))
      hidden = "";
    if (hidden.size() > labels.size())
      labels = hidden;
    expanded += (expanded.empty() ? "" : ",") + (front + hidden + back).str();
  }
  std::string wanted = result.str();
  if (text.find("->") == std::string::npos) {
    // The dimensions of '...', then the labels used once, in order.
    wanted = "...";
    for (char c = 'A'; c <= 'z'; ++c)
      if (llvm::isAlpha(c) && operands.count(c) == 1)
        wanted += c;
  }
  auto [front, back] = StringRef(wanted).split("...");
  bool keeps = StringRef(wanted).contains("...");
  return expanded + "->" + (front + (keeps ? labels : "") + back).str();
}

/// Takes the diagonal where an operand has a label twice.
static void takeDiagonals(AtenCall &call, Labelled &x) {
  for (size_t first = 0; first < x.labels.size(); ++first) {
    size_t second = x.labels.find(x.labels[first], first + 1);
    if (second == std::string::npos)
      continue;
    Sizes sizes = sizesOf(x.value);
    Value index = call.iota(sizes[first], 0);
    sizes.erase(sizes.begin() + second);
    x.value = IndexOp::create(
        call.builder, call.location, getTensorType(sizes, elementOf(x.value)),
        x.value, ValueRange{index, index},
        ArrayRef<int64_t>{int64_t(first), int64_t(second)});
    x.labels.erase(second, 1);
    --first; // it may be there a third time
  }
}

/// Drops dimensions of size 1 whose label is larger elsewhere: they are
/// repeated.
static void dropRepeated(AtenCall &call, MutableArrayRef<Labelled> xs) {
  std::map<char, bool> isLarger;
  for (const Labelled &x : xs)
    for (auto [label, size] : llvm::zip(x.labels, sizesOf(x.value)))
      isLarger[label] |= !size.isConstant(1);
  for (Labelled &x : xs) {
    std::string labels;
    Sizes kept;
    for (auto [label, size] : llvm::zip(x.labels, sizesOf(x.value)))
      if (!size.isConstant(1) || !isLarger[label]) {
        labels += label;
        kept.push_back(size);
      }
    if (labels.size() != x.labels.size())
      x = {call.reshape(x.value, kept), labels};
  }
}

/// The labels of each operand and of the result; false for a form that is not
/// supported.
static bool parseEquation(StringRef equation, SmallVectorImpl<Labelled> &xs,
                          std::string &result) {
  std::string text = expandEllipsis(equation, xs);
  auto [operands, explicitResult] = StringRef(text).split("->");
  SmallVector<StringRef> parts;
  operands.split(parts, ',');
  if (parts.size() != xs.size() || text.find('.') != std::string::npos)
    return false;
  std::map<char, int> uses;
  for (auto [x, part] : llvm::zip(xs, parts)) {
    x.labels = part.str();
    if (static_cast<int64_t>(part.size()) != rankOf(x.value))
      return false;
    for (char label : part)
      ++uses[label];
  }
  result = explicitResult.str();
  if (text.find("->") == std::string::npos)
    for (auto [label, count] : uses) // labels used once, in order
      if (count == 1)
        result += label;
  return llvm::all_of(result, [&](char label) {
    return uses.count(label) && StringRef(result).count(label) == 1;
  });
}

// Pattern: aten.einsum(equation, [x, y]) -> tc.contract, or a reduce and
// transpose
static LogicalResult convertEinsum(AtenCall &call) {
  SmallVector<Labelled> xs;
  for (Value tensor : call.getTensors("tensors"))
    xs.push_back({tensor, ""});
  std::string result;
  StringRef equation = call.getString("equation");
  if (xs.empty() || !parseEquation(equation, xs, result))
    return call.refuse("the equation '" + equation +
                       "'; expected a label for each dimension, and those of "
                       "the result once, each in an operand");
  for (Labelled &x : xs)
    takeDiagonals(call, x);
  dropRepeated(call, xs);
  while (true) {
    std::string needed = result;
    for (const Labelled &x : llvm::drop_begin(xs))
      needed += x.labels;
    sumUnused(call, xs.front(), needed);
    if (xs.size() == 1)
      break;
    needed = result + xs[0].labels;
    for (const Labelled &x : llvm::drop_begin(xs, 2))
      needed += x.labels;
    sumUnused(call, xs[1], needed);
    std::string labels;
    for (char label : xs[0].labels + xs[1].labels) {
      bool isLater = result.find(label) != std::string::npos;
      for (const Labelled &x : llvm::drop_begin(xs, 2))
        isLater |= x.labels.find(label) != std::string::npos;
      if (isLater && labels.find(label) == std::string::npos)
        labels += label;
    }
    if (xs.size() == 2)
      labels = result;
    Value product =
        call.contract(xs[0].labels + "," + xs[1].labels + "->" + labels,
                      xs[0].value, xs[1].value);
    xs.erase(xs.begin());
    xs.front() = {product, labels};
  }
  SmallVector<int64_t> permutation;
  for (char label : result)
    permutation.push_back(xs.front().labels.find(label));
  return call.replace(call.transpose(xs.front().value, permutation));
}

void addEinsum(AtenTable &table) {
  table.add({"einsum.default"}, convertEinsum);
}

} // namespace tc::aten
