// Objects and buffers in one small memory of a device: each can evict the other, and every element is right.
#include <stretto/buffer.hpp>
#include <stretto/object.hpp>
#include <stretto/platform.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "campaign.hpp"
#include "thrown_by.hpp"
#include "with_variable.hpp"

namespace stretto {
namespace {

STRETTO_KERNEL(add_elements, (in<unsigned> x, inout<unsigned> y),
               { y(global_id(0)) = y(global_id(0)) * 3 + x(global_id(0)); })
STRETTO_KERNEL(set_elements, (out<unsigned> y, unsigned c), { y(global_id(0)) = c + (unsigned)global_id(0); })

constexpr int length = 2000, arrays = 12;  // 8,000 bytes each

/// The same program on arrays, objects and buffers, with up to twice 96,000 bytes in use.
class two_sides {
 public:
  explicit two_sides(unsigned seed, std::vector<place> gpus) : random_(seed), gpus_(std::move(gpus)) {
    for (int k = 0; k < arrays; ++k) {
      object_model_.emplace_back(length), buffer_model_.emplace_back(length);
      objects_.emplace_back(box(0, length), object_model_.back().data());
      buffers_.emplace_back(box(0, length), buffer_model_.back().data());
    }
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s) step();
    view_.reset();
    for (std::size_t k = 0; k < arrays; ++k) compare(k);
  }

 private:
  std::size_t below(std::size_t bound) { return random_() % bound; }
  box any_part() {
    const auto low = static_cast<coordinate>(below(length));
    return box(low, low + 1 + static_cast<coordinate>(below(static_cast<std::size_t>(length - low))));
  }
  template <class... A>
  void launch_on_objects(A&&... a) {
    if (below(2)) launch(on(gpus_[below(gpus_.size())]), std::forward<A>(a)...);  // not on the host
    else launch(std::forward<A>(a)...);
  }
  void step() {
    const std::size_t x = below(arrays), y = (x + 1 + below(arrays - 1)) % arrays;
    const box part = any_part();
    const auto c = static_cast<unsigned>(random_());
    const auto each = [&](auto body) {
      for (auto i = part.min()[0]; i < part.max()[0]; ++i) body(static_cast<std::size_t>(i));
    };
    switch (below(12)) {
      case 0:
        if (view_ && viewed_ == x) view_.reset();  // otherwise the launch would wait for the view
        launch_on_objects(set_elements, part, objects_[x](part), c);
        each([&](std::size_t i) { object_model_[x][i] = c + static_cast<unsigned>(i); });
        break;
      case 1:
        launch(set_elements, part, buffers_[x](one_to_one), c);
        each([&](std::size_t i) { buffer_model_[x][i] = c + static_cast<unsigned>(i); });
        break;
      case 2: compare(x); break;
      case 3:
        if (view_) view_.reset();
        else view_ = objects_[x].read(part).get(), viewed_ = x;
        break;
      case 4:
        objects_[x] = object<unsigned>(box(0, length), object_model_[x].data());
        buffers_[y] = buffer<unsigned>(box(0, length), buffer_model_[y].data());
        break;
      case 5:
      case 6:
      case 7:
      case 8:
        if (view_ && viewed_ == y) view_.reset();
        launch_on_objects(add_elements, part, objects_[x](part), objects_[y](part));
        each([&](std::size_t i) { object_model_[y][i] = object_model_[y][i] * 3 + object_model_[x][i]; });
        break;
      default:
        launch(add_elements, part, buffers_[x](one_to_one), buffers_[y](one_to_one));
        each([&](std::size_t i) { buffer_model_[y][i] = buffer_model_[y][i] * 3 + buffer_model_[x][i]; });
    }
  }
  void compare(std::size_t k) {
    int wrong = 0;
    const auto of_object = objects_[k].read().get();
    const auto of_buffer = buffers_[k].read().get();
    for (int i = 0; i < length; ++i) {
      wrong += of_object.view()(i) != object_model_[k][static_cast<std::size_t>(i)];
      wrong += of_buffer.view()(i) != buffer_model_[k][static_cast<std::size_t>(i)];
    }
    REQUIRE(wrong == 0);
  }

  std::mt19937 random_;
  const std::vector<place> gpus_;
  std::vector<std::vector<unsigned>> object_model_, buffer_model_;
  std::vector<object<unsigned>> objects_;
  std::vector<buffer<unsigned>> buffers_;
  std::optional<object_accessor<const unsigned, 1>> view_;  // a view kept by the program
  std::size_t viewed_ = 0;
};

TEST_CASE("random programs on objects and on buffers share the small memories of devices") {
  const test::with_variable quiet("STRETTO_LOG", "off");
  for (unsigned seed = 0; seed < test::scaled(6u, 1000u); ++seed)
    for (const char* devices : {"sim(memory=100k)", "sim:2(memory=70k)"}) {
      INFO(devices << ", seed " << seed);
      runtime rt({.workers = 1 + seed % 2, .seed = seed, .devices = devices});
      rt.run([&] { two_sides(seed, rt.machine().places(place_kind::gpu)).run(200); });
    }
}

TEST_CASE("buffers that fill a device's memory leave it for a launch that no other device may compute, and return") {
  runtime rt({.workers = 1, .devices = "sim(memory=100k)"});
  rt.run([&] {
    const place gpu = rt.machine().places(place_kind::gpu).front();
    constexpr int large = 20000;  // 80,000 bytes
    buffer<unsigned> b(box(0, large));
    object<unsigned> o(box(0, large));
    for (unsigned round = 0; round < 5; ++round) {
      launch(set_elements, box(0, large), b(one_to_one), round);
      wait(launch(on(gpu), set_elements, box(0, large), o, 7 * round));
      launch(set_elements, box(0, 10), b(one_to_one), 100u);  // the rest is unchanged
      CHECK(b.read().get().view()(5) == 105);
      CHECK(b.read().get().view()(large - 1) == round + large - 1);
      CHECK(o.read().get().view()(large - 1) == 7 * round + large - 1);
    }
  });
}

TEST_CASE("a launch on objects that no memory could hold is refused, whatever buffers have there") {
  runtime rt({.workers = 1, .devices = "sim(memory=100k)"});
  rt.run([&] {
    const place gpu = rt.machine().places(place_kind::gpu).front();
    buffer<unsigned> b(box(0, 20000));
    object<unsigned> o(box(0, 30000));
    launch(set_elements, box(0, 20000), b(one_to_one), 3u);
    const std::string why = test::thrown_by([&] { wait(launch(on(gpu), set_elements, box(0, 30000), o, 7u)); });
    const std::string known = "error A04: the arguments of launch \"set_elements\" do not fit into memory";
    CHECK_MESSAGE(why.find(known) != why.npos, why);
    CHECK(b.read().get().view()(19999) == 20002);
  });
}

}  // namespace
}  // namespace stretto
