//===- ProfilerTest.cpp - Tests of the profiler ---------------------------===//

#include "TC/Runtime/Profiler.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tc::runtime;

namespace {

TEST(Profiler, RecordsOnlyWhileOn) {
  Profiler profiler;
  profiler.end("a", profiler.begin());
  EXPECT_TRUE(profiler.events().empty());
  profiler.start();
  const uint64_t begin = profiler.begin();
  EXPECT_GT(begin, 0u);
  profiler.end("a", begin);
  profiler.stop();
  ASSERT_EQ(profiler.events().size(), 1u);
  const ProfileEvent event = profiler.events()[0];
  EXPECT_EQ(event.begin, begin);
  EXPECT_GE(event.end, begin);
  profiler.clear();
  EXPECT_TRUE(profiler.events().empty());
}

TEST(Profiler, AddsUpKernels) {
  Profiler profiler;
  profiler.start();
  const uint64_t now = Profiler::now();
  profiler.end("short", now - 1000);
  profiler.end("long", now - 1000000000);
  profiler.end("short", now - 500);
  auto rows = profiler.summary();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].kernel, "long");
  EXPECT_EQ(rows[1].runs, 2u);
  EXPECT_GE(rows[1].totalNanoseconds, 1500u);
  EXPECT_GE(rows[1].shortestNanoseconds, 500u);
}

TEST(Profiler, IsThreadSafe) {
  Profiler profiler;
  profiler.start();
  auto work = [&] {
    for (int i = 0; i < 1000; ++i)
      profiler.end("kernel_" + std::to_string(i % 10), profiler.begin());
  };
  std::thread first(work), second(work);
  first.join();
  second.join();
  EXPECT_EQ(profiler.events().size(), 2000u);
  EXPECT_EQ(profiler.summary().size(), 10u);
}

TEST(Profiler, WritesAChromeTrace) {
  TemporaryFolder folder;
  Profiler profiler;
  profiler.start();
  profiler.end("a \"quoted\"\n\\kernel", profiler.begin());
  profiler.end("b", profiler.begin());
  ASSERT_TRUE(profiler.writeChromeTrace(folder.path("trace.json")).ok());
  const std::string text = folder.read("trace.json");
  EXPECT_EQ(text.find("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n{"),
            0u);
  EXPECT_NE(text.find("\"name\": \"a \\\"quoted\\\"\\u000a\\\\kernel\""),
            std::string::npos);
  EXPECT_NE(text.find("\"ph\": \"X\""), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 5), "}\n]}\n");
  EXPECT_FALSE(profiler.writeChromeTrace(folder.path("no/such/x")).ok());
}

} // namespace
