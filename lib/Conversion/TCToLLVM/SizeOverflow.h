//===- SizeOverflow.h - Sizes that 64 bits hold -----------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_SIZEOVERFLOW_H
#define TC_LIB_CONVERSION_TCTOLLVM_SIZEOVERFLOW_H

#include "HostBuilder.h"
#include "SizeValues.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tc {

/// Writes the check that no size, offset or count of bytes which a host
/// function computes is beyond 64 bits. Below a limit on the symbols none can
/// be: the usual call makes one comparison. Above it each expression is
/// computed with its overflows watched. Nothing is written where the symbols'
/// declared ranges are below the limit.
class SizeOverflow {
public:
  SizeOverflow(mlir::FunctionOpInterface function, HostBuilder &host,
               SizeValues &sizes);

  /// To be called where the symbols that the inputs give are bound and in their
  /// ranges, and again where a data-dependent one is: it checks what can be
  /// computed since.
  void emit();

private:
  /// An expression that the function computes.
  struct Use {
    SizeExpr expr;
    std::string what; ///< "the bytes of a tensor, "
    mlir::Location location;
  };
  /// A value, and whether it is not the true one; null for a true one.
  struct Watched {
    mlir::Value value, overflows;
  };

  void add(SizeExpr expr, llvm::StringRef what, mlir::Location location);
  void addType(mlir::Type type, mlir::Location location);
  bool fits(unsigned bits) const;
  void emitExact();
  Watched compute(SizeExpr expr);
  Watched fold(SizeExpr expr, llvm::StringRef intrinsic);

  mlir::FunctionOpInterface function;
  HostBuilder &host;
  SizeValues &sizes;
  llvm::SmallVector<SymbolAttr> symbols;
  llvm::SmallVector<Use> uses;    ///< what is being checked
  llvm::SmallVector<Use> pending; ///< what is not computed yet
  llvm::DenseSet<mlir::Attribute> added;
  llvm::DenseMap<mlir::Attribute, Watched> computed;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_SIZEOVERFLOW_H
