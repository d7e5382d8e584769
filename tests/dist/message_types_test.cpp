// The messages of all kinds that a node of a job can receive: bytes that no node could have written are refused.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "dist/registered_messages.hpp"
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

/// Calls f(type, environment) for each kind of message.
template <class F>
void for_all_types(F&& f) {
  static const std::vector<message_type> types = test::registered_messages();
  one_failure failures;
  const message_environment of{.first_node = 7, .nodes = 3, .sender = 1, .failures = &failures};
  CHECK(types.size() > 40);
  for (const message_type& type : types) {
    CAPTURE(std::string(type.name));
    f(type, of);
  }
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
  for_all_types([](const message_type& type, const message_environment& of) {
    const bytes_of_message whole = type.default_bytes(of);
    const auto again = type.reencode(of, whole);
    REQUIRE(again);
    CHECK(*again == whole);
    for (std::size_t n = 0; n < whole.size(); ++n) CHECK_FALSE(type.reencode(of, std::span(whole).first(n)));
  });
}

TEST_CASE("of all beginnings of arbitrary bytes at most one is a message, or all from one on: what ends in bytes") {
  std::mt19937 random(1);
  for_all_types([&](const message_type& type, const message_environment& of) {
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
  for_all_types([&](const message_type& type, const message_environment& of) {
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

TEST_CASE("docs/messages.md has a heading for each kind of message that a node registers, and no others") {
  std::ifstream file(STRETTO_SOURCE_DIR "/docs/messages.md");
  std::set<std::string> named, registered;
  for (std::string line; std::getline(file, line) && line != "## Types of fields";) {
    if (!line.starts_with("#### `")) continue;
    for (std::size_t at = 0; (at = line.find('`', at)) != line.npos;) {
      const std::size_t end = line.find('`', at + 1);
      named.insert(line.substr(at + 1, end - at - 1));
      at = end + 1;
    }
  }
  for_all_types([&](const message_type& type, const message_environment&) { registered.emplace(type.name); });
  CHECK(named == registered);
}

namespace {

/// Any bytes: all values alike, or mostly small ones.
bytes_of_message hostile_bytes(std::mt19937& random) {
  if (random() % 4) return random_bytes(random() % 400, random);
  bytes_of_message all(random() % 200);
  for (std::byte& b : all) b = static_cast<std::byte>(random());
  return all;
}

/// Puts a number of 1 to 8 bytes that no count of a message can be.
void put_huge_number(bytes_of_message& into, std::mt19937& random) {
  if (into.empty()) return;
  const std::size_t at = random() % into.size(), bytes = std::min<std::size_t>(1 + random() % 8, into.size() - at);
  std::fill_n(into.begin() + static_cast<std::ptrdiff_t>(at), bytes, std::byte{0xff});
}

}  // namespace

TEST_CASE("hostile bytes of every kind of message are refused, or are a message that is read as it is written") {
  const test::receiving_node receiver;
  const message_environment& of = receiver.environment();
  std::mt19937 random(3);
  for_all_types([&](const message_type& type, const message_environment&) {
    const auto check = [&](const bytes_of_message& bytes) {
      const test::reading is = test::read_and_encode(type, of, bytes);
      if (is != test::reading::refused) REQUIRE(is == test::reading::sound);
      return is;
    };
    // A message that ends in a span takes any bytes as its last ones.
    bytes_of_message longer = type.default_bytes(of);
    longer.push_back({});
    const bool ends_in_bytes = check(longer) == test::reading::sound;
    for (int round = 0, rounds = test::scaled(600, 60'000); round < rounds; ++round) {
      check(hostile_bytes(random));
      const bytes_of_message valid = type.from_prefix(of, hostile_bytes(random));
      REQUIRE(check(valid) == test::reading::sound);

      if (!valid.empty()) {
        const auto end = valid.begin() + static_cast<std::ptrdiff_t>(random() % valid.size());
        const test::reading cut = check(bytes_of_message(valid.begin(), end));
        if (!ends_in_bytes) REQUIRE(cut == test::reading::refused);
      }
      longer = valid;
      for (auto more = 1 + random() % 20; more > 0; --more) longer.push_back(static_cast<std::byte>(random()));
      REQUIRE((check(longer) == test::reading::sound) == ends_in_bytes);

      bytes_of_message changed = valid;
      for (auto flips = 1 + random() % 8; flips > 0 && !changed.empty(); --flips)
        changed[random() % changed.size()] ^= std::byte{1} << random() % 8;
      check(changed);
      changed = valid;
      put_huge_number(changed, random);
      check(changed);
    }
  });
}

TEST_CASE("causes of a failure that are nested deeper than any node writes them are refused, not followed") {
  const test::receiving_node receiver;
  writer to(std::uint64_t{1}, std::uint8_t{0}, std::int32_t{8}, std::uint64_t{0});
  to.put_text("work", 100);
  for (int i = 0; i < 100'000; ++i) {
    to.put(std::uint8_t{2});  // an error
    for (int text = 0; text < 4; ++text) to.put_text("", 0);
    to.put(std::uint8_t{0});  // no facts
  }
  reader from(to.all());
  CHECK(receiver.environment().failures->read(from, 1));
  CHECK_FALSE(from.is_whole());
}

}  // namespace stretto::dist
