//===- Parameters.h - Weights and what is prepared from them ----*- C++ -*-===//
//
// A compiled module may have a function @tc.prepare, which computes what
// depends on parameters alone: packed weights, folded batch norms. Parameters
// runs it when it is first asked for the values, and again after one of the
// parameters that it reads has changed, and keeps the results.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_PARAMETERS_H
#define TC_RUNTIME_PARAMETERS_H

#include "TC/Runtime/Call.h"

#include <memory>
#include <mutex>
#include <vector>

namespace tc::runtime {

/// How a module uses its parameters, from its manifest.
struct ParameterUse {
  /// @tc.prepare; null where the module has none.
  tc_function prepare = nullptr;
  int32_t outputCount = 0; ///< of @tc.prepare
  /// Where @tc.prepare runs.
  tc_device_kind device = TC_DEVICE_CPU;
  int32_t deviceIndex = 0;
  /// The output of @tc.prepare that each prepared value is.
  std::vector<int32_t> prepared;
  /// The prepared values where they are known, in host memory; else none, and
  /// @tc.prepare computes them.
  std::vector<Tensor> known;
  /// For each parameter, whether calls and @tc.prepare read it.
  std::vector<bool> readByPrepare, readByCalls;
};

/// The values at one time. Calls in flight hold it, so that a change of a
/// parameter takes nothing away from them.
struct ParameterValues {
  /// Row-major. A parameter that no call reads is undefined.
  std::vector<Tensor> parameters, prepared;
  /// What tc_call::parameters points to: the parameters, then the prepared
  /// values. Null for what no call reads.
  std::vector<void *> addresses;
};

struct PreparationStatistics {
  int64_t runs = 0;      ///< of @tc.prepare
  double seconds = 0;    ///< of the last run
  uint64_t bytes = 0;    ///< of the prepared values
  uint64_t released = 0; ///< of parameters that only @tc.prepare reads
};

/// The parameters of one compiled module. Thread-safe.
class Parameters {
public:
  /// `tensors` may have any strides and be in host memory; they are held as
  /// they are. On a CUDA device are copies of those that calls read, and of
  /// those that only @tc.prepare reads while it runs.
  Parameters(std::vector<Tensor> tensors, ParameterUse use);

  size_t count() const { return sources.size(); }

  /// Puts a new value in the place of parameter `index`. Fails when its element
  /// type or sizes differ, and where it is on another CUDA device.
  Status replace(size_t index, Tensor value);
  /// The same for callers that own the memory and count its changes, as torch
  /// does: does nothing while address and version are those of the last time.
  Status update(size_t index, const Tensor &value, uint64_t version);

  /// The values for calls from now on. Runs @tc.prepare when that is due; fails
  /// when it does, or when there is no memory.
  Expected<std::shared_ptr<const ParameterValues>> current();

  PreparationStatistics statistics() const;

private:
  /// The value where calls run, row-major.
  Expected<Tensor> place(const Tensor &value) const;
  Status placeInto(ParameterValues &made, size_t index);
  Status prepare(ParameterValues &made);
  Status runPrepare(const ParameterValues &made,
                    std::vector<Tensor> &outputs) const;
  /// Gives back the memory of what no call reads.
  Status releaseUnread(ParameterValues &made);
  Expected<std::shared_ptr<const ParameterValues>> compute();

  mutable std::mutex mutex;
  std::vector<Tensor> sources;
  /// The addresses and versions of the callers' values.
  std::vector<const void *> origins;
  std::vector<uint64_t> versions;
  ParameterUse use;
  /// Null when a parameter has changed since.
  std::shared_ptr<const ParameterValues> values;
  /// Valid unless one of the parameters that @tc.prepare reads has changed.
  std::vector<Tensor> prepared;
  bool isPrepared = false;
  PreparationStatistics counts;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_PARAMETERS_H
