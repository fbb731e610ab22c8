//===- AtenArguments.h - arguments of a captured call -----------*- C++ -*-===//
//
// The arguments of a tc.aten op by name, checked against the overload's schema
// beforehand. A value that has to be constant and is not is refused: an error
// is emitted, a default returned, and hasFailed() holds from then on.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_ATENARGUMENTS_H
#define TC_LIB_CONVERSION_ATENTOTC_ATENARGUMENTS_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Frontend/PT2/OperatorSchema.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/Twine.h"

#include <optional>

namespace tc::aten {

class AtenArguments {
public:
  AtenArguments(AtenOp op, const pt2::OperatorSchema &schema)
      : location(op.getLoc()), op(op), schema(schema) {}

  /// Checks every argument against the schema and fills in defaults; emits an
  /// error for one of the wrong kind. The accessors below rely on it.
  mlir::LogicalResult prepare();

  mlir::MLIRContext *getContext() const { return location.getContext(); }
  const pt2::OperatorSchema &getSchema() const { return schema; }
  /// "aten.add.Tensor"
  llvm::StringRef getTarget() { return op.getTarget(); }

  /// Whether the overload has an argument of this name.
  bool hasArgument(llvm::StringRef name) const {
    return llvm::any_of(schema.arguments, [&](const auto &argument) {
      return argument.name == name;
    });
  }
  mlir::Attribute getArgument(llvm::StringRef name) const;
  bool isNone(llvm::StringRef name) const;
  int64_t getInteger(llvm::StringRef name);
  std::optional<int64_t> getOptionalInteger(llvm::StringRef name);
  /// A list; a single number is a list of one, None the empty list.
  llvm::SmallVector<int64_t> getIntegers(llvm::StringRef name);
  /// The same, with a single number repeated `count` times.
  llvm::SmallVector<int64_t> getIntegers(llvm::StringRef name, size_t count);
  SizeExpr getSize(llvm::StringRef name);
  Sizes getSizeList(llvm::StringRef name);
  double getReal(llvm::StringRef name);
  bool getBool(llvm::StringRef name);
  llvm::StringRef getString(llvm::StringRef name);
  /// The element type of a dtype argument; null for None.
  mlir::Type getDType(llvm::StringRef name);
  /// A dimension of a tensor of `rank`, counted from the front.
  int64_t getDim(llvm::StringRef name, int64_t rank);
  /// Dimensions, counted from the front, sorted; all of them for None and,
  /// with `emptyIsAll`, for the empty list.
  llvm::SmallVector<int64_t> getDims(llvm::StringRef name, int64_t rank,
                                     bool emptyIsAll = true);

  bool hasFailed() const { return failed; }
  /// Refuses the call: "'aten.x' is not supported with <reason>".
  mlir::LogicalResult refuse(const llvm::Twine &reason);

  mlir::Location location;

private:
  mlir::LogicalResult checkArgument(const pt2::SchemaValue &declared,
                                    mlir::Attribute &value);
  std::optional<int64_t> readInteger(llvm::StringRef name,
                                     mlir::Attribute value);

protected:
  AtenOp op;
  const pt2::OperatorSchema &schema;
  mlir::NamedAttrList arguments;
  bool failed = false;
};

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_ATENARGUMENTS_H
