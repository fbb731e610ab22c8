//===- Progress.cpp - A line for work that takes long ---------------------===//

#include "Progress.h"
#include "llvm/Support/Process.h"
#include <chrono>
#include <cstdio>

using namespace tc::runner;

Progress::Progress() {
  if (llvm::sys::Process::StandardErrIsDisplayed())
    thread = std::thread([this] { work(); });
}

Progress::~Progress() {
  {
    std::lock_guard lock(mutex);
    done = true;
  }
  wake.notify_all();
  if (thread.joinable())
    thread.join();
}

void Progress::setActivity(const std::string &text) {
  std::lock_guard lock(mutex);
  activity = text;
}

void Progress::work() {
  using namespace std::chrono;
  const auto begin = steady_clock::now();
  std::unique_lock lock(mutex);
  auto isDone = [this] { return done; };
  if (wake.wait_for(lock, seconds(2), isDone))
    return;
  do {
    double elapsed = duration<double>(steady_clock::now() - begin).count();
    std::fprintf(stderr, "\r\033[K%s (%.0f s)", activity.c_str(), elapsed);
  } while (!wake.wait_for(lock, milliseconds(500), isDone));
  std::fputs("\r\033[K", stderr);
}
