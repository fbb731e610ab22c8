//===- Tensor.h - Tensor values of the reference interpreter ----*- C++ -*-===//

#ifndef TC_REFERENCE_TENSOR_H
#define TC_REFERENCE_TENSOR_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/SmallVector.h"
#include <cstdint>
#include <memory>

namespace tc::reference {

/// How the elements of a type are computed with.
enum class ElementKind { Float, Signed, Unsigned, Bool, Complex };

/// The kind of a type that the interpreter computes with or, if it is complex,
/// moves; nothing for others.
std::optional<ElementKind> getElementKind(mlir::Type elementType);

/// 64 bits that hold one element: a double, an int64_t, a uint64_t, 0 or 1, or
/// the word of a complex number (makeComplexWord).
/// It may alias those types, so that moving elements needs no cases.
using Word = uint64_t __attribute__((may_alias));

/// A tensor value: sizes, element type, and one word an element in row-major
/// order. Floats of every type are held as the double of the same value.
/// Copies share their elements, which are written only while a tensor is made.
class Tensor {
public:
  Tensor() = default;
  /// A tensor of zeros. The element type must have an ElementKind.
  Tensor(mlir::Type elementType, llvm::ArrayRef<int64_t> sizes);

  /// From row-major elements as laid out in memory: little endian, 1 byte an
  /// i1. Emits an error at `loc` for a wrong number of bytes or an element
  /// type that is not supported.
  static mlir::FailureOr<Tensor> fromBytes(mlir::Location loc,
                                           mlir::Type elementType,
                                           llvm::ArrayRef<int64_t> sizes,
                                           llvm::ArrayRef<char> bytes);
  /// Writes the elements to `bytes`, getByteCount() of them. Floats are rounded
  /// to the element type, integers wrap.
  void toBytes(llvm::MutableArrayRef<char> bytes) const;
  std::vector<char> toBytes() const;

  /// From host values, converted to the element type; for tests and constants.
  static Tensor fromDoubles(mlir::Type elementType,
                            llvm::ArrayRef<int64_t> sizes,
                            llvm::ArrayRef<double> values);
  static Tensor fromIntegers(mlir::Type elementType,
                             llvm::ArrayRef<int64_t> sizes,
                             llvm::ArrayRef<int64_t> values);

  explicit operator bool() const { return elements != nullptr; }
  mlir::Type getElementType() const { return elementType; }
  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }
  int64_t getRank() const { return int64_t(sizes.size()); }
  int64_t getElementCount() const { return elementCount; }
  int64_t getByteCount() const;

  /// The elements. floats() for kind Float, signedIntegers() for Signed,
  /// unsignedIntegers() for Unsigned; words() for any.
  const Word *words() const {
    return reinterpret_cast<const Word *>(elements.get());
  }
  Word *words() { return reinterpret_cast<Word *>(elements.get()); }
  template <typename T> const T *data() const {
    return reinterpret_cast<const T *>(elements.get());
  }
  template <typename T> T *data() {
    return reinterpret_cast<T *>(elements.get());
  }
  llvm::ArrayRef<double> floats() const {
    return {data<double>(), size_t(elementCount)};
  }
  llvm::ArrayRef<int64_t> signedIntegers() const {
    return {data<int64_t>(), size_t(elementCount)};
  }
  llvm::ArrayRef<uint64_t> unsignedIntegers() const {
    return {data<uint64_t>(), size_t(elementCount)};
  }

  /// The element at a flat index as a number of the host.
  double getDouble(int64_t index) const;
  int64_t getInteger(int64_t index) const;

  /// The same elements with other sizes of equal count.
  Tensor reshaped(llvm::ArrayRef<int64_t> newSizes) const;
  /// The same words as another element type of the same kind.
  Tensor reinterpreted(mlir::Type newElementType) const;
  /// A tensor with its own copy of the elements.
  Tensor clone() const;

  /// Element type, sizes and elements as text, cut after `limit` elements.
  std::string str(int64_t limit = 64) const;

private:
  mlir::Type elementType;
  ElementKind kind = ElementKind::Float;
  llvm::SmallVector<int64_t, 6> sizes;
  int64_t elementCount = 0;
  std::shared_ptr<uint64_t[]> elements;
};

/// `value` rounded to the nearest of a float type, ties to even.
double roundToType(double value, mlir::Type elementType);

/// Rounds floats to `elementType`, or wraps integers to its width, in place.
void wrapToType(Word *words, int64_t count, mlir::Type elementType);

/// The word of a complex number, from its bits as laid out in memory: the bits
/// themselves for parts of f32, and for parts of f64 the place of the number in
/// a table of all that were met. Equal bits have equal words, zero the word 0.
Word makeComplexWord(uint64_t real, uint64_t imaginary, mlir::Type part);
/// The bits of the parts.
std::pair<uint64_t, uint64_t> getComplexParts(Word word, mlir::Type part);

/// Between words and elements as laid out in memory.
void decodeElements(const char *bytes, mlir::Type elementType, Word *words,
                    int64_t count);
void encodeElements(const Word *words, mlir::Type elementType, char *bytes,
                    int64_t count);

/// Bytes of one element in memory: 1 for i1.
int64_t getStoredBytes(mlir::Type elementType);

} // namespace tc::reference

#endif // TC_REFERENCE_TENSOR_H
