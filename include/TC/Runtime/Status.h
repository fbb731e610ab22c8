//===- Status.h - Errors of the runtime -------------------------*- C++ -*-===//
//
// The runtime neither throws nor aborts: what may fail returns a Status, or an
// Expected<T> that holds either a value or a failed Status. A message starts in
// lower case and names the thing, the actual and the expected value.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_STATUS_H
#define TC_RUNTIME_STATUS_H

#include "TC/Runtime/ABI.h"

#include <memory>
#include <string>
#include <utility>
#include <variant>

namespace tc::runtime {

/// Kinds of failure. The first ones have the values of tc_status, so that a
/// compiled function's status converts by value.
enum class ErrorCode : int32_t {
  Ok = TC_STATUS_OK,
  GuardFailed = TC_STATUS_GUARD_FAILED,
  IndexOutOfRange = TC_STATUS_INDEX_OUT_OF_RANGE,
  OutOfMemory = TC_STATUS_OUT_OF_MEMORY,
  InvalidArgument = TC_STATUS_INVALID_ARGUMENT,
  Internal = TC_STATUS_INTERNAL,
  IOError = 100, ///< the system refused to open, read or write a file
  CorruptData,   ///< a file's content contradicts its format
  Unsupported,   ///< valid, but not something TC handles
};

/// The name of a code, such as "out of memory".
const char *errorCodeName(ErrorCode code);

/// Success, or a failure with a message and perhaps a location in the user's
/// program. Success takes one pointer and no allocation.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(ErrorCode code, std::string message, std::string location = {});

  static Status success() { return Status(); }

  bool ok() const { return !failure; }
  ErrorCode code() const { return failure ? failure->code : ErrorCode::Ok; }
  const std::string &message() const;
  /// Where in the user's program the failure comes from; empty when unknown.
  const std::string &location() const;
  /// "location: message", or the message alone.
  std::string toString() const;

private:
  struct Failure {
    ErrorCode code;
    std::string message;
    std::string location;
  };
  std::unique_ptr<Failure> failure;
};

/// A value, or the Status that says why there is none.
template <typename T> class [[nodiscard]] Expected {
public:
  Expected(T value) : content(std::move(value)) {}
  /// `status` must be a failure.
  Expected(Status status) : content(std::move(status)) {}

  bool ok() const { return content.index() == 0; }
  explicit operator bool() const { return ok(); }

  T &operator*() & { return *std::get_if<0>(&content); }
  const T &operator*() const & { return *std::get_if<0>(&content); }
  T &&operator*() && { return std::move(*std::get_if<0>(&content)); }
  T *operator->() { return std::get_if<0>(&content); }
  const T *operator->() const { return std::get_if<0>(&content); }

  /// The failure; call only when !ok().
  const Status &error() const { return *std::get_if<1>(&content); }
  /// Moves the failure out, or gives success.
  Status takeStatus() {
    if (ok())
      return Status::success();
    return std::move(*std::get_if<1>(&content));
  }

private:
  std::variant<T, Status> content;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_STATUS_H
