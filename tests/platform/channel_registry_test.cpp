#include "platform/channel_registry.hpp"

#include <doctest/doctest.h>
#include <stretto/poller.hpp>

#include <cstring>
#include <deque>
#include <vector>

#include "counting_completion.hpp"
#include "platform/error_message.hpp"
#include "platform/executor.hpp"

using namespace stretto;
using namespace stretto::places;
using stretto::test::message_of;

namespace {

/// Copies when it is polled, as a device queue would: an executor, a poller and a channel at once.
class slow_copier : public places::channel, public poller {
 public:
  void start(const copy_end& source, const copy_end& target, copy_shape shape, completion& done) override {
    if (!source.address) throw error("D01", "nothing to copy from");
    waiting_.push_back({source, target, shape, &done});
    add_pending();
  }
  double bandwidth_bytes_per_second(place, place) const override { return 1e9; }
  double latency_seconds(place, place) const override { return 1e-6; }

  std::size_t poll() override {
    const auto finished = waiting_.size();
    for (; !waiting_.empty(); waiting_.pop_front()) {
      const auto& c = waiting_.front();
      for (std::size_t z = 0; z < c.shape.planes; ++z)
        for (std::size_t y = 0; y < c.shape.rows; ++y)
          std::memcpy(c.target.address + z * c.target.plane_stride + y * c.target.row_stride,
                      c.source.address + z * c.source.plane_stride + y * c.source.row_stride, c.shape.row_bytes);
      c.done->run(*c.done);
    }
    remove_pending(finished);
    return finished;
  }
  void fail(std::exception_ptr) noexcept override {}

 private:
  struct copy {
    copy_end source, target;
    copy_shape shape;
    completion* done;
  };
  std::deque<copy> waiting_;
};

using counted = test::counting_completion;

/// Runs items in order of arrival when asked to: the smallest executor.
class in_order : public executor {
 public:
  void execute(work_item& item, place where) override {
    (item.next = nullptr, *last_ = &item, last_ = &item.next), where_.push_back(where);
  }
  void run_all() {
    while (work_item* item = first_) {
      first_ = item->next;
      item->run(*item);
    }
    last_ = &first_;
  }
  std::vector<place> where_;

 private:
  work_item* first_ = nullptr;
  work_item** last_ = &first_;
};

}  // namespace

TEST_CASE("a channel is found by the kinds it copies between, in its direction only") {
  channel_registry channels;
  const auto up = std::make_shared<slow_copier>();
  channels.add(place_kind::system_memory, place_kind::gpu_memory, up);
  CHECK(channels.find(place_kind::system_memory, place_kind::gpu_memory) == up.get());
  CHECK(channels.find(place_kind::gpu_memory, place_kind::system_memory) == nullptr);
  CHECK(channels.pairs() == std::vector{std::pair(place_kind::system_memory, place_kind::gpu_memory)});
}

TEST_CASE("a second channel for the same kinds is refused") {
  channel_registry channels;
  channels.add(place_kind::numa, place_kind::storage, std::make_shared<slow_copier>());
  CHECK(message_of([&] { channels.add(place_kind::numa, place_kind::storage, std::make_shared<slow_copier>()); }) ==
        "error P18: there are two channels from numa to storage\n"
        "  because     at most one channel may copy between two kinds of memory\n"
        "  try         register one of them, or wrap both in a channel that selects one");
}

TEST_CASE("a channel copies strided rows and calls back once, when polled") {
  slow_copier copier;
  std::vector<std::byte> from(24), to(8, std::byte{0});
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i);
  counted done;
  const copy_shape shape{.row_bytes = 2, .rows = 2, .planes = 2};
  CHECK(shape.bytes() == 8);
  copier.start({{0}, from.data(), 6, 12}, {{1}, to.data(), 2, 4}, shape, done);
  CHECK(copier.pending() == 1);
  CHECK(done.times == 0);
  CHECK(copier.poll() == 1);
  CHECK(done.times == 1);
  CHECK(done.failure == nullptr);
  CHECK(to == std::vector{std::byte{0}, std::byte{1}, std::byte{6}, std::byte{7}, std::byte{12}, std::byte{13},
                          std::byte{18}, std::byte{19}});
  CHECK_THROWS_AS(copier.start({}, {}, shape, done), error);
  CHECK(copier.pending() == 0);
}

TEST_CASE("an executor queues items through their own links and runs each once") {
  in_order lane;
  counted a, b;
  lane.execute(a, {3});
  lane.execute(b, {4});
  CHECK(a.times + b.times == 0);
  lane.run_all();
  CHECK(a.times == 1);
  CHECK(b.times == 1);
  CHECK(lane.where_ == std::vector<place>{{3}, {4}});
}
