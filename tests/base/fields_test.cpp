#include <stretto/error.hpp>
#include <stretto/fields.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "thrown_by.hpp"

namespace {

enum class colour : short { red = 1, blue = 7 };

struct plain_one {
  double x;
  int n;
  friend bool operator==(const plain_one&, const plain_one&) = default;
};

struct tree {
  std::string name;
  std::vector<std::unique_ptr<tree>> below;
  std::optional<colour> is;

  template <class Archive>
  friend void fields(Archive& a, stretto::archived<tree, Archive>& t) {
    a(t.name, t.below, t.is);
  }
  friend bool operator==(const tree& a, const tree& b) {
    if (a.name != b.name || a.is != b.is || a.below.size() != b.below.size()) return false;
    for (std::size_t i = 0; i < a.below.size(); ++i)
      if (!a.below[i] != !b.below[i] || (a.below[i] && !(*a.below[i] == *b.below[i]))) return false;
    return true;
  }
};

tree random_tree(std::mt19937& random, int depth) {
  tree t{std::string(random() % 20, char('a' + random() % 26)), {}, {}};
  if (random() % 2) t.is = random() % 2 ? colour::red : colour::blue;
  if (depth > 0)
    for (auto n = random() % 4; n > 0; --n)
      t.below.push_back(random() % 5 ? std::make_unique<tree>(random_tree(random, depth - 1)) : nullptr);
  return t;
}

template <class T>
void goes_and_comes(const T& value) {
  const auto bytes = stretto::to_bytes(value);
  stretto::field_sizer size;
  size(value);
  CHECK(size.size() == bytes.size());
  CHECK(stretto::from_bytes<T>(bytes) == value);
}

struct with_pointer_inside {
  std::vector<int*> p;
};
struct not_told {
  std::string text;
};

static_assert(stretto::transferable<int> && stretto::transferable<plain_one> && stretto::transferable<tree>);
static_assert(stretto::transferable<std::map<std::string, std::vector<tree>>>);
static_assert(stretto::transferable<std::tuple<int, std::string>> &&
              stretto::transferable<std::variant<int, std::string>>);
static_assert(!stretto::transferable<int*> && !stretto::transferable<std::string_view> &&
              !stretto::transferable<std::span<int>>);
static_assert(!stretto::transferable<std::vector<int*>> && !stretto::transferable<std::pair<int, const char*>>);
static_assert(!stretto::transferable<not_told> && !stretto::transferable<with_pointer_inside>);
static_assert(!stretto::transferable<int (*)(int)> && !stretto::transferable<std::optional<int*>>);

}  // namespace

TEST_CASE("values go and come as bytes") {
  goes_and_comes(3);
  goes_and_comes(colour::blue);
  goes_and_comes(plain_one{1.5, -2});
  goes_and_comes(std::complex<double>(1, 2));
  goes_and_comes(std::string("with a \0 in it", 14));
  goes_and_comes(std::string());
  goes_and_comes(std::vector<double>{1, 2, 3});
  goes_and_comes(std::vector<bool>{true, false, true});
  goes_and_comes(std::vector<std::string>{"a", "", "ccc"});
  goes_and_comes(std::array<int, 3>{1, 2, 3});
  goes_and_comes(std::array<bool, 2>{true, false});
  goes_and_comes(false);
  goes_and_comes(std::array<std::string, 2>{"x", "yy"});
  goes_and_comes(std::array<std::string, 3000>{"more elements than a compiler would take one by one"});
  goes_and_comes(std::pair<int, std::string>(1, "one"));
  goes_and_comes(std::tuple<char, std::vector<int>, double>('c', {1, 2}, 0.5));
  goes_and_comes(std::optional<std::string>("there"));
  goes_and_comes(std::optional<int>());
  goes_and_comes(std::variant<int, std::string>("second"));
  goes_and_comes(std::variant<int, std::string>(5));
  goes_and_comes(std::map<std::string, int>{{"a", 1}, {"b", 2}});
  goes_and_comes(std::unordered_map<int, std::vector<int>>{{1, {1}}, {2, {}}});
  goes_and_comes(std::set<std::string>{"x", "y"});
  goes_and_comes(std::multimap<int, int>{{1, 1}, {1, 2}});
  goes_and_comes(std::deque<int>{1, 2, 3});
  goes_and_comes(std::list<std::string>{"l"});
  std::mt19937 random(7);
  for (int i = 0; i < 100; ++i) goes_and_comes(random_tree(random, 4));
}

TEST_CASE("several values lie behind one another") {
  const auto bytes = stretto::to_bytes(1, std::string("two"), 3.0);
  stretto::field_reader r(bytes);
  int one = 0;
  std::string two;
  double three = 0;
  r(one, two)(three);
  CHECK(one == 1);
  CHECK(two == "two");
  CHECK(three == 3.0);
  CHECK(r.left() == 0);
}

