// Freed memory that the heap keeps: no page of it is the system's again. A process of its own, for what is set stays
// set.
#include "base/kept_heap.hpp"

#include <doctest/doctest.h>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include "base/config.hpp"

namespace stretto {
namespace {

/// How many pages are given by the system while three blocks of a megabyte come and go a hundred times, in a thread of
/// its own.
long faults_of_a_hundred_rounds() {
  long faults = 0;
  std::thread([&] {
    const auto now = [] {
      rusage u{};
      getrusage(RUSAGE_THREAD, &u);
      return u.ru_minflt;
    };
    const auto round = [] {
      std::array<std::unique_ptr<char[]>, 3> blocks;
      for (auto& b : blocks) {
        b = std::make_unique_for_overwrite<char[]>(1 << 20);
        std::memset(b.get(), 1, 1 << 20);
        asm volatile("" : : "r"(b.get()) : "memory");  // it is written
      }
    };
    round();
    const long before = now();
    for (int i = 0; i < 100; ++i) round();
    faults = now() - before;
  }).join();
  return faults;
}

/// The result of `body` in a child of this process, with these variables: from 0 to 255.
template <class Body>
int in_a_child(std::initializer_list<const char*> variables, Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    for (const char* name : {"MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES"}) unsetenv(name);
    for (const char* v : variables) putenv(const_cast<char*>(v));
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_CASE("freed memory is given out again without a fault for each page, once the heap keeps it") {
  if (base::address_sanitizer || base::thread_sanitizer) return;  // whose heaps are their own
  const auto is_cheap = [] { return faults_of_a_hundred_rounds() < 10'000; };
  CHECK(in_a_child({}, [&] { return base::keep_heap(64 << 20) && is_cheap(); }) == 1);
  // 768 pages a round are what it takes else: without that this test says nothing.
  CHECK(in_a_child({}, [&] { return base::keep_heap(1 << 20) && !is_cheap(); }) == 1);
}

TEST_CASE("a heap that the user has set is left as it is, and so is every heap where nothing is to be kept") {
  const auto set = [](std::uint64_t bytes) { return [bytes] { return base::keep_heap(bytes) ? 1 : 0; }; };
  CHECK(in_a_child({}, set(0)) == 0);
  CHECK(in_a_child({"MALLOC_TRIM_THRESHOLD_=131072"}, set(64 << 20)) == 0);
  CHECK(in_a_child({"MALLOC_MMAP_THRESHOLD_=131072"}, set(64 << 20)) == 0);
  CHECK(in_a_child({"GLIBC_TUNABLES=glibc.malloc.tcache_count=0"}, set(64 << 20)) == 0);
  if (base::address_sanitizer || base::thread_sanitizer) return;
  CHECK(in_a_child({"GLIBC_TUNABLES=glibc.rtld.nns=4"}, set(64 << 20)) == 1);
  CHECK(in_a_child({}, set(std::uint64_t{1} << 40)) == 1);
}

}  // namespace
}  // namespace stretto
