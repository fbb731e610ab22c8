//===- Control.cpp - Branches and barriers of PTX -------------------------===//

#include "Machine.h"
#include "Opcode.h"

using namespace standin::ptx;

namespace {
void branch(Thread &thread, const Instruction &i) { thread.pc = i.target; }

void leave(Thread &thread, const Instruction &) { thread.wait = Wait::exited; }

void trap(Thread &thread, const Instruction &i) {
  fail(thread, i, launchFailed, "the kernel stops itself");
}

/// Fences and what a launch that waits for the one before does: here each
/// access and each launch is done before the next one.
void nothing(Thread &, const Instruction &) {}

/// Lets others run, for a loop that waits for them.
void yield(Thread &thread, const Instruction &) { thread.wait = Wait::turn; }

/// bar: at a barrier of a number until all threads of the block, or as many as
/// are said, have come. Mode 1: comes without waiting.
void barrier(Thread &thread, const Instruction &i) {
  Block &block = *thread.block;
  const auto number = get<uint32_t>(thread, i.slot[0]);
  const auto all = uint32_t(block.threads.size());
  const uint32_t expected =
      i.operands > 1 ? get<uint32_t>(thread, i.slot[1]) : all;
  if (number >= 16 || expected > all || expected % 32 != 0) {
    if (number >= 16 || i.operands > 1) {
      fail(thread, i, launchFailed,
           "there is no barrier " + std::to_string(number) + " of " +
               std::to_string(expected) + " threads");
      return;
    }
  }
  Barrier &at = block.barriers[number];
  if (at.arrived && at.expected != expected) {
    fail(thread, i, launchFailed,
         "others wait at barrier " + std::to_string(number) + " for " +
             std::to_string(at.expected) + " threads");
    return;
  }
  at.expected = expected;
  ++at.arrived;
  if (i.mode == 1)
    return;
  thread.barrier = uint8_t(number);
  thread.wait = Wait::barrier;
}

void arriveAtCluster(Thread &thread, const Instruction &i) {
  if (thread.arrived) {
    fail(thread, i, launchFailed,
         "the thread arrives at the barrier of the cluster twice");
    return;
  }
  thread.arrived = true;
  thread.phase = thread.block->machine->clusterPhase;
  ++thread.block->machine->clusterArrived;
}

void waitForCluster(Thread &thread, const Instruction &i) {
  if (!thread.arrived) {
    fail(thread, i, launchFailed,
         "the thread waits at the barrier of the cluster without arriving");
    return;
  }
  thread.wait = Wait::cluster;
}

Decoded decodeBarrier(Opcode &opcode, Instruction &instruction) {
  if (opcode.take("cluster")) {
    const int what = opcode.takeOneOf({"arrive", "wait"});
    opcode.drop({"acquire", "release", "relaxed", "aligned"});
    return {what < 0    ? nullptr
            : what == 0 ? arriveAtCluster
                        : waitForCluster,
            0, false};
  }
  opcode.take("cta");
  // bar is barrier.aligned: a whole warp executes the same one.
  instruction.integral = opcode.take("aligned") || opcode.name() == "bar";
  const int what = opcode.takeOneOf({"sync", "arrive"});
  instruction.mode = uint8_t(what);
  return {what < 0 ? nullptr : barrier, what == 1 ? 2 : 1, 2, false};
}
} // namespace

Decoded standin::ptx::decodeControl(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name == "bra") {
    opcode.take("uni");
    return {branch, 1, false};
  }
  if (name == "ret" || name == "exit") {
    opcode.take("uni");
    return {leave, 0, false};
  }
  if (name == "trap")
    return {trap, 0, false};
  if ((name == "bar" || name == "barrier") && !opcode.take("warp"))
    return decodeBarrier(opcode, instruction);
  if (name == "nanosleep")
    return {opcode.take("u32") ? yield : nullptr, 1, false};
  if (name == "membar") {
    const int scope = opcode.takeOneOf({"cta", "gl", "sys"});
    return {scope < 0 ? nullptr : nothing, 0, false};
  }
  if (name == "fence") {
    opcode.drop({"mbarrier_init", "proxy", "async", "shared::cta", "global"});
    opcode.drop({"sc", "acq_rel", "acquire", "release", "cta", "cluster", "gpu",
                 "sys"});
    return {nothing, 0, false};
  }
  if (name == "setmaxnreg") { // there are as many registers as are asked for
    const int which = opcode.takeOneOf({"inc", "dec"});
    opcode.drop({"sync", "aligned", "u32"});
    return {which < 0 ? nullptr : nothing, 1, false};
  }
  if (name == "griddepcontrol") {
    const int what = opcode.takeOneOf({"wait", "launch_dependents"});
    return {what < 0 ? nullptr : nothing, 0, false};
  }
  return {};
}