TEST_CASE("long vectors and texts come as they went, wherever their bytes lie") {
  for (const std::size_t length : {100u, 1'000u, 100'000u})
    for (std::size_t ahead = 0; ahead < 9; ++ahead) {
      CAPTURE(length);
      CAPTURE(ahead);
      std::vector<double> numbers(length);
      for (std::size_t i = 0; i < length; ++i) numbers[i] = static_cast<double>(i) / 3;
      const std::string text(length, 'x'), first(ahead, 'a');
      const auto all = stretto::to_bytes(first, numbers, text, 7);
      stretto::field_reader r(all);
      std::string first_came, text_came;
      std::vector<double> numbers_came(3, 1.5);
      int last = 0;
      r(first_came, numbers_came, text_came, last);
      CHECK(first_came == first);
      CHECK(numbers_came == numbers);
      CHECK(text_came == text);
      CHECK(last == 7);
      CHECK(r.left() == 0);
      stretto::field_reader short_one{std::span<const std::byte>(all).first(all.size() - 40)};
      CHECK(stretto::test::error_of([&] { short_one(first_came, numbers_came, text_came, last); }).code() == "B40");
    }
}

TEST_CASE("bytes that are no such value are refused, without taking memory for what they claim") {
  using stretto::test::error_of;
  CHECK(error_of([] { stretto::from_bytes<int>(stretto::to_bytes(short{1})); }).code() == "B40");
  CHECK(error_of([] { stretto::from_bytes<short>(stretto::to_bytes(1)); }).code() == "B40");
  CHECK(error_of([] { stretto::from_bytes<bool>(stretto::to_bytes(char{2})); }).code() == "B40");
  const auto huge = stretto::to_bytes(~std::uint64_t{0}, 1);
  CHECK(error_of([&] { stretto::from_bytes<std::vector<double>>(huge); }).code() == "B40");
  CHECK(error_of([&] { stretto::from_bytes<std::string>(huge); }).code() == "B40");
  CHECK(error_of([&] { stretto::from_bytes<std::vector<std::string>>(huge); }).code() == "B40");
  CHECK(error_of([&] { stretto::from_bytes<std::map<int, int>>(huge); }).code() == "B40");
  CHECK(error_of([] { stretto::from_bytes<std::variant<int, char>>(stretto::to_bytes(std::uint32_t{2}, 1)); }).code() ==
        "B40");
}

/// Of whose parts some are made for writing alone.
struct with_parts {
  std::vector<int> numbers;
  std::vector<std::string> texts;
  std::unique_ptr<std::vector<double>> owned;
  std::array<char, 500> letters{};
  template <class Archive>
  friend void fields(Archive& a, stretto::archived<with_parts, Archive>& w) {
    std::vector<int> made = w.numbers;
    a(made, w.numbers, w.texts, w.owned, w.letters);
  }
};

TEST_CASE("large parts that belong to a lasting value stay where they are, what is made for writing is copied") {
  with_parts w;
  w.numbers.assign(1000, 7);
  w.texts = {std::string(10, 's'), std::string(900, 'l'), std::string(399, 's')};
  w.owned = std::make_unique<std::vector<double>>(100, 0.5);
  w.letters.fill('x');
  stretto::detail::parcel p{.bytes = {}, .apart_from = 400};
  stretto::detail::write_lasting(p, w);
  REQUIRE(p.apart.size() == 4);
  const auto lies_at = [&](std::size_t i, const void* first, std::size_t bytes) {
    CHECK(p.apart[i].bytes.data() == first);
    CHECK(p.apart[i].bytes.size() == bytes);
  };
  lies_at(0, w.numbers.data(), 4000);
  lies_at(1, w.texts[1].data(), 900);
  lies_at(2, w.owned->data(), 800);
  lies_at(3, w.letters.data(), 500);
  CHECK(p.apart[0].behind == 8 + 4000 + 8);
  const auto whole = stretto::to_bytes(w);
  CHECK(whole.size() == p.bytes.size() + 4000 + 900 + 800 + 500);
  stretto::detail::parcel as_ever;
  stretto::detail::write_lasting(as_ever, w);
  CHECK(as_ever.bytes == whole);
}

TEST_CASE("damaged bytes give a value or B40, nothing else") {
  std::mt19937 random(11);
  const auto whole = stretto::to_bytes(random_tree(random, 5));
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    auto bytes = whole;
    for (auto n = 1 + random() % 4; n > 0; --n) bytes[random() % bytes.size()] = std::byte(random());
    if (random() % 3 == 0) bytes.resize(random() % bytes.size());
    try {
      stretto::from_bytes<tree>(bytes);
    } catch (const stretto::error& e) {
      CHECK(e.code() == "B40");
      ++refused;
    }
  }
  CHECK(refused > 100);
}
