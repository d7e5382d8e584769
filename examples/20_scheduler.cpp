// 20_scheduler.cpp - a device scheduler of your own.
//
// This program replaces the scheduler that chooses devices for launches on objects. A scheduler is a class with two
// functions: push() gets each task that is ready, and pop() returns a task for a device that asks for one. It helps
// readers who know better than the runtime which device should run a task.
//
// This scheduler gives every task to the device that asks first. If it has a choice, it gives no device two tasks of
// one name in a row. Results do not depend on the scheduler.
//
// Output
//   200 tasks were pushed and popped
//   sum 10000
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <string_view>

#include <stretto/stretto.hpp>

using namespace stretto;

class alternating : public device_scheduler {
 public:
  void push(const device_task& t) override {
    waiting_.push_back(&t);
    ++pushed;
  }
  const device_task* pop(const device_view& d) override {
    auto best = waiting_.end();
    for (auto t = waiting_.begin(); t != waiting_.end(); ++t) {
      if (!(*t)->may_run_on(d)) continue;
      if (best == waiting_.end()) best = t;
      if ((*t)->name() == last_[d.index]) continue;
      best = t;
      break;
    }
    if (best == waiting_.end()) return nullptr;
    const device_task* const taken = *best;
    waiting_.erase(best);
    last_[d.index] = taken->name();
    ++popped;
    return taken;
  }

  int pushed = 0, popped = 0;

 private:
  std::deque<const device_task*> waiting_;
  std::map<unsigned, std::string_view> last_;
};

// clang-format off
STRETTO_KERNEL(add, (inout<int> x, int much), { x(global_id(0)) += much; })
// clang-format on

int main() {
  const auto mine = std::make_shared<alternating>();
  runtime_options options;
  if (!std::getenv("STRETTO_DEVICES")) options.devices = "sim:2";
  options.scheduler = mine;
  runtime rt(options);
  rt.run([&] {
    const int zero = 0;
    std::deque<object<int>> numbers;
    for (int k = 0; k < 100; ++k) numbers.emplace_back(box(0, 1), &zero);
    for (auto& x : numbers) {
      launch(name("thirty"), add, box(0, 1), x, 30);
      launch(name("seventy"), add, box(0, 1), x, 70);
    }
    int sum = 0;
    for (auto& x : numbers) sum += x.read().get().view()(0);
    std::printf("%d tasks were pushed and popped\nsum %d\n", mine->pushed == mine->popped ? mine->popped : -1, sum);
  });
}
