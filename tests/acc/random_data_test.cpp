// Sequences of clauses and updates, compared with a model of OpenACC's reference counts.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <list>
#include <random>
#include <stretto/error.hpp>
#include <string>
#include <vector>

#include "acc/data_environment.hpp"
#include "campaign.hpp"
#include "data_clause.hpp"
#include "recording_accelerator.hpp"

using namespace stretto;

namespace {

constexpr int array_bytes = 12;
using scope_of_data = acc::data_environment::scope;

/// A range of bytes of one of the arrays.
struct data_range {
  int array, first, count;
};

/// The host's arrays, and data on the device with its counts and its bytes.
class data_model {
 public:
  struct variable {
    data_range range;
    std::vector<int> bytes;
    int structured = 0, dynamic = 0;
    bool is_copied_last = false;
  };
  struct partly_present {};

  std::array<std::array<int, array_bytes>, 3> host = {};
  std::list<variable> present = {};

  variable* find(const data_range& r) {
    for (variable& one : present) {
      if (one.range.array != r.array || r.first >= one.range.first + one.range.count ||
          r.first + std::max(r.count, 1) <= one.range.first)
        continue;
      if (r.count > 0 && (r.first < one.range.first || r.first + r.count > one.range.first + one.range.count))
        throw partly_present();
      return &one;
    }
    return nullptr;
  }

  void enter(int action, const data_range& r, bool is_structured) {
    variable* found = find(r);
    const int way = action & ~stretto_acc_zero;
    if (!found && (r.count == 0 || way == stretto_acc_no_create)) return;
    if (!found) {
      found = &present.emplace_back(variable{r, std::vector<int>(static_cast<std::size_t>(r.count), 0xa5)});
      if (way == stretto_acc_copy || way == stretto_acc_copyin) copy(*found, r, true);
      if (action & stretto_acc_zero) std::ranges::fill(found->bytes, 0);
    }
    ++(is_structured ? found->structured : found->dynamic);
  }

  void leave(int action, const data_range& r, bool is_structured) {
    variable* const found = find(r);
    if (!found) return;
    int& count = is_structured ? found->structured : found->dynamic;
    const bool is_final = action & stretto_acc_finalize;
    const int way = action & ~(stretto_acc_zero | stretto_acc_finalize);
    const bool copies = way == stretto_acc_copy || way == stretto_acc_copyout;
    count = is_final ? 0 : std::max(count - 1, 0);
    if (found->structured + found->dynamic > 0) {
      found->is_copied_last = found->is_copied_last || (is_final && copies);
      return;
    }
    if (copies || found->is_copied_last) copy(*found, r, false);
    present.remove_if([found](const variable& one) { return &one == found; });
  }

  void copy(variable& one, const data_range& r, bool is_to_device) {
    for (int i = r.first; i < r.first + r.count; ++i) {
      int& of_host = host[static_cast<std::size_t>(r.array)][static_cast<std::size_t>(i)];
      int& of_device = one.bytes[static_cast<std::size_t>(i - one.range.first)];
      (is_to_device ? of_device : of_host) = is_to_device ? of_host : of_device;
    }
  }
};

class data_comparison {
 public:
  explicit data_comparison(unsigned seed) : random_(seed) {}

  void run(int steps) {
    for (int n = 0; n < steps; ++n) {
      step();
      compare();
    }
    while (!regions_.empty()) close_region();
    compare();
    CHECK(device_.misuses() == 0);
  }

 private:
  struct region {
    int action;
    data_range range;
  };

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  data_range any_range() {
    // Few ranges, so that many meet again.
    constexpr std::array<std::pair<int, int>, 6> all{{{0, 12}, {0, 12}, {0, 6}, {6, 6}, {3, 4}, {2, 0}}};
    const auto& [first, count] = all[random_() % all.size()];
    return {below(3), first, count};
  }

  /// Does the same to both; they refuse the same.
  template <class OfModel, class OfData>
  bool act(OfModel of_model, OfData of_data) {
    bool is_refused = false;
    try {
      of_model();
    } catch (const data_model::partly_present&) {
      is_refused = true;
    }
    acc::data_work work;
    bool is_refused_by_data = false;
    try {
      of_data(work);
    } catch (const error& e) {
      is_refused_by_data = e.code() == "O12";
    }
    device_.perform(work.transfers);
    CHECK(is_refused == is_refused_by_data);
    CHECK(work.queues.empty());
    return !is_refused;
  }

