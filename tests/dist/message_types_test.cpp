// The messages of all kinds that a node of a job can receive: bytes that no node could have written are refused.
#include <stretto/job.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "dist/dist_floor.hpp"
#include "dist/job_member.hpp"
#include "event/event_floor.hpp"

namespace stretto::dist {
namespace {

using bytes_of_message = std::vector<std::byte>;

/// All failures are one, of no bytes.
class one_failure final : public failure_fields {
 public:
  void write(writer&, const failure&) override {}
  failure_ref read(reader&, rank) override { return its_; }

 private:
  failure_ref its_ = detail::make_failure(std::make_exception_ptr(std::runtime_error("no")), "work", {});
};

/// Runs on the one node of a simulated job. Calls f(type, environment) for each kind of message.
template <class F>
void for_all_types(F&& f) {
  const simulated_job job({.nodes = 1});
  runtime rt({.workers = 1, .job = job.seat(0)});
  rt.run([&] {
    const dist_state& here = *base::require_current("test").runtime->get<dist_state>(base::floor_slot::dist);
    one_failure failures;
    const message_environment of{.first_node = 7, .nodes = 3, .sender = 1, .failures = &failures};
    const auto types = here.of->of().message_types();
    CHECK(types.size() > 40);
    for (const dist::job::message_type& type : types) {
      CAPTURE(std::string(type.name));
      f(type, of);
    }
  });
}

std::uint64_t word_at(const bytes_of_message& all, std::size_t at) {
  std::uint64_t word = 0;
  std::memcpy(&word, all.data() + at, sizeof word);
  return word;
}

/// True if they are equal but for source lines: one that this node does not have is written as "somewhere on node N",
/// a number from 1 to 2^16 (program_constants.hpp).
bool are_equal_but_for_lines(const bytes_of_message& given, const bytes_of_message& written) {
  if (given.size() != written.size()) return false;
  for (std::size_t i = 0; i < given.size();) {
    if (given[i] == written[i]) {
      ++i;
      continue;
    }
    const std::size_t least = i < 7 ? 0 : i - 7;
    std::optional<std::size_t> line;
    for (std::size_t at = least; at <= i && at + 8 <= given.size(); ++at)
      if (word_at(given, at) > 0x1'0000 && word_at(written, at) - 1 < 0x1'0000) line = at;
    if (!line) return false;
    i = *line + 8;
  }
  return true;
}

/// Mostly zeros and small numbers, so that counts, enumerators and truth values are often possible ones.
bytes_of_message random_bytes(std::size_t n, std::mt19937& random) {
  bytes_of_message all(n);
  for (std::byte& b : all) {
    const auto die = random() % 100;
    b = static_cast<std::byte>(die < 80 ? 0 : die < 92 ? 1 : die < 97 ? random() % 8 : random());
  }
  return all;
}

}  // namespace

TEST_CASE("a message of default fields is read as it was written, and no beginning of it is a message") {
  for_all_types([](const dist::job::message_type& type, const message_environment& of) {
    const bytes_of_message whole = type.default_bytes(of);
    const auto again = type.reencode(of, whole);
    REQUIRE(again);
    CHECK(*again == whole);
    for (std::size_t n = 0; n < whole.size(); ++n) CHECK_FALSE(type.reencode(of, std::span(whole).first(n)));
  });
}

TEST_CASE("of all beginnings of arbitrary bytes at most one is a message, or all from one on: what ends in bytes") {
  std::mt19937 random(1);
  for_all_types([&](const dist::job::message_type& type, const message_environment& of) {
    for (int round = 0; round < 20; ++round) {
      const bytes_of_message all = round == 0 ? bytes_of_message(400) : random_bytes(400, random);
      std::vector<std::size_t> accepted;
      for (std::size_t n = 0; n <= all.size(); ++n) {
        const bytes_of_message some(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n));
        const auto written = type.reencode(of, some);
        if (!written) continue;
        accepted.push_back(n);
        if (!are_equal_but_for_lines(some, *written)) FAIL("other bytes were written than were read");
      }
      if (round == 0) CHECK_FALSE(accepted.empty());
      if (accepted.size() > 1) CHECK(accepted.size() == all.size() + 1 - accepted.front());
    }
  });
}

TEST_CASE("any change of a byte makes bytes that are refused, or that are what their message is written as") {
  std::mt19937 random(2);
  for_all_types([&](const dist::job::message_type& type, const message_environment& of) {
    const bytes_of_message whole = type.default_bytes(of);
    if (whole.empty()) return;
    for (int round = 0; round < 500; ++round) {
      bytes_of_message changed = whole;
      for (int changes = 1 + round % 3; changes > 0; --changes)
        changed[random() % changed.size()] = static_cast<std::byte>(random());
      const auto written = type.reencode(of, changed);
      if (written && !are_equal_but_for_lines(changed, *written)) FAIL("other bytes were written than were read");
    }
  });
}

}  // namespace stretto::dist
