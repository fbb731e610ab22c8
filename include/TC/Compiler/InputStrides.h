//===- InputStrides.h - The strides that a call's inputs have ---*- C++ -*-===//

#ifndef TC_COMPILER_INPUTSTRIDES_H
#define TC_COMPILER_INPUTSTRIDES_H

#include "TC/Compiler/Manifest.h"
#include "TC/Runtime/Strides.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace tc {

/// Compares the strides of a call's inputs with those that a compiled function
/// expects, and copies inputs that have others.
class InputStrides {
public:
  explicit InputStrides(const ManifestFunction &function)
      : function(function) {}

  /// Whether the function reads all inputs where they are. Takes no memory from
  /// the heap for up to 16 symbols.
  bool areExpected(llvm::ArrayRef<tc_tensor> inputs) const;
  /// Copies, in host memory, the inputs that the function does not read where
  /// they are; their ranks may be wrong, which the function reports. One that
  /// it reads has the strides of sizes 1 as well that are expected.
  runtime::Status makeExpected(std::vector<runtime::Tensor> &inputs) const;
  /// The strides that input `index` is expected to have in a call with these
  /// inputs; nothing where their sizes are not the function's.
  std::optional<llvm::SmallVector<int64_t, TC_MAX_RANK>>
  getExpected(llvm::ArrayRef<tc_tensor> inputs, size_t index) const;

private:
  /// Values of symbols; those that have none are -1.
  using Values = llvm::SmallVector<int64_t, 16>;
  static constexpr int64_t kUnknown = -1;

  std::optional<int64_t> evaluate(const ManifestStride &stride,
                                  const Values &values) const;
  bool haveRanks(llvm::ArrayRef<tc_tensor> inputs) const;
  bool hasStrides(const tc_tensor &input, size_t index,
                  const Values &values) const;
  Values bindSymbols(llvm::ArrayRef<tc_tensor> inputs) const;
  void bindToLeastStride(const ManifestBinding &binding, const tc_tensor &input,
                         Values &values) const;
  bool isStrided(size_t index) const {
    return index < function.inputs.size() &&
           !function.inputs[index].strides.empty();
  }

  const ManifestFunction &function;
};

} // namespace tc

#endif // TC_COMPILER_INPUTSTRIDES_H
