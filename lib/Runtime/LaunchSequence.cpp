//===- LaunchSequence.cpp - Launches and the CUDA graph of them -----------===//

#include "LaunchSequence.h"

#include <algorithm>

using namespace tc::runtime;

/// Of a kernel that may start once all blocks of the one before have said so or
/// are done: CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC and
/// CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC.
static constexpr CUgraphEdgeData programmaticEdge{/*fromPort=*/1,
                                                  /*toPort=*/0,
                                                  /*type=*/1,
                                                  {}};

bool LaunchSequence::beginsAs(const LaunchSequence &other, size_t count) const {
  if (count > size() || count > other.size())
    return false;
  for (size_t i = 0; i < count; ++i)
    if (kernel(i) != other.kernel(i))
      return false;
  return true;
}

void LaunchSequence::add(const tc_kernel &kernel, int64_t blocks,
                         const CUDALaunch &launch, const void *arguments) {
  const auto *bytes = static_cast<const char *>(arguments);
  launches.push_back({&kernel, blocks, launch, argumentBytes.size(), nullptr});
  argumentBytes.insert(argumentBytes.end(), bytes,
                       bytes + kernel.argument_bytes);
}

void LaunchSequence::addFrom(const LaunchSequence &other, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Launch &launch = other.launches[i];
    add(*launch.kernel, launch.blocks, launch.grid,
        &other.argumentBytes[launch.offset]);
  }
}

void LaunchSequence::dropGraph() {
  const CUDADriver &driver = *device.driver;
  if (executable)
    driver.cuGraphExecDestroy(executable); // work in flight goes on
  if (graph)
    driver.cuGraphDestroy(graph);
  executable = graph = nullptr;
}

void LaunchSequence::refuse(const char *what, CUresult error) {
  reason = device.failure(what, error).message();
  dropGraph();
}

CUkernelNodeParams LaunchSequence::describe(const Launch &launch,
                                            KernelArguments &arguments) const {
  CUkernelNodeParams parameters{};
  parameters.function = launch.grid.function;
  parameters.gridX = launch.grid.gridX;
  parameters.gridY = launch.grid.gridY;
  parameters.blockX = launch.kernel->threads;
  parameters.gridZ = parameters.blockY = parameters.blockZ = 1;
  parameters.sharedBytes = launch.kernel->dynamic_shared_bytes;
  parameters.arguments = arguments.addresses();
  parameters.extra = arguments.extra();
  return parameters;
}

/// Adds a node for each launch, after that of the one before or, where the
/// kernel waits for it itself, as soon as its blocks allow that.
CUresult LaunchSequence::addNodes() {
  const CUDADriver &driver = *device.driver;
  CUgraphNode before = nullptr;
  for (Launch &launch : launches) {
    KernelArguments arguments(*launch.kernel, argumentsOf(launch));
    const CUkernelNodeParams parameters = describe(launch, arguments);
    const bool overlaps = before && driver.cuGraphAddDependencies &&
                          launch.kernel->flags & TC_KERNEL_PROGRAMMATIC;
    if (CUresult error = driver.cuGraphAddKernelNode(
            &launch.node, graph, &before, before && !overlaps ? 1 : 0,
            &parameters))
      return error;
    if (overlaps)
      if (CUresult error = driver.cuGraphAddDependencies(
              graph, &before, &launch.node, &programmaticEdge, 1))
        return error;
    if (launch.kernel->cluster > 1) {
      CUlaunchAttributeValue value{};
      value.cluster[0] = launch.kernel->cluster;
      value.cluster[1] = value.cluster[2] = 1;
      if (CUresult error = driver.cuGraphKernelNodeSetAttribute(
              launch.node, clusterDimension, &value))
        return error;
    }
    before = launch.node;
  }
  return 0;
}

void LaunchSequence::makeGraph() {
  // One launch costs no less as a graph.
  if (size() < 2)
    return;
  const CUDADriver &driver = *device.driver;
  CUresult error = driver.cuGraphCreate(&graph, 0);
  if (!error)
    error = addNodes();
  if (!error)
    error = driver.cuGraphInstantiateWithFlags(&executable, graph, 0);
  if (error)
    refuse("a CUDA graph cannot be made", error);
}

Status LaunchSequence::change(Launch &launch, int64_t blocks,
                              const void *arguments) {
  if (launch.blocks != blocks) {
    if (Status status =
            prepareCUDALaunch(device, *launch.kernel, blocks, launch.grid);
        !status.ok())
      return status;
    launch.blocks = blocks;
  }
  std::memcpy(argumentsOf(launch), arguments, launch.kernel->argument_bytes);
  if (!executable)
    return Status::success();
  KernelArguments given(*launch.kernel, argumentsOf(launch));
  const CUkernelNodeParams parameters = describe(launch, given);
  // Launches of the graph that are in flight keep what they had.
  if (CUresult error = device.driver->cuGraphExecKernelNodeSetParams(
          executable, launch.node, &parameters))
    refuse("a CUDA graph cannot be updated", error);
  return Status::success();
}

Status LaunchSequence::updateFrom(const LaunchSequence &other, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Launch &launch = other.launches[i];
    if (Status status =
            update(i, launch.blocks, &other.argumentBytes[launch.offset]);
        !status.ok())
      return status;
  }
  return Status::success();
}

Status LaunchSequence::start(CUstream stream) {
  if (!executable)
    return startOneByOne(stream, size());
  const CUresult error = device.driver->cuGraphLaunch(executable, stream);
  if (CUDADevice::breaksContext(error)) [[unlikely]] // of work before it
    return device.kernelFailure(error, stream, /*ofAllStreams=*/true);
  if (error) [[unlikely]] {
    refuse("a CUDA graph cannot be started", error);
    return startOneByOne(stream, size());
  }
  for (size_t i = size() - std::min(size(), CUDADevice::launchesKept);
       i < size(); ++i)
    device.recordLaunch(launches[i].grid.function, stream,
                        launches[i].grid.gridX, launches[i].kernel->threads);
  return Status::success();
}

Status LaunchSequence::startOneByOne(CUstream stream, size_t count) {
  if (!device.isUsable())
    return device.status();
  for (size_t i = 0; i < count; ++i) {
    Launch &launch = launches[i];
    if (Status status = startCUDAKernel(device, stream, *launch.kernel,
                                        launch.grid, argumentsOf(launch));
        !status.ok())
      return status;
  }
  return Status::success();
}
