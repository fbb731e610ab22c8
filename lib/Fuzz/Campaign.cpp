//===- Campaign.cpp - Checking many seeds in processes of their own -------===//

#include "TC/Fuzz/Campaign.h"
#include "TC/Pipelines/Registration.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using Clock = std::chrono::steady_clock;

namespace {
/// A worker's report to the process that started it, in memory of both.
struct Progress {
  std::atomic<uint64_t> nextSeed; ///< of the campaign, not of one worker
  struct Worker {
    std::atomic<uint64_t> seed;
    std::atomic<int64_t> began; ///< nanoseconds of the steady clock; 0: idle
  } workers[64];
  std::atomic<uint64_t> modules, failures;
};

struct Child {
  pid_t process = -1;
  bool isKilled = false;
};

class Campaign {
public:
  explicit Campaign(const CampaignOptions &options)
      : options(options),
        end(Clock::now() + std::chrono::seconds(options.duration)) {
    void *memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    progress = new (memory) Progress();
    progress->nextSeed = options.firstSeed;
  }
  ~Campaign() { munmap(progress, sizeof(Progress)); }

  CampaignResult run();

private:
  bool isOver() const {
    return progress->nextSeed >= options.firstSeed + options.count ||
           (options.duration > 0 && Clock::now() >= end);
  }
  void start(unsigned index);
  [[noreturn]] void work(Progress::Worker &self);
  void reap(unsigned index, int status);
  void stopIfSlow(unsigned index);
  std::string getReproducer(uint64_t seed, int64_t ops) const;

  const CampaignOptions &options;
  Clock::time_point end;
  Progress *progress = nullptr;
  std::vector<Child> children;
};
} // namespace

static int64_t now() {
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

std::string Campaign::getReproducer(uint64_t seed, int64_t ops) const {
  std::string text = "reproduce: tc-fuzz --seed=" + std::to_string(seed) +
                     " --count=1 --ops=" + std::to_string(ops);
  for (const std::string &name : options.generate.only)
    text += " --only=" + name;
  if (!options.generate.onlySchedules.empty())
    text += " --only-schedules=" + options.generate.onlySchedules;
  text += " --targets=" + llvm::join(options.generate.targets, ",");
  text += " --thread-counts=";
  for (auto [index, count] : llvm::enumerate(options.generate.threads))
    text += (index ? "," : "") + std::to_string(count);
  return text + "\n";
}

/// Writes all of `text` at once, so that workers' reports do not mix.
static void print(const std::string &text) {
  llvm::outs() << text;
  llvm::outs().flush();
}

/// The smallest module of `seed` that fails, and its failure.
static std::string describe(MLIRContext &context, uint64_t seed,
                            const GenerateOptions &fewest) {
  std::string text;
  llvm::raw_string_ostream os(text);
  GeneratedModule generated = generateModule(&context, seed, fewest);
  const CheckOptions &check = generated.check;
  os << "\nseed " << seed << " fails:\n" << *generated.module << "\n";
  for (const Finding &finding : checkSeed(&context, seed, fewest))
    os << finding.message << "\n";
  os << "checked with target " << check.target << ", cores " << check.cores;
  for (auto [name, isOn] : {std::pair("special values", check.specialValues),
                            std::pair("wrong indices", check.wrongIndices),
                            std::pair("dumps", check.dumps),
                            std::pair("schedules", check.schedules),
                            std::pair("strides", check.strides)})
    if (isOn)
      os << ", " << name;
  for (const std::string &version : check.specialize)
    os << ", specialised " << version;
  os << "\n";
  return text;
}

void Campaign::work(Progress::Worker &self) {
  // Types and attributes stay in the context: a new process now and then.
  constexpr int kModules = 200;
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  for (int i = 0; i < kModules && !isOver(); ++i) {
    uint64_t seed = progress->nextSeed.fetch_add(1);
    if (seed >= options.firstSeed + options.count)
      break;
    self.seed = seed;
    self.began = now();
    bool isWrong = !checkSeed(&context, seed, options.generate).empty();
    if (isWrong) {
      GenerateOptions fewest = minimize(&context, seed, options.generate);
      print(describe(context, seed, fewest) + getReproducer(seed, fewest.ops));
    }
    self.began = 0;
    ++progress->modules;
    progress->failures += isWrong;
  }
  _exit(0);
}

void Campaign::start(unsigned index) {
  llvm::outs().flush();
  children[index] = {fork(), false};
  if (children[index].process == 0)
    work(progress->workers[index]);
}

void Campaign::reap(unsigned index, int status) {
  Progress::Worker &worker = progress->workers[index];
  Child &child = children[index];
  child.process = -1;
  if (worker.began.exchange(0) == 0)
    return;
  ++progress->modules;
  ++progress->failures;
  std::string text = "\nseed " + std::to_string(worker.seed) + " ";
  if (child.isKilled)
    text +=
        "takes more than " + std::to_string(options.timeLimit) + " seconds\n";
  else if (WIFSIGNALED(status))
    text += std::string("crashes: ") + strsignal(WTERMSIG(status)) + "\n";
  else
    text += "ends the process with status " +
            std::to_string(WEXITSTATUS(status)) + "\n";
  print(text + getReproducer(worker.seed, options.generate.ops));
}

void Campaign::stopIfSlow(unsigned index) {
  int64_t began = progress->workers[index].began;
  Child &child = children[index];
  if (began == 0 || child.isKilled ||
      now() - began < int64_t(options.timeLimit) * 1000000000)
    return;
  child.isKilled = true;
  kill(child.process, SIGKILL);
}

CampaignResult Campaign::run() {
  children.resize(std::clamp(options.jobs, 1u, 64u));
  for (bool isBusy = true; isBusy;) {
    isBusy = false;
    for (unsigned index = 0; index < children.size(); ++index) {
      Child &child = children[index];
      int status = 0;
      if (child.process > 0 &&
          waitpid(child.process, &status, WNOHANG) == child.process)
        reap(index, status);
      if (child.process <= 0 && !isOver())
        start(index);
      if (child.process > 0) {
        isBusy = true;
        stopIfSlow(index);
      }
    }
    if (isBusy)
      usleep(20000);
  }
  return {progress->modules, progress->failures};
}

CampaignResult tc::fuzz::runCampaign(const CampaignOptions &options) {
  return Campaign(options).run();
}
