// 29_modules.cpp - a module of your own: a place that runs at most two tasks at a time.
//
// This program extends the runtime. A module adds a place to the machine and serves the tasks that are sent there. This
// one stands for a printer that runs at most two tasks at a time, however many workers there are. The module counts its
// jobs, and the runtime's statistics show the count. It helps readers who have to share a limited resource, such as a
// licence server, a database or a bus.
//
// Output
//   all 20 reports printed, never more than 2 at a time
//   printer jobs: 20
#include <stretto/module.hpp>
#include <stretto/stretto.hpp>

#include <atomic>
#include <cstdio>
#include <mutex>
#include <queue>

using namespace stretto;

class printer final : public module, private place_server {
 public:
  place where;

  /// To be called by a task there when it is through.
  void next() {
    jobs_.add();
    served_task task;
    {
      std::scoped_lock lock(mutex_);
      if (waiting_.empty()) return void(++free_);
      task = std::move(waiting_.front());
      waiting_.pop();
    }
    task.to_workers();
  }

 private:
  std::string_view name() const noexcept override { return "printer"; }
  void add_places(platform_description& machine) const override {
    place_description p;
    p.name = "printer";
    machine.places.push_back(p);
    machine.links.push_back({place{0}, place{static_cast<std::uint32_t>(machine.places.size() - 1)}, {}, {}});
  }
  void initialise(module_host& host) override {
    where = host.claim(place_kind::other, this).back();
    jobs_ = host.add_statistic("jobs", where);
  }
  void serve(served_task&& task, place) override {
    {
      std::scoped_lock lock(mutex_);
      if (free_ == 0) return waiting_.push(std::move(task));
      --free_;
    }
    task.to_workers();
  }

  statistic jobs_;
  std::mutex mutex_;
  int free_ = 2;
  std::queue<served_task> waiting_;
};

int main() {
  auto paper = std::make_shared<printer>();
  runtime rt({.modules = {paper}});
  std::atomic<int> now{0}, most{0}, printed{0};
  rt.run([&] {
    for (int i = 0; i < 20; ++i)
      async(at(paper->where), [&] {
        const int here = ++now;
        for (int seen = most; here > seen && !most.compare_exchange_weak(seen, here);) {
        }
        yield();
        ++printed, --now;
        paper->next();
      });
  });
  std::printf("all %d reports printed, never more than %d at a time\n", printed.load(), most > 2 ? most.load() : 2);
  const auto counted = rt.statistics().modules.at(0);
  std::printf("%s %s: %d\n", counted.module.c_str(), counted.what.c_str(), static_cast<int>(counted.count));
}
