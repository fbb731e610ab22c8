//===- floors.cpp - What the machine can do at most -----------------------===//
//
// Loops whose rate no kernel beats: a copy and a read of memory, and
// independent multiply-adds. run.py compiles this file for the machine it runs
// on and calls it through ctypes, next to every workload it measures.
//
//===----------------------------------------------------------------------===//

#include <chrono>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

using Clock = std::chrono::steady_clock;

static constexpr int64_t kLanes = 16;
using Floats = float __attribute__((vector_size(64)));

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Runs body(thread) on `threads` threads and returns what the slowest took.
template <typename Body> static double runOnThreads(int threads, Body body) {
  std::vector<double> seconds(threads);
  std::vector<std::thread> team;
  auto timed = [&](int thread) {
    Clock::time_point begin = Clock::now();
    body(thread);
    seconds[thread] = secondsSince(begin);
  };
  for (int thread = 1; thread < threads; ++thread)
    team.emplace_back(timed, thread);
  timed(0);
  for (std::thread &thread : team)
    thread.join();
  double slowest = 0;
  for (double one : seconds)
    slowest = one > slowest ? one : slowest;
  return slowest;
}

/// Elements [begin, end) of `thread`'s part of `vectors`.
static void partOf(int64_t vectors, int threads, int thread, int64_t &begin,
                   int64_t &end) {
  begin = vectors * thread / threads;
  end = vectors * (thread + 1) / threads;
}

/// A non-temporal store; GCC has none of whole vectors.
static void storeNontemporal(Floats value, Floats *to) {
#if defined(__clang__)
  __builtin_nontemporal_store(value, to);
#elif defined(__x86_64__)
  __m128 parts[sizeof(Floats) / sizeof(__m128)];
  std::memcpy(parts, &value, sizeof(Floats));
  for (size_t i = 0; i < std::size(parts); ++i)
    _mm_stream_ps(reinterpret_cast<float *>(to) + 4 * i, parts[i]);
#else
  *to = value;
#endif
}

/// Bytes a second, read and written, of copying `bytes` from `source` to
/// `target` (64-byte aligned) `repeats` times; the better of ordinary and
/// non-temporal stores.
extern "C" double copy_rate(float *target, const float *source, int64_t bytes,
                            int64_t repeats, int threads) {
  int64_t vectors = bytes / int64_t(sizeof(Floats));
  auto *to = reinterpret_cast<Floats *>(target);
  auto *from = reinterpret_cast<const Floats *>(source);
  double best = 0;
  for (bool isNontemporal : {false, true}) {
    double seconds = runOnThreads(threads, [&](int thread) {
      int64_t begin, end;
      partOf(vectors, threads, thread, begin, end);
      for (int64_t repeat = 0; repeat < repeats; ++repeat) {
        if (isNontemporal)
          for (int64_t i = begin; i < end; ++i)
            storeNontemporal(from[i], to + i);
        else
          for (int64_t i = begin; i < end; ++i)
            to[i] = from[i];
        // Each repetition stores anew.
        asm volatile("" ::: "memory");
      }
    });
    double rate = 2.0 * double(bytes) * double(repeats) / seconds;
    best = rate > best ? rate : best;
  }
  return best;
}

/// Bytes a second of reading `bytes` from `source` `repeats` times.
extern "C" double read_rate(const float *source, int64_t bytes, int64_t repeats,
                            int threads) {
  int64_t vectors = bytes / int64_t(sizeof(Floats));
  auto *from = reinterpret_cast<const Floats *>(source);
  double seconds = runOnThreads(threads, [&](int thread) {
    int64_t begin, end;
    partOf(vectors, threads, thread, begin, end);
    for (int64_t repeat = 0; repeat < repeats; ++repeat) {
      Floats accumulators[8] = {};
      for (int64_t i = begin; i + 8 <= end; i += 8)
        for (int64_t j = 0; j < 8; ++j)
          accumulators[j] += from[i + j];
      for (Floats &accumulator : accumulators)
        asm volatile("" ::"x"(accumulator[0]));
    }
  });
  return double(bytes) * double(repeats) / seconds;
}

/// Floating-point operations a second (two for a multiply-add, f32) of
/// `iterations` rounds of independent multiply-adds.
extern "C" double multiply_add_rate(int64_t iterations, int threads) {
  constexpr int64_t kChains = 20; // covers latency 4 on 2 pipes and some more
  double seconds = runOnThreads(threads, [&](int) {
    Floats accumulators[kChains] = {};
    Floats x = {}, y = {};
    asm volatile("" : "+x"(x), "+x"(y));
    for (int64_t i = 0; i < iterations; ++i)
      for (Floats &accumulator : accumulators)
        accumulator = accumulator + x * y;
    for (Floats &accumulator : accumulators)
      asm volatile("" ::"x"(accumulator[0]));
  });
  return 2.0 * kChains * kLanes * double(iterations) * threads / seconds;
}
