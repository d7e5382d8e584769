// io_threads.hpp - the threads that block in place of workers: for tasks at the place, and for copies to and from it.
//
// Threads     serve, start: any thread of the runtime. poll: as poller.hpp says. begin, end: the runtime's.
// Invariants  (1) what was handed in before end() is done before it returns. (2) copies are ended in poll only, so an
//             I/O thread never runs what waits for them.
#pragma once

#include <stretto/module.hpp>

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include <stretto_storage/storage.hpp>

namespace stretto {

/// An open file and its place in addresses.
struct file::opened {
  ~opened();
  std::shared_ptr<io_threads> of;
  std::filesystem::path path;
  place where;
  int descriptor = -1;
  std::uint64_t number = 0;
};

class io_threads final : public place_server, public channel, public poller {
 public:
  static constexpr unsigned offset_bits = 40;

  explicit io_threads(unsigned count) noexcept : count_(count) {}
  void count_in(statistic reads, statistic writes, statistic tasks) noexcept;
  void at_places(std::vector<place> places) noexcept { places_ = std::move(places); }
  void begin(runtime& owner);
  void end() noexcept;

  void add(const std::shared_ptr<file::opened>& f);
  void remove(std::uint64_t number) noexcept;

  void serve(served_task&& task, place where) override;
  void start(const copy_end& source, const copy_end& target, const copy_extent& extent, copy_done&& done) override;
  double bandwidth_bytes_per_second(place, place) const override { return 1e9; }
  double latency_seconds(place, place) const override { return 50e-6; }

 private:
  struct copy {
    copy_end source, target;
    copy_extent extent;
    copy_done done;
    bool is_read = false;
    std::shared_ptr<file::opened> of;
    std::exception_ptr failure;
  };
  struct work {  // one of the two
    served_task task;
    std::unique_ptr<copy> bytes;
  };

  std::size_t poll() override;
  void fail(std::exception_ptr why) noexcept override;
  void put(work w);
  void run_thread(runtime& owner);
  void transfer(copy& c) noexcept;
  std::shared_ptr<file::opened> file_at(const std::byte* address);
  std::vector<std::unique_ptr<copy>> take_ended() noexcept;

  bool is_storage(place p) const noexcept;

  const unsigned count_;
  std::vector<place> places_;
  statistic reads_, writes_, tasks_;
  std::vector<std::thread> threads_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<work> queue_;
  std::vector<std::unique_ptr<copy>> ended_;
  std::map<std::uint64_t, std::weak_ptr<file::opened>> files_;
  std::uint64_t next_number_ = 1;
  bool ends_ = false;
};

}  // namespace stretto
