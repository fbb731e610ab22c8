//===- LibraryEpilogue.h - What libraries do with sums ----------*- C++ -*-===//

#ifndef TC_LIB_ANALYSIS_LIBRARYEPILOGUE_H
#define TC_LIB_ANALYSIS_LIBRARYEPILOGUE_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/Support/Error.h"

namespace tc {

/// The reason why a kernel is nothing that libraries have.
inline llvm::Error noLibraryKernel(const llvm::Twine &reason) {
  return llvm::createStringError(reason);
}

/// Reads what happens to the sums of a kernel before they are written:
/// activation(scale * sums + addends). Every op has its place in it; `ops`
/// counts those that have been found.
class EpilogueReader {
public:
  explicit EpilogueReader(KernelOp kernel) : kernel(kernel) {}

  /// From what is written back to the result of `stage`, with at most
  /// `mostAddends` reads that are added.
  llvm::Error read(ContractStageOp stage, unsigned mostAddends);
  /// A read without conditions, which is counted; null for any other value.
  ReadOp takeOperand(mlir::Value value);
  /// Whether all ops of the body have been found.
  bool isComplete();
  unsigned numberOf(ReadOp read) {
    return llvm::cast<mlir::BlockArgument>(read.getSource()).getArgNumber();
  }

  mlir::FloatAttr scale;
  llvm::SmallVector<ReadOp, 2> addends;
  ProductActivation activation = ProductActivation::None;
  WriteOp write;
  size_t ops = 0;

private:
  mlir::Value takeCast(mlir::Value value);
  void readActivation(mlir::Value &value);
  bool readAddend(mlir::Value &value);
  ReadOp findAddend(mlir::Value value);
  void readScale(mlir::Value &value);

  KernelOp kernel;
};

} // namespace tc

#endif // TC_LIB_ANALYSIS_LIBRARYEPILOGUE_H
