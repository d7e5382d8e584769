// The marks by which a process tells `stretto run` that its job begins and ends.
#include "net/mpi/job_mark.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "with_variable.hpp"

namespace stretto::net::mpi {
namespace {

struct marks {
  marks() { REQUIRE(::pipe2(ends.data(), O_NONBLOCK) == 0); }
  ~marks() { ::close(ends[0]), ::close(ends[1]); }
  std::string all() const {
    std::string text(100, ' ');
    const auto n = ::read(ends[0], text.data(), text.size());
    return text.substr(0, n > 0 ? static_cast<std::size_t>(n) : 0);
  }

  std::array<int, 2> ends{};
};

}  // namespace

TEST_CASE("a process is in a job from its mark for the beginning to that for the end, of each of several") {
  const marks m;
  CHECK(!is_in_job(m.all()));
  const test::with_variable given(job_mark_variable, job_mark_value(m.ends[1]).c_str());
  mark_job(job_mark::in_job);
  CHECK(is_in_job(m.all()));
  mark_job(job_mark::in_job);
  mark_job(job_mark::over);
  CHECK(!is_in_job(m.all()));
  mark_job(job_mark::in_job);
  mark_job(job_mark::over);
  mark_job(job_mark::in_job);
  CHECK(is_in_job(m.all()));
}

TEST_CASE("other marks are found, and do not change whether the process is in a job") {
  const marks m;
  const test::with_variable given(job_mark_variable, job_mark_value(m.ends[1]).c_str());
  for (const auto one : {job_mark::of_ranks, job_mark::in_job, job_mark::reported}) mark_job(one);
  const std::string all = m.all();
  CHECK(is_in_job(all));
  CHECK(has_mark(all, job_mark::of_ranks));
  CHECK(has_mark(all, job_mark::reported));
  mark_job(job_mark::over);
  CHECK(!has_mark(m.all(), job_mark::reported));
}

TEST_CASE("a child process does not write marks into a file that reuses the pipe's number") {
  const marks m, other;
  const std::string value = job_mark_value(m.ends[1]);
  const std::string reused = std::to_string(other.ends[1]) + value.substr(value.find(':'));
  const test::with_variable given(job_mark_variable, reused.c_str());
  mark_job(job_mark::in_job);
  CHECK(other.all().empty());
  CHECK(m.all().empty());
}

TEST_CASE("without the variable, or without a pipe, no marks are written") {
  mark_job(job_mark::in_job);
  CHECK(job_mark_value(-1).empty());
  const int file = ::open("/dev/null", O_WRONLY);
  CHECK(job_mark_value(file).empty());
  ::close(file);
}

}  // namespace stretto::net::mpi
