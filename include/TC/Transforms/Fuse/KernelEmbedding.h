//===- KernelEmbedding.h - A kernel's body in another domain ----*- C++ -*-===//
//
// Fusing kernels means to put the stages of one into the domain of another.
// Everything that names dimensions (index maps, sets, the dimensions of a
// reduction) goes through an embedding.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_FUSE_KERNELEMBEDDING_H
#define TC_TRANSFORMS_FUSE_KERNELEMBEDDING_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/IRMapping.h"

namespace tc {

/// Where the points of an old domain are in a new one.
struct DomainEmbedding {
  /// Dimensions of the new domain.
  unsigned rank = 0;
  /// For each old dimension, an expression over the new ones, and over
  /// `indices`, which are numbered from `rank`.
  llvm::SmallVector<mlir::AffineExpr> dims;
  /// For each old symbol, the new one.
  llvm::SmallVector<mlir::AffineExpr> symbols;
  unsigned numSymbols = 0;
  /// Values of the new body that the expressions use as indices.
  llvm::SmallVector<mlir::Value> indices;
  /// The points at which reads are made, in addition to their own conditions.
  std::optional<mlir::IntegerSet> within;

  mlir::AffineMap apply(mlir::AffineMap map, unsigned numOldIndices) const;
  mlir::IntegerSet apply(mlir::IntegerSet set) const;
  /// The new dimensions that fold what `over` folded, outermost first; fails
  /// when one is no sum of dimensions.
  mlir::FailureOr<llvm::SmallVector<int64_t>>
  apply(llvm::ArrayRef<int64_t> over) const;
  bool usesIndices(mlir::AffineExpr expr) const;
};

/// Points in both sets.
std::optional<mlir::IntegerSet> intersect(std::optional<mlir::IntegerSet> a,
                                          std::optional<mlir::IntegerSet> b);

/// Numbers the symbols of `from` in `to`, adding those it lacks.
llvm::SmallVector<mlir::AffineExpr> bindSymbols(KernelOp from, KernelOp to);

/// The domain of `from` as it is in that of `to`, a kernel of as many
/// dimensions, which gets its symbols and its inputs: `values` has these.
DomainEmbedding embedWhole(KernelOp from, KernelOp to, mlir::IRMapping &values);

/// Whether `op` of a kernel's body can be put at an embedding's points.
bool canEmbed(mlir::Operation *op, const DomainEmbedding &embedding);

/// Clones `op` of a kernel's body at the insertion point, at the embedding's
/// points. `values` maps the old body's values and block arguments.
void cloneEmbedded(mlir::OpBuilder &builder, mlir::Operation *op,
                   const DomainEmbedding &embedding, mlir::IRMapping &values);

/// A name for the fusion of two kernels: "layer_norm_gelu".
std::string joinNames(llvm::StringRef first, llvm::StringRef second);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_KERNELEMBEDDING_H
