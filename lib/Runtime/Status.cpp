//===- Status.cpp - Errors of the runtime ---------------------------------===//

#include "TC/Runtime/Status.h"

using namespace tc::runtime;

const char *tc::runtime::errorCodeName(ErrorCode code) {
  switch (code) {
  case ErrorCode::Ok:
    return "ok";
  case ErrorCode::GuardFailed:
    return "guard failed";
  case ErrorCode::IndexOutOfRange:
    return "index out of range";
  case ErrorCode::OutOfMemory:
    return "out of memory";
  case ErrorCode::InvalidArgument:
    return "invalid argument";
  case ErrorCode::Internal:
    return "internal error";
  case ErrorCode::IOError:
    return "input/output error";
  case ErrorCode::CorruptData:
    return "corrupt data";
  case ErrorCode::Unsupported:
    return "unsupported";
  }
  return "unknown error";
}

Status::Status(ErrorCode code, std::string message, std::string location) {
  // A failure must never read as success.
  if (code == ErrorCode::Ok)
    code = ErrorCode::Internal;
  failure = std::make_unique<Failure>(
      Failure{code, std::move(message), std::move(location)});
}

static const std::string &emptyString() {
  static const std::string empty;
  return empty;
}

const std::string &Status::message() const {
  return failure ? failure->message : emptyString();
}

const std::string &Status::location() const {
  return failure ? failure->location : emptyString();
}

std::string Status::toString() const {
  if (!failure)
    return "ok";
  if (failure->location.empty())
    return failure->message;
  return failure->location + ": " + failure->message;
}