  bool enter(int action, const data_range& r, scope_of_data in) {
    const test::data_clause clause(action, at(r), static_cast<std::size_t>(r.count));
    return act([&] { model_.enter(action, r, in == scope_of_data::structured); },
               [&](acc::data_work& into) { data_.enter(clause.data, in, {}, "x.c:1", into); });
  }
  void leave(int action, const data_range& r, scope_of_data in) {
    const test::data_clause clause(action, at(r), static_cast<std::size_t>(r.count));
    act([&] { model_.leave(action, r, in == scope_of_data::structured); },
        [&](acc::data_work& into) { data_.leave(clause.data, in, {}, "x.c:2", into); });
  }
  void close_region() {
    const region last = regions_.back();
    regions_.pop_back();
    leave(last.action, last.range, scope_of_data::structured);
  }

  void step() {
    const data_range r = any_range();
    switch (below(7)) {
      case 0: {
        constexpr std::array ways{stretto_acc_copyin + 0, stretto_acc_create + 0,
                                  stretto_acc_create | stretto_acc_zero};
        enter(ways[random_() % ways.size()], r, scope_of_data::dynamic);
        break;
      }
      case 1: {
        const int way = below(2) ? stretto_acc_copyout : stretto_acc_delete;
        leave(way | (below(4) ? 0 : stretto_acc_finalize), r, scope_of_data::dynamic);
        break;
      }
      case 2: {
        constexpr std::array ways{stretto_acc_copy + 0,    stretto_acc_copyin + 0,
                                  stretto_acc_copyout + 0, stretto_acc_copyout | stretto_acc_zero,
                                  stretto_acc_create + 0,  stretto_acc_no_create + 0};
        const region next{ways[random_() % ways.size()], r};
        if (enter(next.action, r, scope_of_data::structured)) regions_.push_back(next);
        break;
      }
      case 3:
        if (!regions_.empty()) close_region();
        break;
      case 4: update(r); break;
      case 5: write_host(); break;
      default: write_device();
    }
  }

  void update(const data_range& r) {
    const bool is_to_device = below(2);
    const test::data_clause clause(
        (is_to_device ? stretto_acc_update_device : stretto_acc_update_host) | stretto_acc_if_present, at(r),
        static_cast<std::size_t>(r.count));
    act(
        [&] {
          if (auto* const found = model_.find(r)) model_.copy(*found, r, is_to_device);
        },
        [&](acc::data_work& into) { data_.update(clause.data, {}, "x.c:3", into); });
  }

  void write_host() {
    const auto array = random_() % 3, i = random_() % array_bytes;
    host_[array][i] = static_cast<std::byte>(++written_);
    model_.host[array][i] = written_ & 255;
  }
  void write_device() {
    if (model_.present.empty()) return;
    auto one = std::next(model_.present.begin(), below(static_cast<int>(model_.present.size())));
    const auto i = random_() % one->bytes.size();
    std::byte* const there = data_.device_of(at(one->range) + i);
    REQUIRE(there);
    *there = static_cast<std::byte>(++written_);
    one->bytes[i] = written_ & 255;
  }

  std::byte* at(const data_range& r) { return host_[static_cast<std::size_t>(r.array)].data() + r.first; }

  void compare() {
    std::size_t present = 0;
    bool is_same = true;
    for (std::size_t array = 0; array < 3; ++array)
      for (std::size_t i = 0; i < array_bytes; ++i)
        is_same = is_same && std::to_integer<int>(host_[array][i]) == model_.host[array][i];
    for (const data_model::variable& one : model_.present) {
      present += one.bytes.size();
      const std::byte* const there = data_.device_of(at(one.range));
      REQUIRE(there);
      for (std::size_t i = 0; i < one.bytes.size(); ++i)
        is_same = is_same && std::to_integer<int>(there[i]) == one.bytes[i];
    }
    CHECK(is_same);
    CHECK(device_.allocated_bytes() == present);
  }

  std::mt19937 random_;
  // With a gap behind each: an empty part at the end of one array is not in the next.
  std::array<std::array<std::byte, array_bytes + 4>, 3> host_ = {};
  data_model model_;
  test::recording_accelerator device_;
  acc::data_environment data_{device_};
  std::vector<region> regions_;  // open ones, outermost first
  int written_ = 0;
};

}  // namespace

TEST_CASE("any sequence of clauses and updates leaves the bytes on host and device that the counts ask for") {
  for (unsigned seed = 0; seed < test::scaled(100u, 20'000u); ++seed) {
    CAPTURE(seed);
    data_comparison(seed).run(120);
  }
}
