//===- KernelAssembly.cpp - Assembling kernels ahead of launches ----------===//

#include "TC/Runtime/KernelAssembly.h"
#include "CUDADevice.h"
#include "ContentHash.h"
#include "CubinCache.h"
#include "SignalsBlocked.h"
#include "TC/Runtime/CPULimit.h"
#include "TC/Runtime/CUDAAssembler.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <unordered_map>
#include <vector>

using namespace tc::runtime;

namespace {
/// The assembly of one image.
struct Job {
  enum class Stage { Waiting, Running, Done, Taken };

  explicit Job(std::string_view image) : image(image) {}

  const std::string image;
  Stage stage = Stage::Waiting;
  std::string cubin; ///< once it is done
};

/// All jobs that have not been taken, by the hash of their images. Its mutex
/// guards them, and what the threads of a program share.
struct Registry {
  using Jobs = std::unordered_multimap<uint64_t, std::shared_ptr<Job>>;
  std::mutex mutex;
  std::condition_variable done;
  Jobs jobs;

  /// The place of a job of an equal image; the end where there is none.
  Jobs::iterator find(std::string_view image) {
    auto [at, end] = jobs.equal_range(contentHash(image));
    while (at != end && at->second->image != image)
      ++at;
    return at == end ? jobs.end() : at;
  }
  /// Forgets a job, unless that has been done.
  void forget(const std::shared_ptr<Job> &job) {
    auto at = find(job->image);
    if (at != jobs.end() && at->second == job)
      jobs.erase(at);
  }
};

Registry &registry() {
  static auto *all = new Registry(); // as long as any thread
  return *all;
}

std::string_view withoutZero(std::string_view image) {
  if (!image.empty() && image.back() == '\0')
    image.remove_suffix(1);
  return image;
}

/// The cubin of an image; empty where the cache on disk has it, which whoever
/// loads the kernel asks first.
std::string assemble(const std::string &image, int32_t index) {
  if (!CubinCache::folder().empty()) {
    const CUDADevice &device = CUDADevice::get(index);
    if (CubinCache::read(image, device.driverVersion, device.chip))
      return "";
  }
  return assembleWholeProgram(image);
}
} // namespace

struct KernelAssembly::State {
  explicit State(int32_t device) : device(device) {}

  const int32_t device;
  std::vector<std::weak_ptr<Job>> jobs; ///< all that this program has begun
  std::deque<std::shared_ptr<Job>> waiting;
  std::vector<pthread_t> threads;
  size_t running = 0; ///< threads

  /// Begins one more thread that assembles. What waits without one is
  /// assembled by whoever takes it.
  bool addThread() {
    pthread_t thread;
    auto start = [](void *state) -> void * {
      static_cast<State *>(state)->run();
      return nullptr;
    };
    const SignalsBlocked blocked;
    if (pthread_create(&thread, nullptr, start, this) != 0)
      return false;
    threads.push_back(thread);
    ++running;
    return true;
  }

  /// Assembles what waits until nothing does.
  void run() {
    std::unique_lock lock(registry().mutex);
    while (!waiting.empty()) {
      const std::shared_ptr<Job> job = std::move(waiting.front());
      waiting.pop_front();
      if (job->stage != Job::Stage::Waiting)
        continue;
      job->stage = Job::Stage::Running;
      lock.unlock();
      std::string cubin = assemble(job->image, device);
      lock.lock();
      job->cubin = std::move(cubin);
      job->stage = Job::Stage::Done;
      registry().done.notify_all();
    }
    --running;
  }
};

KernelAssembly::KernelAssembly(int32_t device)
    : state(std::make_unique<State>(device)) {}

KernelAssembly::~KernelAssembly() {
  {
    const std::lock_guard lock(registry().mutex);
    state->waiting.clear();
    for (const std::weak_ptr<Job> &weak : state->jobs)
      if (const std::shared_ptr<Job> job = weak.lock())
        registry().forget(job);
  }
  for (pthread_t thread : state->threads)
    pthread_join(thread, nullptr);
}

void KernelAssembly::begin(std::string_view image) {
  image = withoutZero(image);
  const std::lock_guard lock(registry().mutex);
  if (registry().find(image) != registry().jobs.end())
    return;
  auto job = std::make_shared<Job>(image);
  registry().jobs.emplace(contentHash(image), job);
  state->jobs.push_back(job);
  state->waiting.push_back(std::move(job));
  if (state->jobs.size() == 1)
    return; // The driver assembles one that is alone as fast as a process.
  const size_t limit = availableCPUCount();
  for (size_t more = state->jobs.size() == 2 ? 2 : 1;
       more > 0 && state->running < limit && state->addThread(); --more)
    ;
}

std::optional<std::string> KernelAssembly::take(std::string_view image) {
  std::unique_lock lock(registry().mutex);
  const auto at = registry().find(withoutZero(image));
  if (at == registry().jobs.end())
    return std::nullopt;
  const std::shared_ptr<Job> job = at->second;
  if (job->stage == Job::Stage::Running)
    registry().done.wait(lock,
                         [&] { return job->stage != Job::Stage::Running; });
  const bool isMine = job->stage == Job::Stage::Done;
  job->stage = Job::Stage::Taken;
  registry().forget(job);
  if (!isMine)
    return std::nullopt;
  return std::move(job->cubin);
}
