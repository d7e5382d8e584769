// random_program.hpp - random programs on objects, compared with plain arrays.
#pragma once

#include <stretto/object.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "device/kernels_for_tests.hpp"

namespace stretto::test {

/// A random program on a few objects, and the same on plain arrays.
class random_program {
 public:
  /// If devices may be lost, each element is right or its reader gets K31. Some launches are pinned to one of `places`.
  struct losses {
    std::vector<place> places;
  };
  /// Objects are created in one of `memories` or, as often as in each of those, without a fixed memory.
  random_program(unsigned seed, bool any_boxes, std::optional<losses> lossy = {},
                 const std::vector<place>& memories = {})
      : random_(seed), any_boxes_(any_boxes), lossy_(std::move(lossy)) {
    for (int k = 0; k < 3; ++k) {
      model_.emplace_back(n * n);
      for (unsigned& x : model_.back()) x = random_();
      const unsigned memory = memories.empty() ? 0 : below(static_cast<unsigned>(memories.size()) + 1);
      objects_.emplace_back(box({0, 0}, {n, n}), model_.back().data(),
                            object_options{.name = "abc", .memory = memory ? memories[memory - 1] : place()});
    }
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s) step();
    for (std::size_t k = 0; k < objects_.size(); ++k) compare(k, box({0, 0}, {n, n}));
  }
  /// Number of reads with data, and of operations that ended with a loss.
  int reads() const noexcept { return reads_; }
  int lost() const noexcept { return lost_; }

 private:
  static constexpr int n = 24, tile_size = 8;

  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }
  box any_box() {
    if (!any_boxes_) {
      const int i = static_cast<int>(below(n / tile_size)) * tile_size,
                j = static_cast<int>(below(n / tile_size)) * tile_size;
      return box({i, j}, {i + tile_size, j + tile_size});
    }
    const int i = static_cast<int>(below(n)), j = static_cast<int>(below(n));
    return box({i, j}, {i + 1 + static_cast<int>(below(n - static_cast<unsigned>(i))),
                        j + 1 + static_cast<int>(below(n - static_cast<unsigned>(j)))});
  }
  unsigned& at(std::size_t k, std::int64_t i, std::int64_t j) { return model_[k][static_cast<std::size_t>(i * n + j)]; }
  template <class F>
  static void each(const box& b, F&& f) {
    for (auto i = b.min()[0]; i < b.max()[0]; ++i)
      for (auto j = b.min()[1]; j < b.max()[1]; ++j) f(i, j);
  }
  /// Whether it ended; an operation ended by a lost device must report that.
  template <class Body>
  bool succeeds(Body&& body) {
    if (!lossy_) return body(), true;
    try {
      body();
    } catch (const std::exception& e) {
      ++lost_;
      if (std::string_view(e.what()).find("K31") == std::string_view::npos) FAIL(std::string(e.what()));
      return false;
    }
    return true;
  }
  void compare(std::size_t k, const box& b) {
    int wrong = 0;
    reads_ += succeeds([&] {
      const auto seen = objects_[k].read(b).get();
      each(b, [&](auto i, auto j) { wrong += seen.view()(i, j) != at(k, i, j); });
    });
    for (const event& e : launched_) succeeds([&] { wait(e); });
    launched_.clear();
    REQUIRE(wrong == 0);
  }
  template <class... A>
  void anywhere(A&&... a) {
    if (lossy_ && !lossy_->places.empty() && below(3) == 0)
      launched_.push_back(
          launch(on(lossy_->places[below(static_cast<unsigned>(lossy_->places.size()))]), std::forward<A>(a)...));
    else if (below(4) == 0) launched_.push_back(launch(on(device_kind::host), std::forward<A>(a)...));
    else if (below(4) == 0) launched_.push_back(launch(priority(static_cast<int>(below(3))), std::forward<A>(a)...));
    else launched_.push_back(launch(std::forward<A>(a)...));
  }

  void step() {
    const std::size_t k = below(3), l = below(3);
    const box b = any_box();
    const unsigned c = random_();
    switch (below(12)) {
      case 0:
        anywhere(set_all, b, objects_[k](b), c);
        each(b, [&](auto i, auto j) { at(k, i, j) = c + static_cast<unsigned>(i * 31 + j); });
        break;
      case 1: {
        succeeds([&] {
          auto mine = objects_[k].change(b).get();
          each(b, [&](auto i, auto j) { at(k, i, j) ^= c, mine.view()(i, j) ^= c; });
        });
        break;
      }
      case 2: {
        auto mine = objects_[k].overwrite(b).get();  // whatever has become of the old data
        each(b, [&](auto i, auto j) { mine.view()(i, j) = at(k, i, j) = c + static_cast<unsigned>(i); });
        break;
      }
      case 3: compare(k, b); break;
      case 4: succeeds([&] { objects_[k].remove_from_devices(); }); break;
      default: {
        // From a tile of equal shape, somewhere else.
        const std::int64_t height = b.length(0), width = b.length(1);
        const auto i0 = static_cast<std::int64_t>(below(static_cast<unsigned>(n - height + 1)));
        const auto j0 = static_cast<std::int64_t>(below(static_cast<unsigned>(n - width + 1)));
        const box from({i0, j0}, {i0 + height, j0 + width});
        if (k == l && from.meets(b)) return;
        const int di = static_cast<int>(i0 - b.min()[0]), dj = static_cast<int>(j0 - b.min()[1]);
        anywhere(mix, b, objects_[l](from), objects_[k](b), di, dj, c);
        each(b, [&](auto i, auto j) { at(k, i, j) = at(k, i, j) * 5u + at(l, i + di, j + dj) * 3u + c; });
      }
    }
  }

  std::mt19937 random_;
  const bool any_boxes_;
  const std::optional<losses> lossy_;
  int reads_ = 0, lost_ = 0;
  std::vector<std::vector<unsigned>> model_;
  std::vector<object<unsigned, 2>> objects_;
  std::vector<event> launched_;
};

}  // namespace stretto::test
