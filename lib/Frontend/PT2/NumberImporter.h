//===- NumberImporter.h - Numbers that only the call knows ------*- C++ -*-===//
//
// The archive has an expression for the result of `item` of a float, and for
// arithmetic on it or on sizes that gives no integer. Here it is computed by
// ops on 0-d tensors of f64, which is what Python's floats are.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_FRONTEND_PT2_NUMBERIMPORTER_H
#define TC_LIB_FRONTEND_PT2_NUMBERIMPORTER_H

#include "GraphArguments.h"
#include "TC/Dialect/TC/IR/TCDialect.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/Support/SaveAndRestore.h"

#include <map>

namespace tc::pt2 {

/// The symbolic numbers of an archive and the values that they stand for.
class NumberImporter {
public:
  /// The values of numbers that a nested graph may add to.
  struct Values {
    /// The 0-d tensors that symbols of floats and bools stand for, by their
    /// text.
    llvm::StringMap<mlir::Value> numbers;
    /// The 0-d i64 tensors of the integer symbols that a region makes or a loop
    /// carries, by name: they are no sizes, as these are known in functions
    /// alone.
    llvm::StringMap<mlir::Value> integers;
  };

  explicit NumberImporter(mlir::OpBuilder &builder) : builder(builder) {}

  /// Takes the ranges of the archive's symbols, by name; the symbols that the
  /// importer makes itself are numbered after them.
  void setRanges(std::map<std::string, RangeConstraint> known);
  /// The range of a symbol of the archive, or of the importer's own.
  RangeConstraint getRange(llvm::StringRef symbol) const;

  /// A real number or truth value that the call computes, as a 0-d f64 or i1
  /// tensor; null for an expression that cannot be computed.
  mlir::Value makeNumber(const Expression &expression, mlir::Location location);
  /// The same for an integer, as a 0-d i64 tensor.
  mlir::Value makeInteger(const Expression &expression,
                          mlir::Location location);
  /// Whether an expression names an integer of the region around the builder.
  bool readsIntegers(const Expression &expression) const;

  /// Gives a symbolic float or bool its value, a 0-d tensor.
  void setNumber(const Expression &expression, mlir::Value value) {
    values.numbers[expression.str()] = value;
  }
  /// Gives the integer symbol that a region has as an input its value; the
  /// symbol of a size keeps the name it has in all graphs.
  void bindInteger(llvm::StringRef symbol, mlir::Value value);
  /// Gives the integer symbol that `output` is the value of an element: a
  /// definition that sizes may follow from, but in a region an operand alone.
  mlir::LogicalResult defineInteger(Scope &scope, const Argument &output,
                                    mlir::Value value, mlir::Location location);
  /// A truth value that a tensor holds; the export knows it, or has a symbol
  /// that is 1 where it is true.
  mlir::LogicalResult defineTruth(const Expression &truth, mlir::Value value,
                                  mlir::Location location);

  /// Notes the data-dependent symbols of the result of a call.
  void addSymbols(mlir::Type type);
  /// Whether a call or definition so far gives the data-dependent symbol.
  bool hasSymbol(llvm::StringRef symbol) const {
    return knownSymbols.contains(symbol);
  }

  /// Until the result is destroyed, the builder is in a region: values added
  /// meanwhile are forgotten then.
  [[nodiscard]] llvm::SaveAndRestore<Values> enterRegion() {
    return llvm::SaveAndRestore<Values>(values);
  }

private:
  mlir::Value makeCondition(const Expression &expression,
                            mlir::Location location);
  /// Has the call check that `value` is the number that the export took.
  void defineKnownNumber(int64_t number, mlir::Value value,
                         mlir::Location location);

  mlir::OpBuilder &builder;
  uint64_t nextSymbol = 0;
  llvm::StringSet<> knownSymbols; ///< data-dependent, made by a call so far
  std::map<std::string, RangeConstraint> ranges;
  Values values;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_NUMBERIMPORTER_H
