// unsettled_writes against a model that keeps the last writer of each element.
#include "buffers/unsettled_writes.hpp"

#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace stretto {
namespace {

constexpr int elements_of_model = 40;

/// Numbers of writes: positions in `ends_`.
class last_writers {
 public:
  explicit last_writers(std::uint32_t seed) : random_(seed), last_(elements_of_model, -1) {}

  void run(int steps, int most_pending) {
    for (int s = 0; s < steps; ++s) {
      if (static_cast<int>(pending_.size()) >= most_pending) end_one();
      switch (number(0, 4)) {
        case 0: end_one(); break;
        case 1: compare(some_part()); break;
        case 2:
          if (number(0, 9) == 0) tested_.settle();
          break;
        default: write(some_part());
      }
    }
    while (!pending_.empty()) end_one();
    CHECK(tested_.size() >= failed_here());
    tested_.settle();
    compare(box(0, elements_of_model));
  }

 private:
  int number(int least, int most) { return std::uniform_int_distribution(least, most)(random_); }
  box some_part() {
    const int first = number(0, elements_of_model - 1);
    return box(first, number(first + 1, elements_of_model));
  }
  void write(const box& part) {
    const user_event end = user_event::create();
    tested_.wrote(7, part, end);
    for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
      last_[static_cast<std::size_t>(i)] = static_cast<int>(ends_.size());
    pending_.push_back(static_cast<int>(ends_.size()));
    ends_.push_back(end);
    has_succeeded_.push_back(false);
  }
  void end_one() {
    if (pending_.empty()) return;
    const auto at = static_cast<std::size_t>(number(0, static_cast<int>(pending_.size()) - 1));
    const auto which = static_cast<std::size_t>(pending_[at]);
    pending_.erase(pending_.begin() + static_cast<std::ptrdiff_t>(at));
    has_succeeded_[which] = number(0, 4) != 0;
    if (has_succeeded_[which]) ends_[which].trigger();
    else ends_[which].poison(std::make_exception_ptr(1)), observed_.push_back(ignore_failure(ends_[which]));
  }
  std::set<int> unsettled_in(const box& part) const {
    std::set<int> all;
    for (coordinate i = part.min()[0]; i < part.max()[0]; ++i)
      if (const int w = last_[static_cast<std::size_t>(i)]; w >= 0 && !has_succeeded_[static_cast<std::size_t>(w)])
        all.insert(w);
    return all;
  }
  std::size_t failed_here() const { return unsettled_in(box(0, elements_of_model)).size(); }
  void compare(const box& part) {
    std::vector<event> found;
    tested_.before_reading(7, part, found);
    std::set<int> numbers;
    for (const event e : found)
      numbers.insert(static_cast<int>(std::ranges::find_if(ends_, [&](const user_event& u) { return event(u) == e; }) -
                                      ends_.begin()));
    CHECK(numbers == unsettled_in(part));
  }

  std::mt19937 random_;
  std::vector<int> last_;
  std::vector<user_event> ends_;
  std::vector<bool> has_succeeded_;
  std::vector<int> pending_;
  std::vector<event> observed_;
  buffers::unsettled_writes tested_;
};

}  // namespace

TEST_CASE("a reader waits for the last writers of its elements that have not succeeded, and for no others") {
  runtime rt({.workers = 1});
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    rt.run([&] { last_writers(seed).run(150, 12); });
  }
}

TEST_CASE("a reader of many separate writes depends on all of them") {
  runtime rt({.workers = 1});
  rt.run([] {
    buffers::unsettled_writes all;
    std::vector<user_event> ends;
    for (int i = 0; i < 200; ++i) {
      ends.push_back(user_event::create());
      all.wrote(1, box(2 * i, 2 * i + 1), ends.back());
    }
    CHECK(all.size() <= 64);
    std::vector<event> of_last, of_gap;
    all.before_reading(1, box(398, 399), of_last);
    CHECK(of_last.size() == 1);
    all.before_reading(1, box(400, 500), of_gap);
    CHECK(of_gap.empty());
    for (const user_event e : ends) e.trigger();
    all.settle();
    CHECK(all.size() == 0);
  });
}

}  // namespace stretto
