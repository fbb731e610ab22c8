//===- TensorCalls.h - Calls with tensors of one library --------*- C++ -*-===//
//
// The short way of a call: tensors of a library with exchange functions, such
// as PyTorch's, go in as descriptors and come out as that library's.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_TENSORCALLS_H
#define TC_PYTHON_TENSORCALLS_H

#include "Array.h"
#include "Exchange.h"
#include "Program.h"
#include "TC/Runtime/ABI.h"
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace tc::python {

/// Where the tensors of a call are; on the CPU the index is 0.
struct Place {
  runtime::DLDeviceType type;
  int32_t index;

  /// That of a CUDA device, or of the CPU for -1.
  static Place of(int32_t cudaDevice);
};

/// A tensor in the memory of another one. Of one in a tensor of bytes, the
/// offset is in bytes, of another in elements.
struct MemoryView {
  std::vector<int64_t> sizes, strides; ///< in elements
  int64_t offset = 0;
  int32_t dtype = 0; ///< tc_dtype, of one in a tensor of bytes
  int64_t bytes = 0; ///< that such a tensor has at least
};

/// Results of a program, by their numbers, that have one memory of `bytes`
/// bytes in common, from their offsets on.
struct JointResults {
  std::vector<int64_t> numbers, offsets, sizes; ///< the last two in bytes
  int64_t bytes = 0;
};

/// That memory in a call.
struct JointMemory {
  const JointResults *layout;
  std::optional<Array> all;   ///< none where there was no memory
  std::vector<Array> results; ///< the part of each

  /// Whether all results are there, of those that a call gave. A program may
  /// give no new memory for one, but a view of an input.
  bool holdsAll(const std::vector<Array> &given) const;
};

/// What exchange functions tell of tensors.
class DescribedTensors {
public:
  /// Room for `count` of them.
  explicit DescribedTensors(size_t count)
      : tensors(std::make_unique_for_overwrite<tc_tensor[]>(count)),
        rowMajor(std::make_unique_for_overwrite<Strides[]>(count)) {}

  /// Describes one more. False, with no exception set, where it is no tensor of
  /// the library of those before it, or stands for other numbers than its
  /// memory has.
  bool add(PyObject *tensor);
  /// Describes the part of `packed`, a tensor of bytes, that `view` says. False
  /// as for add().
  bool addPart(PyObject *packed, const MemoryView &view);
  /// Whether the last one is at `place`.
  bool isLastAt(Place place) const;

  std::span<const tc_tensor> get() const { return {tensors.get(), count}; }
  /// That of the tensors, of which there is one at least.
  const ExchangeAPI *library() const { return exchange; }

private:
  using Strides = std::array<int64_t, TC_MAX_RANK>;
  const ExchangeAPI *exchange = nullptr;
  size_t count = 0;
  std::unique_ptr<tc_tensor[]> tensors;
  std::unique_ptr<Strides[]> rowMajor;
  PyObject *lastPacked = nullptr; ///< of addPart
  tc_tensor lastBytes;            ///< its description
};

/// The function of a program that tensors are given to.
struct TensorFunction {
  const Program *program;
  int64_t function;
  Place place;
  size_t outputCount;

  TensorFunction(const Program &program, int64_t function, int32_t cudaDevice);

  /// The results for described tensors of `library`. Nothing where it does not
  /// read them in place.
  std::optional<std::vector<nanobind::object>>
  call(std::span<const tc_tensor> descriptions,
       const ExchangeAPI &library) const;
  /// The results for `inputs`, which it describes. Nothing where the short way
  /// is none for them.
  std::optional<std::vector<nanobind::object>>
  call(std::span<PyObject *const> inputs) const;
  /// The same, but the results are arrays, to be given as tensors of `library`.
  /// Those of the layout of `joint`, if it is not null, have memory in common,
  /// which is made. Those of `targets` that are written over an input are null.
  std::optional<std::vector<Array>>
  callForArrays(std::span<const tc_tensor> descriptions,
                const ExchangeAPI &library, JointMemory *joint = nullptr,
                std::span<const tc_output_memory> targets = {}) const;
};

/// What tc.Compiled is derived from: calls go to the program where all inputs
/// are tensors of one library, else to its method `call_general`.
struct Callable {
  nanobind::object program; // holds what `function` points to
  TensorFunction function;
  bool takesTensors;
};

/// Gives an array as the library's.
nanobind::object giveOutput(const Array &array, const ExchangeAPI &library);

/// A tuple of results.
nanobind::object makeTuple(std::vector<nanobind::object> results);

/// The items of a tuple.
std::vector<PyObject *> itemsOf(nanobind::handle tuple);

} // namespace tc::python

#endif // TC_PYTHON_TENSORCALLS_H
