// transfer_channel.hpp - copies between memories and files: begins them, and ends their events in polls.
//
// Threads     start: any thread of the runtime. poll: as poller.hpp says. use, end: the runtime's.
// Invariants  (1) copies end in poll only, so that no thread of an engine runs what waits for them. (2) a transfer ends
//             at its simulated time or later.
#pragma once

#include <stretto/module.hpp>

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include "engine.hpp"
#include "open_files.hpp"

namespace stretto {

class transfer_channel final : public channel, public poller {
 public:
  /// A storage place.
  struct disk {
    storage_place simulated;
    statistic reads, writes;
    std::chrono::steady_clock::time_point busy_until{};  // by the simulated speed
  };

  explicit transfer_channel(std::shared_ptr<open_files> files) noexcept : files_(std::move(files)) {}
  void add_disk(place at, disk d) { disks_.emplace(at.index, std::move(d)); }
  void use(engine& moves);
  /// Ends what is pending; nothing may start any more.
  void end() noexcept;

  void start(const copy_end& source, const copy_end& target, const copy_extent& extent, copy_done&& done) override;
  double bandwidth_bytes_per_second(place, place) const override { return 1e9; }
  double latency_seconds(place, place) const override { return 50e-6; }

 private:
  using clock = std::chrono::steady_clock;

  std::size_t poll() override;
  bool will_call() noexcept override { return !is_any_delayed_ && engine_->will_call(); }
  void fail(std::exception_ptr why) noexcept override;
  bool is_disk(place p) const noexcept { return disks_.contains(p.index); }
  clock::time_point due_of(disk& d, std::size_t bytes);
  void finish(transfer& t) noexcept;

  const std::shared_ptr<open_files> files_;
  std::map<std::uint32_t, disk> disks_;
  engine* engine_ = nullptr;
  std::mutex mutex_;  // guards disk::busy_until
  std::atomic<bool> is_any_delayed_{false};
  std::vector<std::unique_ptr<transfer>> ended_;  // used in polls: those that are not due yet
};

}  // namespace stretto
