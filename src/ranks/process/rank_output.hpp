// rank_output.hpp - sends what programs write to std::cout, std::cerr and std::clog to the streams of their rank.
//
// These are objects of the process. While this lives, what is written to them goes to `stdout` or `stderr` of the rank
// whose program runs on the thread, and elsewhere to the process's.
//
// Threads     one object at a time; any thread may write to the streams.
#pragma once

#include <cstdio>
#include <iostream>
#include <streambuf>

namespace stretto::ranks {

/// Writes to one of the two streams of the rank that runs on the thread.
class rank_stream final : public std::streambuf {
 public:
  explicit rank_stream(FILE* (*of_thread)()) : of_thread_(of_thread) {}

 private:
  int_type overflow(int_type one) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  FILE* (*const of_thread_)();
};

class rank_output {
 public:
  rank_output();
  rank_output(const rank_output&) = delete;
  ~rank_output();

 private:
  rank_stream output_, error_;
  std::streambuf *const output_before_, *const error_before_, *const log_before_;
};

}  // namespace stretto::ranks
