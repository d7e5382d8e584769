// drawing.hpp - what random programs on real processes share: numbers from a seed, and the end of the job where
// something is not so.
#pragma once

#include <stretto/job.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

namespace stretto::test {

inline std::uint64_t seed_now = 0;

[[noreturn]] inline void give_up(const std::string& what) {
  std::printf("node %u, seed %llu: not so: %s\n", this_node(), static_cast<unsigned long long>(seed_now), what.c_str());
  std::fflush(stdout);
  std::_Exit(1);
}
inline void expect(bool is_so, const std::string& what) {
  if (!is_so) give_up(what);
}

struct drawing {
  std::mt19937_64 random;
  explicit drawing(std::uint64_t seed) : random(seed) {}
  std::size_t below(std::size_t n) { return random() % n; }
  std::uint32_t node() { return static_cast<std::uint32_t>(below(job_nodes())); }
};

// Each on node 0, with a part on the others.
void barrier_program(std::uint64_t seed);        // random_barriers.cpp
void collection_program(std::uint64_t seed);     // random_collections.cpp
void put_program(std::uint64_t seed);            // random_elements.cpp
void global_memory_program(std::uint64_t seed);  // the same

}  // namespace stretto::test
