// stopwatch.hpp - how long something takes, by the clock on the wall.
//
// Threads     any.
#pragma once

#include <chrono>

namespace stretto::tools {

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count(); }

 private:
  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

template <class Work>
double seconds_of(Work&& work) {
  const stopwatch clock;
  work();
  return clock.seconds();
}

}  // namespace stretto::tools
