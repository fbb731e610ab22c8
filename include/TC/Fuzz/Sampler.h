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

/// What an argument holds.
struct InputSpec {
  mlir::RankedTensorType type = nullptr;
  /// Indices below this size; null for any numbers.
  SizeExpr limit = nullptr;
  /// Whether indices may also count from the end.
  bool mayBeNegative = false;
  /// Whether it is without NaN, infinities and the like.
  bool isOrdinary = false;
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
};

/// A function, and what calls of it need.
struct SampledFunction {
  mlir::func::FuncOp function;
  llvm::SmallVector<InputSpec> inputs;
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
    return sizes(unsigned(random.between(low, high)));
  }
  /// A static size of at least 1.
  int64_t smallSize(int64_t largest) { return random.between(1, largest); }

  /// Numbers of this type. An `exact` operand is no result of rounding, so an
  /// op that is not continuous has one right result.
  mlir::Value operand(mlir::Type element, llvm::ArrayRef<SizeExpr> sizes,
                      bool exact = false);
  /// i64 or i32 indices below `limit`.
  mlir::Value indices(llvm::ArrayRef<SizeExpr> sizes, SizeExpr limit,
                      bool mayBeNegative);

  /// Whether arguments made from now on hold ordinary numbers only: where an op
  /// does not say what becomes of an infinity.
  bool ordinary = false;

  /// Makes an op; drops it and fails when it does not verify. Its results are
  /// returned by the function, and operands of ops to come.
  template <typename OpTy, typename... Args> bool add(Args &&...args) {
    return keep(OpTy::create(builder, loc, std::forward<Args>(args)...));
  }
  bool keep(mlir::Operation *op);

  /// Ends the function: it returns every result that is kept.
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
  void declareSymbols();

  SampledFunction result;
  llvm::SmallVector<mlir::Value> kept;
  llvm::DenseSet<mlir::Value> rounded;
};

/// How to sample one op.
struct Recipe {
  /// Fails, leaving no op of that name, where the op does not take the
  /// sampler's element type.
  bool (*build)(Sampler &sampler);
};

/// The recipe of an op of the dialect, or null. Elementwise ops, which are rows
/// of one table, share one that finds out what they take.
const Recipe *findRecipe(llvm::StringRef opName);

/// Adds an elementwise op by name on operands of one type.
bool sampleElementwise(Sampler &sampler, mlir::OperationName name);

/// Why an op has no recipe: empty when it should have one.
llvm::StringRef getExemption(mlir::RegisteredOperationName name);

/// The ops that can be sampled, by name.
llvm::SmallVector<mlir::RegisteredOperationName>
getSampledOps(mlir::MLIRContext *context);

/// Samples op `name`, whatever its kind.
bool sampleOp(Sampler &sampler, mlir::RegisteredOperationName name);

/// Adds `steps` norms, softmaxes, statistics over some dimensions and
/// elementwise ops, each on the result of the one before. Fails where the
/// sampler's element type is no float.
bool addRowChain(Sampler &sampler, int64_t steps);

} // namespace tc::fuzz

#endif // TC_FUZZ_SAMPLER_H
