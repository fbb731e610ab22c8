//===- State.cpp - What the stand-in driver remembers ---------------------===//

#include "State.h"

#include <cstdlib>

using namespace standin;

std::string standin::environment(const char *name, const char *otherwise) {
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}

State::State() {
  if (const char *path = std::getenv("STAND_IN_LOG"))
    log = std::fopen(path, "a");
  const int count = std::atoi(environment("STAND_IN_DEVICES", "1").c_str());
  for (int device = 0; device < count; ++device)
    contexts.push_back(new Context{device});
}

State &standin::state() {
  static auto *single = new State();
  return *single;
}

Context *&standin::current() {
  static thread_local Context *context = nullptr;
  return context;
}

/// The error that STAND_IN_FAIL has for call `number` of a function.
static int injected(const std::string &function, int number) {
  const std::string call = function + ":" + std::to_string(number) + "=",
                    everyCall = function + "=";
  std::string failing = environment("STAND_IN_FAIL");
  while (!failing.empty()) {
    const size_t comma = failing.find(',');
    if (failing.starts_with(call))
      return std::atoi(failing.c_str() + call.size());
    if (failing.starts_with(everyCall))
      return std::atoi(failing.c_str() + everyCall.size());
    failing = comma == failing.npos ? "" : failing.substr(comma + 1);
  }
  return success;
}

int standin::record(const std::string &function, const std::string &arguments) {
  State &all = state();
  const std::lock_guard lock(all.mutex);
  Context *context = current();
  if (all.log) {
    const std::string device =
        context && context->device != 0
            ? " on device " + std::to_string(context->device)
            : "";
    std::fprintf(all.log, "%s(%s)%s\n", function.c_str(), arguments.c_str(),
                 device.c_str());
    std::fflush(all.log);
  }
  const int error = injected(function, ++all.calls[function]);
  if (!context)
    return error;
  if (error >= 700 && error < 720 && context->brokenBy == success)
    context->brokenBy = error;
  return error ? error : context->brokenBy;
}

int standin::checkStream(const Stream *stream) {
  if (stream && (stream->destroyed || stream->context != current()))
    return invalidHandle;
  return success;
}

Allocation *standin::find(uint64_t address, size_t bytes) {
  auto &memory = state().memory;
  auto above = memory.upper_bound(address);
  if (above == memory.begin())
    return nullptr;
  auto &[begin, allocation] = *std::prev(above);
  return address + bytes <= begin + allocation.bytes ? &allocation : nullptr;
}

std::string standin::name(uint64_t address, size_t bytes) {
  const std::lock_guard lock(state().mutex);
  const Allocation *allocation = find(address, bytes);
  return allocation ? "memory " + std::to_string(allocation->number)
                    : "nothing";
}
