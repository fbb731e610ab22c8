//===- Interpretation.cpp - Running a launch's kernel ---------------------===//

#include "PTX/Machine.h"
#include "State.h"

#include <algorithm>
#include <cstdlib>

using namespace standin;

bool standin::kernelsRun() { return std::getenv("STAND_IN_RUNS"); }

/// What a kernel of the current context may access.
static std::vector<ptx::Range> accessibleMemory() {
  std::vector<ptx::Range> result;
  const std::lock_guard lock(state().mutex);
  for (const auto &[begin, allocation] : state().memory)
    if (!allocation.context || allocation.context == current())
      result.push_back({begin, begin + allocation.bytes});
  return result;
}

int standin::interpret(const Launch &launch) {
  // One at a time, as if all streams were one.
  static std::mutex running;
  const std::lock_guard lock(running);
  Module &module = *launch.kernel->module;
  if (!module.program) {
    std::string_view text = module.ptx;
    if (text.starts_with(cubinHeader))
      text.remove_prefix(std::string_view(cubinHeader).size());
    module.program = ptx::parse(text);
  }
  const auto entry = module.program->entries.find(launch.kernel->name);
  ptx::Outcome outcome{ptx::notSupported, module.program->problem};
  if (outcome.text.empty() && entry == module.program->entries.end())
    outcome.text = "there is no kernel '" + launch.kernel->name + "'";
  if (outcome.text.empty()) {
    ptx::Shape shape;
    std::copy_n(launch.grid, 3, shape.grid);
    std::copy_n(launch.block, 3, shape.block);
    shape.cluster = launch.cluster;
    shape.sharedBytes = launch.sharedBytes;
    outcome = ptx::launch(*module.program, entry->second, shape,
                          launch.arguments, accessibleMemory());
  }
  if (!outcome.error)
    return success;
  std::fprintf(stderr, "stand-in: %s\n", outcome.text.c_str());
  // The device cannot be used after what a kernel does wrong.
  if (outcome.error >= 700 && outcome.error < 720)
    current()->brokenBy = outcome.error;
  return outcome.error;
}
