// disk_module.hpp - a made-up disk: bytes that only its channel reaches, tasks that only its thread runs.
//
// Threads     one of its own, attached to the runtime. The rest as module.hpp says.
#pragma once

#include <stretto/module.hpp>
#include <stretto/runtime.hpp>

#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

namespace stretto::test {

class disk_module final : public module, private place_server, private channel {
 public:
  struct manner {
    enum { to_host, nowhere } reaches = to_host;
    enum { own_thread, workers, drops, refuses } tasks = own_thread;
    int fails_at_copy = 0;  // counted from 1
    bool drops_copy = false;
    std::size_t bytes = 1 << 20;
    std::string name = "disk";
  };
  explicit disk_module(manner m) : manner_(std::move(m)), bytes_(manner_.bytes) {}
  disk_module() : disk_module(manner{}) {}

  /// The address that stands for the byte at `offset`. Offset 0 is address 4096, because it must not be null.
  static void* at(std::size_t offset) { return reinterpret_cast<void*>(offset + 4096); }
  std::thread::id thread() const { return thread_.get_id(); }
  std::byte& operator[](std::size_t i) { return bytes_[i]; }

  std::string_view name() const noexcept override { return manner_.name; }
  void add_places(platform_description& d) const override {
    place_description disk;
    disk.name = manner_.name;
    disk.kind = place_kind::storage;
    d.places.push_back(disk);
    d.links.push_back({place{0}, place{static_cast<std::uint32_t>(d.places.size() - 1)}, {}, {}});
  }
  void initialise(module_host& host) override {
    host.claim(place_kind::storage, this);
    if (manner_.reaches == manner::to_host) {
      // Not owned: the module outlives the runtime.
      const std::shared_ptr<channel> self(static_cast<channel*>(this), [](channel*) {});
      host.add_channel(place_kind::storage, place_kind::system_memory, self);
      host.add_channel(place_kind::system_memory, place_kind::storage, self);
    }
    copies_ = host.add_statistic("copies");
  }
  void started(runtime& owner) override {
    ends_ = false;
    thread_ = std::thread([this, &owner] {
      attached_thread here(owner);
      for (std::unique_lock lock(mutex_);;) {
        wake_.wait(lock, [&] { return ends_ || !work_.empty(); });
        if (work_.empty()) return;
        auto next = std::move(work_.front());
        work_.pop_front();
        lock.unlock();
        next();
        next = nullptr;
        lock.lock();
      }
    });
  }
  void finalise() override {
    {
      const std::scoped_lock lock(mutex_);
      ends_ = true;
    }
    wake_.notify_one();
    if (thread_.joinable()) thread_.join();
  }

 private:
  void put(std::function<void()> f) {
    const std::scoped_lock lock(mutex_);
    work_.push_back(std::move(f));
    wake_.notify_one();
  }
  void serve(served_task&& task, place) override {
    switch (manner_.tasks) {
      case manner::own_thread: {
        auto kept = std::make_shared<served_task>(std::move(task));
        return put([kept] { kept->run(); });
      }
      case manner::workers: return task.to_workers();
      case manner::drops: return;
      case manner::refuses: throw std::runtime_error("the disk is full");
    }
  }
  void start(const copy_end& source, const copy_end& target, const copy_extent& extent, copy_done&& done) override {
    if (++started_ == manner_.fails_at_copy) throw std::runtime_error("the disk is scratched");
    auto kept = std::make_shared<copy_done>(std::move(done));
    put([=, this] {
      if (manner_.drops_copy) return;
      auto timing = std::make_unique<statistic::measurement>(copies_, extent.bytes());
      for (std::size_t p = 0; p < extent.planes; ++p)
        for (std::size_t r = 0; r < extent.rows; ++r)
          std::memcpy(row_of(target, p, r), row_of(source, p, r), extent.row_bytes);
      timing.reset();  // count before reporting completion
      kept->succeed();
    });
  }
  /// Addresses of the disk are small numbers.
  std::byte* row_of(const copy_end& end, std::size_t plane, std::size_t row) {
    std::byte* const address = end.address + plane * end.plane_stride + row * end.row_stride;
    const auto n = reinterpret_cast<std::uintptr_t>(address);
    return n < 4096 + bytes_.size() ? bytes_.data() + (n - 4096) : address;
  }
  double bandwidth_bytes_per_second(place, place) const override { return 1e8; }
  double latency_seconds(place, place) const override { return 1e-4; }

  const manner manner_;
  std::vector<std::byte> bytes_;
  statistic copies_;
  std::atomic<int> started_{0};
  std::thread thread_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::deque<std::function<void()>> work_;
  bool ends_ = false;
};

}  // namespace stretto::test
