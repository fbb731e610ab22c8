//===- DropoutWords.h - Random words of a thread's weights ------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_DROPOUTWORDS_H
#define TC_LIB_CONVERSION_TCTOGPU_DROPOUTWORDS_H

#include "TC/Analysis/KeptWeights.h"
#include "Words.h"

namespace tc {

/// The blocks of Philox that have the bits of weights (see tc.dropout_bits).
class DropoutWords {
public:
  /// `seed` and `offset` are i64.
  DropoutWords(const KeptWeights &kept, Words words, mlir::Value seed,
               mlir::Value offset);

  /// The numbers of groups of rows and of keys of 8 elements of which (i32)
  /// `row` or `key` is one.
  mlir::Value getRowGroup(mlir::Value row) { return getGroup(row, 16); }
  mlir::Value getKeyGroup(mlir::Value key) { return getGroup(key, 32); }
  /// How far the bits of the keys next to `key` are from the high ones of their
  /// words: 0 or 16.
  mlir::Value getShift(mlir::Value key);
  /// The four words (i32) of a group: of the first rows those of keys c and c +
  /// 8, then those of the rows 8 below.
  std::array<mlir::Value, 4> emit(mlir::Value rowGroup, mlir::Value keyGroup);
  /// Whether (i1) a weight is kept whose bits are the high ones of `word` once
  /// that is shifted to the left by `shift`, which may be null.
  mlir::Value emitKept(mlir::Value word, mlir::Value shift);

private:
  mlir::Value getGroup(mlir::Value index, int64_t span);
  /// The high and the low word of `a` times a constant.
  std::pair<mlir::Value, mlir::Value> multiply(mlir::Value a, uint32_t b);
  mlir::Value exclusiveOr(mlir::Value a, mlir::Value b);
  mlir::Value highWord(mlir::Value value);

  int64_t count;
  Words words;
  mlir::Value key[2], offset[2];
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_DROPOUTWORDS_H
