//===- ViewWriter.h - Writes to tensors and through views -------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_VIEWWRITER_H
#define TC_LIB_FRONTEND_PT2_VIEWWRITER_H

#include "ImporterBase.h"

namespace tc::pt2 {

/// Gives tensors new values. A write through a view is put back into what it is
/// a view of, up to the tensor that owns the memory: x[1:3].add_(y) is a
/// slice_scatter into x.
class ViewWriter : ImporterBase {
public:
  explicit ViewWriter(CallImporter &calls) : ImporterBase(calls) {}

  mlir::LogicalResult write(TensorEntry *entry, mlir::Value value,
                            mlir::Location location);

private:
  /// The base with the elements that `entry` views replaced by `value`.
  mlir::FailureOr<mlir::Value> writeThroughView(TensorEntry *entry,
                                                mlir::Value value,
                                                mlir::Location location);
  /// The argument of the call that made a view, its default filled in; null
  /// when there is none.
  mlir::Attribute getViewArgument(const TensorEntry &entry,
                                  llvm::StringRef name,
                                  mlir::Location location);
  /// The base with one slice of it replaced.
  mlir::Value scatterSlice(mlir::Value base, mlir::Value value,
                           mlir::Attribute dim, mlir::Attribute start,
                           mlir::Attribute end, mlir::Attribute step,
                           mlir::Location location);
  /// The base with the part that narrow, chunk or split made replaced.
  mlir::Value scatterPart(const TensorEntry &entry, mlir::Value base,
                          mlir::Value value, mlir::Location location);
  /// `value` with its dimensions in the order of the view's base.
  mlir::Value transposeBack(const TensorEntry &entry, mlir::Value value,
                            mlir::Type type, mlir::Location location);
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_VIEWWRITER_H
