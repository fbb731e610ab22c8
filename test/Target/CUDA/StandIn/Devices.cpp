//===- Devices.cpp - Devices, contexts, streams and events ----------------===//

#include "State.h"

#include <cstdlib>

using namespace standin;

extern "C" {

int cuInit(unsigned) { return record("cuInit"); }

int cuDriverGetVersion(int *version) {
  *version = std::atoi(environment("STAND_IN_VERSION", "12080").c_str());
  return success;
}

int cuGetErrorString(int error, const char **text) {
  *text = error == outOfMemory      ? "out of memory"
          : error == illegalAddress ? "an illegal memory access was encountered"
          : error == 716            ? "misaligned address"
          : error == 719            ? "unspecified launch failure"
          : error == 801            ? "operation not supported"
                                    : nullptr;
  return *text ? success : invalidValue;
}

int cuDeviceGetCount(int *count) {
  *count = int(state().contexts.size());
  return record("cuDeviceGetCount");
}

int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return success;
}

int cuDeviceGetName(char *name, int length, int) {
  std::snprintf(name, size_t(length), "stand-in");
  return success;
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return success;
}

int cuDeviceGetAttribute(int *value, int attribute, int) {
  const std::string capability = environment("STAND_IN_CAPABILITY", "9.0");
  *value = attribute == 75   ? std::atoi(capability.c_str())
           : attribute == 76 ? capability.back() - '0'
           : attribute == 38 ? 50 << 20 // L2
                             : 132;
  return success;
}

int cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = state().contexts[size_t(device)];
  return record("cuDevicePrimaryCtxRetain");
}

int cuCtxGetCurrent(void **context) {
  *context = current();
  return success;
}

int cuCtxSetCurrent(void *context) {
  current() = static_cast<Context *>(context);
  return success;
}

int cuCtxSynchronize() { return record("cuCtxSynchronize"); }

int cuStreamCreate(void **stream, unsigned) {
  const std::lock_guard lock(state().mutex);
  *stream = new Stream{current(), ++state().streamCount};
  return success;
}

int cuStreamDestroy_v2(void *stream) {
  static_cast<Stream *>(stream)->destroyed = true; // kept: a use is noticed
  return success;
}

int cuStreamGetId(void *stream, unsigned long long *id) {
  *id = stream ? static_cast<Stream *>(stream)->id : 0;
  return checkStream(static_cast<Stream *>(stream));
}

int cuStreamSynchronize(void *stream) {
  const int error = checkStream(static_cast<Stream *>(stream));
  return error ? error : record("cuStreamSynchronize");
}

int cuStreamWaitEvent(void *stream, void *, unsigned) {
  const int error = checkStream(static_cast<Stream *>(stream));
  return error ? error : record("cuStreamWaitEvent");
}

int cuEventCreate(void **event, unsigned) {
  *event = new Event();
  return success;
}

int cuEventDestroy_v2(void *event) {
  delete static_cast<Event *>(event);
  return success;
}

int cuEventRecord(void *event, void *stream) {
  if (int error = checkStream(static_cast<Stream *>(stream)))
    return error;
  *static_cast<Event *>(event) = {current()->launches.load(), true};
  return record("cuEventRecord");
}

int cuEventQuery(void *) {
  if (!environment("STAND_IN_NOT_READY").empty())
    return notReady;
  return record("cuEventQuery");
}

int cuEventSynchronize(void *) { return record("cuEventSynchronize"); }

int cuEventElapsedTime(float *milliseconds, void *begin, void *end) {
  const auto *from = static_cast<Event *>(begin),
             *to = static_cast<Event *>(end);
  if (!from->recorded || !to->recorded)
    return invalidHandle;
  *milliseconds = float(to->time - from->time);
  return success;
}

} // extern "C"
