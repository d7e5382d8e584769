// rank_output.hpp - sends what programs write to std::cout to the standard output of their rank.
//
// std::cout is one object of the process. While this lives, what is written to it goes to the `stdout` of the rank
// whose program runs on the thread, and elsewhere to the process's.
//
// Threads     one object at a time; any thread may write to std::cout.
#pragma once

#include <streambuf>

namespace stretto::ranks {

class rank_output final : std::streambuf {
 public:
  rank_output();
  rank_output(const rank_output&) = delete;
  ~rank_output();

 private:
  int_type overflow(int_type one) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;

  std::streambuf* const before_;
};

}  // namespace stretto::ranks
