//===- Progress.h - What is being done --------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_PROGRESS_H
#define TC_LIB_RUNNER_PROGRESS_H

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace tc::runner {

/// A line on the terminal that says what is being done, for work that lasts
/// over two seconds. Nothing is written when standard error is no terminal.
class Progress {
public:
  Progress();
  ~Progress();
  void setActivity(const std::string &text);

private:
  void work();
  std::mutex mutex;
  std::condition_variable wake;
  std::string activity;
  bool done = false;
  std::thread thread;
};

} // namespace tc::runner

#endif // TC_LIB_RUNNER_PROGRESS_H
