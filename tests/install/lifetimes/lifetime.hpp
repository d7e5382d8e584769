// lifetime.hpp - one use of a runtime, and the four ways in which its life ends.
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>

#include <stretto/stretto.hpp>

/// Runs tasks on `rt`, then ends as `how` says:
///
///   return      returns 0
///   exit        calls exit(3) in a task
///   exception   a task throws, and so does this function
///   attached    returns 0; a thread stays attached for a while, and prints "detached"
inline int use(stretto::runtime& rt, const std::string& how) {
  const int sum = rt.run([] {
    int all = 0;
    for (int i = 0; i < 10; ++i) all += stretto::async([i] { return i; }).get();
    return all;
  });
  std::printf("%d\n", sum);
  std::fflush(stdout);
  if (how == "exit") rt.run([] { stretto::async([] { std::exit(3); }).get(); });
  if (how == "exception") rt.run([] { stretto::async([] { throw std::runtime_error("thrown by a task"); }).get(); });
  if (how != "attached") return 0;
  static std::atomic<bool> is_attached = false;
  std::thread([&rt] {
    const stretto::attached_thread here(rt);
    is_attached = true;
    is_attached.notify_one();
    int all = 0;
    for (int i = 0; i < 1000; ++i) all += stretto::async([] { return 1; }).get();
    std::printf("detached %d\n", all);
    std::fflush(stdout);
  }).detach();
  is_attached.wait(false);
  return 0;
}
