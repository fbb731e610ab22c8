//===- CallImporter.h - Captured calls as tc.aten ---------------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_CALLIMPORTER_H
#define TC_LIB_FRONTEND_PT2_CALLIMPORTER_H

#include "NumberImporter.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Frontend/PT2/OperatorSchema.h"

namespace tc::pt2 {

/// A call under construction.
struct Call {
  std::string overload; ///< "add.Tensor"
  mlir::Location location;
  llvm::SmallVector<mlir::Value> inputs;
  mlir::NamedAttrList arguments;
  llvm::SmallVector<int64_t> numbers = {}; ///< inputs that are numbers
};

/// Makes calls where its builder stands: values and attributes of arguments,
/// the ops, and the values of tensors that views of written memory have.
class CallImporter {
public:
  CallImporter(mlir::OpBuilder &builder, TensorTable &tensors,
               NumberImporter &numbers)
      : builder(builder), tensors(tensors), numbers(numbers) {}

  mlir::OpBuilder &getBuilder() const { return builder; }
  mlir::MLIRContext *getContext() const { return builder.getContext(); }
  TensorTable &getTensors() const { return tensors; }
  NumberImporter &getNumbers() const { return numbers; }

  /// The up-to-date value of a tensor.
  mlir::Value read(TensorEntry *entry);
  /// The value of a graph output or argument that is a tensor or a size; null,
  /// without a diagnostic, for constants.
  mlir::FailureOr<mlir::Value> getValue(Scope &scope, const Argument &argument,
                                        mlir::Location location);
  /// The tensor that an argument is, or the 0-d i64 or i1 of a number; an error
  /// for others.
  mlir::FailureOr<mlir::Value> getNumberOrTensor(Scope &scope,
                                                 const Argument &argument,
                                                 mlir::Location location);
  /// The size a symbolic argument stands for, or null.
  SizeExpr getSize(Scope &scope, const Argument &argument);

  /// The attribute of an argument of the call, whose tensors become inputs.
  mlir::FailureOr<mlir::Attribute> convertArgument(Scope &scope, Call &call,
                                                   const Argument &argument,
                                                   const SchemaValue *schema);
  /// Adds every argument of the overload: those the call gives, then defaults.
  mlir::LogicalResult addArguments(Scope &scope, Call &call, const Node &node,
                                   const OperatorSchema *schema);
  mlir::ValueRange createCall(Call &call, mlir::TypeRange resultTypes);
  /// A call of one result whose arguments are all given.
  mlir::Value createPlainCall(
      llvm::StringRef overload, mlir::ValueRange inputs,
      llvm::ArrayRef<std::pair<llvm::StringRef, mlir::Attribute>> arguments,
      mlir::Type resultType, mlir::Location location);

private:
  mlir::FailureOr<mlir::Attribute> convertList(Scope &scope, Call &call,
                                               llvm::ArrayRef<Argument> list,
                                               const SchemaValue *schema);

  mlir::OpBuilder &builder;
  TensorTable &tensors;
  NumberImporter &numbers;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_CALLIMPORTER_H
