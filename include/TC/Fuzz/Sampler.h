//===- Sampler.h - Functions of random ops ----------------------*- C++ -*-===//
//
// A sampler fills one function with ops of the dialect, one recipe an op, on
// operands that it makes up: arguments, views of arguments, earlier results.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FUZZ_SAMPLER_H
#define TC_FUZZ_SAMPLER_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringMap.h"

namespace tc::fuzz {

/// A generator of random numbers that is the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next();
  /// A number in [0, count).
  int64_t below(int64_t count) { return int64_t(next() % uint64_t(count)); }
  /// A number in [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + below(high - low + 1);
  }
  /// True in `percent` of 100 cases.
  bool chance(int64_t percent) { return below(100) < percent; }
  template <typename T> const T &pick(llvm::ArrayRef<T> choices) {
    return choices[below(choices.size())];
  }

private:
  uint64_t state;
};

/// The contents of an argument or a parameter.
struct InputSpec {
  mlir::RankedTensorType type = nullptr;
  /// Indices below this size; null for any numbers.
  SizeExpr limit = nullptr;
  /// Whether indices may also count from the end.
  bool mayBeNegative = false;
};

/// A symbolic size: what the function declares of it, and its value in calls.
struct SampledSymbol {
  std::string name;
  int64_t minimum = 1, maximum = 64, divisor = 1, value = 1;
};

struct SampleOptions {
  /// Element type of the ops; null for any.
  mlir::Type element = nullptr;
  /// Whether sizes may be expressions over symbols, or 0.
  bool symbolicSizes = false, emptySizes = false;
  /// Whether operands may be views (transposed, cut, repeated) of arguments.
  bool views = false;
  /// Percentage of operands that are earlier results where one fits.
  int64_t reuse = 0;
  /// Largest static size of a dimension.
  int64_t largestSize = 9;
  /// Whether nearly all ops are on tensors of the same sizes, of two or three
  /// dimensions, and on what remains when some are reduced.
  bool chain = false;
  /// Whether any element type may come, or the common ones only.
  bool allElements = false;
  /// Whether symbols may be 0, at the ends of their ranges, and multiples.
  bool extremeSymbols = false;
  /// Whether sizes may be such that an op has no answer, which is then an error
  /// of the call: slices beyond the end, more elements than there are.
  bool hazards = false;
  /// Percentage of arguments that are parameters of the module instead.
  int64_t parameters = 0;
  /// Percentage of results that the function returns although others are
  /// computed from them. What nothing else reads is always returned.
  int64_t returned = 100;
  /// Whether the function may check guards, return its arguments as they are,
  /// and mark results as new values of arguments.
  bool signatures = false;
};

/// A function, and how to make the arguments and parameters of its calls.
struct SampledFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<InputSpec> inputs;
  /// The contents of the declared parameters, in their order.
  std::vector<std::pair<std::string, InputSpec>> parameters;
  llvm::SmallVector<SampledSymbol> symbols;

  /// The symbol of this name, or null.
  const SampledSymbol *findSymbol(llvm::StringRef name) const;
  /// The value that a symbol has in calls; nothing for another name.
  std::optional<int64_t> valueOf(llvm::StringRef name) const;
};

class Sampler {
public:
  /// Starts function @`name` at the end of `module`.
  Sampler(mlir::ModuleOp module, llvm::StringRef name, uint64_t seed,
          const SampleOptions &options);

  /// The element type to sample with; in a function of many ops a new one at
  /// each call.
  mlir::Type element();
  mlir::Type i64() { return builder.getI64Type(); }

  SizeExpr constant(int64_t value);
  SizeExpr size(int64_t largest = 6);
  Sizes sizes(unsigned rank);
  /// Sizes of a rank in [low, high].
  Sizes sizes(unsigned low, unsigned high) {
    if (chainSizes.size() > low && chainSizes.size() <= high &&
        random.chance(90))
      return chainSizes;
    return sizes(unsigned(random.between(low, high)));
  }
  /// A static size of at least 1.
  int64_t smallSize(int64_t largest) { return random.between(1, largest); }

  /// Sizes that are above 0 for all values of the symbols, for ops that take
  /// one from among no elements. With hazards, some are left.
  Sizes nonEmpty(Sizes sizes);
  /// Whether the op that is made now may be one without an answer.
  bool isHazardous() { return options.hazards && random.chance(25); }

  /// Numbers of this type. An `exact` operand is rarely a result of rounding:
  /// of an op that is not continuous, more is known then.
  mlir::Value operand(mlir::Type element, llvm::ArrayRef<SizeExpr> sizes,
                      bool exact = false);
  /// i64 or i32 indices below `limit`.
  mlir::Value indices(llvm::ArrayRef<SizeExpr> sizes, SizeExpr limit,
                      bool mayBeNegative);

  /// Makes an op; drops it and fails when it does not verify, or when it, or
  /// what was made for it, takes more than kMostWork. Its results are returned
  /// by the function, and operands of ops to come.
  template <typename OpTy, typename... Args> bool add(Args &&...args) {
    return keep(OpTy::create(builder, loc, std::forward<Args>(args)...));
  }
  bool keep(mlir::Operation *op);

  /// Ends the function: it returns the results that are kept.
  SampledFunction finish();

  mlir::OpBuilder builder;
  mlir::Location loc;
  Random random;
  SampleOptions options;

private:
  mlir::Value argument(InputSpec spec);
  mlir::Value viewOf(mlir::Type element, llvm::ArrayRef<SizeExpr> sizes);
  mlir::Value findEarlier(mlir::Type element, llvm::ArrayRef<SizeExpr> sizes,
                          bool exact);
  /// Whether `op` or an operand that nothing else uses takes too long.
  bool isTooMuch(mlir::Operation *op) const;
  void dropUnused();
  llvm::SmallVector<mlir::Value> chooseResults();

  mlir::ModuleOp module;
  mlir::Type chainElement;
  Sizes chainSizes;
  SampledFunction result;
  llvm::SmallVector<mlir::Value> kept;
  llvm::DenseSet<mlir::Value> hazardous;
  llvm::DenseSet<mlir::Value> rounded;
};

} // namespace tc::fuzz

#endif // TC_FUZZ_SAMPLER_H
