//===- SignalsBlocked.h - Threads that take no signals ----------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_SIGNALSBLOCKED_H
#define TC_LIB_RUNTIME_SIGNALSBLOCKED_H

#include <csignal>

namespace tc::runtime {

/// Blocks all signals of the thread while it lives, so that threads which are
/// made meanwhile take none: they are for the program's own threads.
class SignalsBlocked {
public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &old, nullptr); }
  SignalsBlocked(const SignalsBlocked &) = delete;
  SignalsBlocked &operator=(const SignalsBlocked &) = delete;

private:
  sigset_t old;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_SIGNALSBLOCKED_H
