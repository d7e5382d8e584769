// program_random.hpp - random numbers that all ranks draw alike, and how a program reports that it is wrong.
#pragma once

#include <mpi.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

class program_random {
 public:
  explicit program_random(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}

  std::uint64_t next() {  // splitmix64
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// From `least` to `most`, both included.
  int number(int least, int most) { return least + static_cast<int>(next() % static_cast<unsigned>(most - least + 1)); }
  bool one_in(int n) { return next() % static_cast<unsigned>(n) == 0; }
  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[next() % all.size()];
  }
  template <class T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[next() % i]);
  }

 private:
  std::uint64_t state_;
};

/// The byte `i` of the data that belongs to `key`.
inline unsigned char byte_of(std::uint64_t key, std::size_t i) {
  return static_cast<unsigned char>(program_random(key * 4096 + i / 8).next() >> (8 * (i % 8)));
}

/// The program that runs now; a failure names it.
inline std::uint64_t program_seed = 0;

[[noreturn, gnu::format(printf, 1, 2)]] inline void fail(const char* format, ...) {
  va_list values;
  va_start(values, format);
  std::printf("program %llu: ", static_cast<unsigned long long>(program_seed));
  std::vprintf(format, values);
  std::printf("\n");
  std::fflush(stdout);
  va_end(values);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}
