#include "acc/rank_context.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stretto/stretto.hpp>
#include <string>
#include <utility>
#include <vector>

#include "data_clause.hpp"
#include "recording_accelerator.hpp"
#include "with_variable.hpp"

using namespace stretto;

namespace {

/// A context with a device of the test, and an operation that queue 1 has until it is let go.
struct busy_context {
  explicit busy_context(std::size_t capacity = std::size_t{1} << 20)
      : device(new test::recording_accelerator(capacity)), context(std::unique_ptr<acc::accelerator>(device)) {}
  ~busy_context() {
    let_go();
    context.queues().wait_for_all();
  }

  void occupy() {
    context.queues().enqueue(1, {"work", "x.c:1"}, [until = busy.get_future()] { wait(until); });
  }
  void let_go() {
    if (!std::exchange(is_free, true)) busy.set();
  }
  /// Work that copies `bytes` bytes to the device.
  acc::data_work copying(const stretto_acc_data& data) {
    acc::data_work work;
    context.data().enter(data, acc::data_environment::scope::dynamic, 1, "x.c:1", work);
    return work;
  }

  promise<void> busy;
  bool is_free = false;
  test::recording_accelerator* const device;
  acc::rank_context context;
};

template <class Body>
void with_context(Body body, std::size_t capacity = std::size_t{1} << 20) {
  runtime rt({.workers = 2});
  rt.run([&] {
    busy_context c(capacity);
    body(c);
  });
}

}  // namespace

TEST_CASE("with queues switched off no operation has a queue") {
  CHECK(acc::rank_context(std::make_unique<test::recording_accelerator>(1)).queue_of(3) == 3);
  const test::with_variable off("STRETTO_ACC_QUEUES", "0");
  const acc::rank_context context(std::make_unique<test::recording_accelerator>(1));
  for (const int asked : {0, 3, int{acc_async_noval}, int{acc_async_default}, int{acc_async_sync}})
    CHECK(!context.queue_of(asked));
}

TEST_CASE("small transfers of an idle queue have happened when the call returns") {
  with_context([](busy_context& c) {
    int a[4] = {1, 2, 3, 4};
    const test::data_clause clause(stretto_acc_copyin, a, sizeof a);
    c.context.perform(1, "x.c:1", c.copying(clause.data));
    CHECK(c.device->take_record() == std::vector<std::string>{"to device 16"});
  });
}

TEST_CASE("transfers of a queue that has operations wait for them") {
  with_context([](busy_context& c) {
    int a[4] = {1, 2, 3, 4};
    const test::data_clause clause(stretto_acc_copyin, a, sizeof a);
    c.occupy();
    c.context.perform(1, "x.c:1", c.copying(clause.data));
    CHECK(c.device->take_record().empty());
    c.let_go();
    c.context.queues().wait_for(1);
    CHECK(c.device->take_record() == std::vector<std::string>{"to device 16"});
  });
}

TEST_CASE("work without a queue is done when the call returns, behind the queues that it names") {
  with_context([](busy_context& c) {
    int a[4] = {1, 2, 3, 4};
    const test::data_clause clause(stretto_acc_copyin, a, sizeof a);
    c.context.perform({}, "x.c:1", c.copying(clause.data));
    CHECK(c.device->take_record() == std::vector<std::string>{"to device 16"});
    std::vector<std::string> order;
    c.context.queues().enqueue(2, {"work", "x.c:1"}, [&] { order.push_back("queue"); });
    acc::data_work work;
    work.queues = {2};
    c.context.perform({}, "x.c:1", std::move(work));
    CHECK(order == std::vector<std::string>{"queue"});
  });
}

TEST_CASE("work of a queue makes it wait for other queues, and not the caller") {
  with_context([](busy_context& c) {
    c.occupy();
    acc::data_work work;
    work.queues = {1};
    c.context.perform(3, "x.c:1", std::move(work));
    CHECK(!c.context.queues().has_ended(3));
    c.let_go();
    c.context.queues().wait_for(3);
    CHECK(c.context.queues().has_ended(1));
  });
}

TEST_CASE("arguments of async stand for queues as OpenACC says") {
  with_context([](busy_context& c) {
    CHECK(!c.context.queue_of(acc_async_sync));
    CHECK(c.context.queue_of(acc_async_noval) == 0);
    CHECK(c.context.queue_of(7) == 7);
    c.context.set_default_queue(4);
    CHECK(c.context.queue_of(acc_async_noval) == 4);
    CHECK(c.context.queue_of(acc_async_default) == 4);
    CHECK(c.context.default_queue() == 4);
    c.context.set_default_queue(acc_async_default);
    CHECK(c.context.queue_of(acc_async_noval) == 0);
  });
}
