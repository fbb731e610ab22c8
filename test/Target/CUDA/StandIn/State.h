//===- State.h - A CUDA driver without a device -----------------*- C++ -*-===//
//
// libcuda.so.1 for tests of the host's calls: the functions that libTCRuntime
// looks up, on host memory. Unless STAND_IN_RUNS is set no kernel runs, so
// results are zeros; a launch takes a millisecond of the device's time.
//
// STAND_IN_RUNS    anything: launches interpret their kernel's PTX (PTX/), one
//                  after the other, and fail where it accesses what it may not
//                  or has an instruction that is unknown here; memory of
//                  devices is all ones at first
// STAND_IN_LOG     file that each call is appended to, memory and kernels by
//                  number
// STAND_IN_DEVICES how many devices there are, by default 1
// STAND_IN_MEMORY  bytes that allocations of a device may take, by default 1
// GiB STAND_IN_FAIL    FUNCTION:N=ERROR, call N of FUNCTION (from 1) returns
// ERROR;
//                  several, with a comma between. After an error from 700 to
//                  719 every later call on that device returns it.
// STAND_IN_STATUS  what a launch writes to its last argument, the kernel's
//                  status
// STAND_IN_LOCAL_BYTES
//                  local memory of a thread of every kernel, by default 0
// STAND_IN_CAPTURING
//                  anything: streams say that they are being captured
// STAND_IN_CAPABILITY
//                  the devices' compute capability, by default 9.0
// STAND_IN_VERSION the driver's version, by default 12080
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_STATE_H
#define TC_TEST_TARGET_CUDA_STANDIN_STATE_H

#include "PTX/Program.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace standin {

constexpr int success = 0, invalidValue = 1, outOfMemory = 2,
              invalidHandle = 400, notFound = 500, notReady = 600,
              illegalAddress = 700;

/// What the stand-in's assembler writes ahead of PTX.
constexpr const char *cubinHeader = "stand-in cubin\n";

struct Context {
  int device = 0;
  int brokenBy = success;             ///< the error of a kernel that failed
  std::atomic<uint64_t> launches = 0; ///< the device's time, in milliseconds
  std::atomic<size_t> bytes = 0;      ///< allocated
};

struct Stream {
  Context *context = nullptr;
  uint64_t id = 0;
  bool destroyed = false;
};

struct Event {
  uint64_t time = 0;
  bool recorded = false;
};

struct Allocation {
  size_t number = 0;
  Context *context = nullptr;     ///< null for memory of the host
  std::unique_ptr<char[]> memory; ///< with room around what is given out
  size_t bytes = 0;
};

struct Module {
  Context *context = nullptr;
  std::string ptx;
  std::unique_ptr<ptx::Program> program; ///< once a kernel has run
};

struct Parameter {
  size_t offset = 0, bytes = 0;
};

struct Kernel {
  Context *context = nullptr;
  Module *module = nullptr;
  std::string name;
  std::vector<Parameter> parameters;
  size_t parameterBytes = 0;
};

/// A launch of a kernel, with a copy of its arguments.
struct Launch {
  Kernel *kernel = nullptr;
  unsigned grid[3] = {}, block[3] = {}, sharedBytes = 0, cluster = 0;
  bool programmatic = false;
  std::vector<char> arguments;
};

struct State {
  std::mutex mutex;
  std::FILE *log = nullptr;
  std::map<std::string, int> calls;
  std::map<uint64_t, Allocation> memory; // by address
  size_t allocationCount = 0;
  uint64_t streamCount = 0;
  std::vector<Context *> contexts; // by device

  State();
};

State &state();

std::string environment(const char *name, const char *otherwise = "");

/// The context of this thread.
Context *&current();

/// Writes a call to the log; the error that it is to return.
int record(const std::string &function, const std::string &arguments = "");

/// Whether a stream may be used in the current context: null, or one that
/// lives there.
int checkStream(const Stream *stream);

/// Takes the arguments of a launch as the driver is given them, by address or
/// where that is null in one block; fails for a kernel of another context, for
/// a wrong number of bytes and for tensor maps in a block.
int copyArguments(Launch &launch, void **addresses, void **block);

/// Appends what a launch is given: the kernel, blocks, threads and arguments.
/// Fails where an address is another device's.
int describe(const Launch &launch, std::string &text);

/// Does what a launch does here: it takes time, runs its kernel where kernels
/// run and writes its status. The error of the kernel.
int run(const Launch &launch);

/// Whether launches run their kernels.
bool kernelsRun();

/// Interprets the kernel of a launch; its error, of which the text goes to
/// stderr.
int interpret(const Launch &launch);

/// The allocation that holds `bytes` at an address; null when none does. The
/// mutex must be held.
Allocation *find(uint64_t address, size_t bytes);

/// "memory 2", or "nothing" where no allocation is.
std::string name(uint64_t address, size_t bytes = 1);

} // namespace standin

#endif // TC_TEST_TARGET_CUDA_STANDIN_STATE_H
