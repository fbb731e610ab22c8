//===- Graphs.cpp - CUDA graphs of the stand-in ---------------------------===//

#include "State.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace standin;

namespace {
/// CUDA_KERNEL_NODE_PARAMS of version 2.
struct NodeParams {
  Kernel *function;
  unsigned grid[3], block[3], sharedBytes;
  void **arguments, **extra;
  void *kernel, *context;
};

struct Graph;

struct Node {
  Graph *graph = nullptr;
  size_t index = 0;
  Launch launch;
  bool isAfterTheOneBefore = false;
};

/// CUgraphEdgeData.
struct EdgeData {
  unsigned char fromPort, toPort, type, reserved[5];
};

struct Graph {
  std::vector<std::unique_ptr<Node>> nodes;
  bool isDestroyed = false; ///< kept: a use is noticed
};

struct Executable {
  Graph *graph = nullptr;
  std::vector<Launch> launches;
  bool isDestroyed = false;
};

/// The launch that parameters describe; its text goes to the log.
int read(const NodeParams &parameters, Launch &launch, std::string &text) {
  launch.kernel = parameters.function;
  std::copy_n(parameters.grid, 3, launch.grid);
  std::copy_n(parameters.block, 3, launch.block);
  launch.sharedBytes = parameters.sharedBytes;
  const int error =
      copyArguments(launch, parameters.arguments, parameters.extra);
  return error ? error : describe(launch, text);
}
} // namespace

extern "C" {

int cuStreamIsCapturing(void *stream, int *status) {
  *status = environment("STAND_IN_CAPTURING").empty() ? 0 : 1;
  return checkStream(static_cast<Stream *>(stream));
}

int cuGraphCreate(void **graph, unsigned) {
  *graph = new Graph();
  return record("cuGraphCreate");
}

int cuGraphDestroy(void *graph) {
  static_cast<Graph *>(graph)->isDestroyed = true;
  return record("cuGraphDestroy");
}

int cuGraphAddKernelNode_v2(void **node, void *graph, void *const *after,
                            size_t afterCount, const NodeParams *parameters) {
  auto &to = *static_cast<Graph *>(graph);
  if (afterCount > 1 ||
      (afterCount && (to.nodes.empty() || *after != to.nodes.back().get())))
    return invalidValue;
  auto made = std::make_unique<Node>();
  made->isAfterTheOneBefore = afterCount;
  made->graph = &to;
  made->index = to.nodes.size();
  std::string text;
  const int wrong = read(*parameters, made->launch, text);
  const int error = record("cuGraphAddKernelNode", text);
  *node = made.get();
  to.nodes.push_back(std::move(made));
  return error ? error : wrong;
}

/// Of two nodes, the second one programmatic: it is added right behind the
/// first.
int cuGraphAddDependencies_v2(void *, Node *const *from, Node *const *to,
                              const EdgeData *edges, size_t count) {
  Node &node = **to;
  if (count != 1 || (*from)->graph != node.graph ||
      (*from)->index + 1 != node.index || node.isAfterTheOneBefore ||
      edges->fromPort != 1 || edges->toPort != 0 || edges->type != 1)
    return invalidValue;
  node.isAfterTheOneBefore = true;
  return record("cuGraphAddDependencies");
}

int cuGraphKernelNodeSetAttribute(void *node, int attribute,
                                  const void *value) {
  unsigned first = 0;
  std::memcpy(&first, value, sizeof(first));
  static_cast<Node *>(node)->launch.cluster = first;
  return record("cuGraphKernelNodeSetAttribute",
                std::to_string(attribute) + ", " + std::to_string(first));
}

int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long) {
  const auto &nodes = static_cast<Graph *>(graph)->nodes;
  // Each after the one before.
  for (size_t i = 1; i < nodes.size(); ++i)
    if (!nodes[i]->isAfterTheOneBefore)
      return invalidValue;
  auto *made = new Executable{static_cast<Graph *>(graph), {}, false};
  for (const auto &node : made->graph->nodes)
    made->launches.push_back(node->launch);
  *executable = made;
  return record("cuGraphInstantiateWithFlags",
                std::to_string(made->launches.size()));
}

int cuGraphExecKernelNodeSetParams_v2(void *executable, void *node,
                                      const NodeParams *parameters) {
  auto &in = *static_cast<Executable *>(executable);
  const auto &of = *static_cast<Node *>(node);
  if (in.isDestroyed || in.graph->isDestroyed || of.graph != in.graph)
    return invalidHandle;
  std::string text;
  const int wrong = read(*parameters, in.launches[of.index], text);
  const int error = record("cuGraphExecKernelNodeSetParams",
                           std::to_string(of.index) + ", " + text);
  return error ? error : wrong;
}

int cuGraphLaunch(void *executable, void *stream) {
  auto &of = *static_cast<Executable *>(executable);
  if (of.isDestroyed)
    return invalidHandle;
  if (int error = checkStream(static_cast<Stream *>(stream)))
    return error;
  std::string text;
  for (const Launch &launch : of.launches) {
    text += text.empty() ? "" : "; ";
    if (int wrong = describe(launch, text))
      return wrong;
  }
  if (int error = record("cuGraphLaunch", text))
    return error;
  for (const Launch &launch : of.launches)
    if (int error = run(launch))
      return error;
  return success;
}

int cuGraphExecDestroy(void *executable) {
  static_cast<Executable *>(executable)->isDestroyed = true;
  return record("cuGraphExecDestroy");
}

} // extern "C"
