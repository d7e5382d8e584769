#include "device/sim/sim_device.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/kernel_text.hpp"
#include "device/native_code.hpp"
#include "device/portability.hpp"
#include "device/sim/exported_memories.hpp"
#include "device/sim/sim_memory.hpp"
#include "device/sim/timeline.hpp"
#include "device/trial_run.hpp"

namespace stretto::device::sim {

/// The bus, the lock under which its devices read the time, and the memories that they share.
class bus {
 public:
  std::mutex mutex;
  engine wires;

  /// Registers memory: the simulator accesses it at `distance` from its device address. `of`: the device memory that
  /// it is or aliases.
  void join(const std::byte* first, std::uint64_t bytes, std::ptrdiff_t distance,
            std::shared_ptr<const sim_memory> of) {
    std::scoped_lock lock(memories_mutex_);
    memories_.emplace(first, memory{bytes, distance, std::move(of)});
  }
  void leave(const std::byte* first) noexcept {
    std::unique_lock lock(memories_mutex_);
    const auto left = memories_.extract(first);
    lock.unlock();  // destroying it may free a memory
  }
  /// The distance from an address to the one that the simulator uses; 0 for host memory.
  std::ptrdiff_t distance_of(const std::byte* address) const noexcept {
    std::scoped_lock lock(memories_mutex_);
    const memory* const m = find(address);
    return m ? m->distance : 0;
  }
  /// The device memory at an address, on this bus or on another node; null: host memory.
  std::shared_ptr<const sim_memory> memory_at(const std::byte* address) const {
    std::scoped_lock lock(memories_mutex_);
    const memory* const m = find(address);
    return m ? m->of : nullptr;
  }

 private:
  struct memory {
    std::uint64_t bytes;
    std::ptrdiff_t distance;
    std::shared_ptr<const sim_memory> of;
  };
  const memory* find(const std::byte* address) const noexcept {
    const auto after = memories_.upper_bound(address);
    if (after == memories_.begin()) return nullptr;
    const auto& [first, m] = *std::prev(after);
    return address < first + m.bytes ? &m : nullptr;
  }

  mutable std::mutex memories_mutex_;
  std::map<const std::byte*, memory> memories_;  // by their first bytes
};

std::shared_ptr<bus> make_bus() { return std::make_shared<bus>(); }

namespace {

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class sim_kernel final : public compiled_kernel {
 public:
  sim_kernel(const kernel_code& code, std::int64_t most_groups) : compiled_kernel(code), most_groups_(most_groups) {}
  void check_range(const device& on, const launch_range& r) const override {
    if (code.in_groups && r.items() / (r.group[0] * r.group[1] * r.group[2]) > most_groups_)
      throw unsupported_range(on, code, "the range has more groups than a launch can have",
                              fmt::format("{} groups", most_groups_));
  }

 private:
  const std::int64_t most_groups_;
};

struct sim_marker final : stream_marker::state {
  std::shared_ptr<point> at = std::make_shared<point>();
};

class sim_device final : public device, public faults {
 public:
  explicit sim_device(options o)
      : options_(std::move(o)), memory_(std::make_shared<sim_memory>(options_.memory_bytes, options_.name)) {
    shares_wires_ = options_.wires != nullptr;
    if (!shares_wires_) options_.wires = make_bus();
    about_ = {.name = options_.name,
              .backend = "sim",
              .vendor = {},
              .kind = options_.kind,
              .memory_bytes = options_.memory_bytes,
              .whole_memory_bytes = options_.memory_bytes,
              .local_memory_bytes = options_.local_memory_bytes,
              .most_items_per_group = options_.most_items_per_group,
              .copy_engines = options_.copy_engines,
              .has_double = options_.has_double,
              .bandwidth_bytes_per_second = options_.to_device_bytes_per_second,
              .latency_seconds = options_.copy_latency_seconds};
    about_.copies_page_locked_faster = options_.pageable_bytes_per_second > 0;
    about_.supports_direct_messages = options_.supports_direct_messages;
    about_.near_processors = options_.near_processors;
    about_.is_host_accessible = options_.is_host_accessible;
    about_.host_memory_bytes = options_.host_memory_bytes;
    about_.compiles_at_first_launch = options_.compile_seconds > 0;
    if (options_.exports) exported_.emplace(memory_);
    if (options_.host_memory_bytes) host_memory_ = line_memory::allocate(options_.host_memory_bytes);
    options_.wires->join(memory_->device_address(), memory_->bytes(), memory_->distance(), memory_);
    if (!options_.clock) thread_ = std::thread([this] { keep_time(); });
  }

  ~sim_device() override {
    options_.wires->leave(memory_->device_address());
    if (!thread_.joinable()) return;
    {
      std::scoped_lock lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }

  const properties& about() const noexcept override { return about_; }
  bool is_lost() const noexcept override { return lost_; }
  std::byte* memory() const noexcept override { return memory_->device_address(); }
  void allocated(std::byte* first, std::uint64_t bytes) override {
    std::scoped_lock lock(mutex_);  // held to the end: a failure of the device overwrites all of its memory
    if (++allocations_ == fails_at_allocation_)
      throw without_memory(bytes, "the simulated device was told to fail this one");
    if (of_others_ && in_use_ + bytes + of_others_ > options_.memory_bytes)
      throw without_memory(bytes, fmt::format("others use {} of its {} bytes", of_others_, options_.memory_bytes));
    in_use_ += bytes;
    memory_->fill_with_garbage(first, bytes, sim_memory::fresh_fill_byte);
  }
  void freed(std::byte* first, std::uint64_t bytes) noexcept override {
    std::scoped_lock lock(mutex_);
    in_use_ -= bytes;
    memory_->fill_with_garbage(first, bytes, sim_memory::freed_fill_byte);
  }
  std::byte* transport_address(std::byte* address) const noexcept override {
    return address + options_.wires->distance_of(address);
  }
  std::span<const std::byte> exported() const noexcept override {
    return exported_ ? exported_->token() : std::span<const std::byte>();
  }
  std::byte* host_memory() const noexcept override { return host_memory_.get(); }
  bool lock_host(std::byte* first, std::uint64_t bytes) noexcept override {
    if (!about_.copies_page_locked_faster) return false;
    std::scoped_lock lock(mutex_);
    locked_.emplace(first, bytes);
    return true;
  }
  void unlock_host(std::byte* first) noexcept override {
    std::scoped_lock lock(mutex_);
    locked_.erase(first);
  }
  bool reaches(const device& other) const override {
    const auto* const peer = dynamic_cast<const sim_device*>(&other);
    return peer && peer->options_.wires == options_.wires;
  }

  std::unique_ptr<stream> make_stream() override;

  std::shared_ptr<const compiled_kernel> compile(const kernel_code& code) override {
    const std::scoped_lock lock(kernels_mutex_);
    std::shared_ptr<const compiled_kernel>& kept = kernels_[&code];
    if (!kept) kept = accepted(code);
    return kept;
  }

  std::size_t poll() override {
    if (!thread_.joinable()) compute_until(options_.clock());
    std::vector<places::completion*> ended;
    {
      std::scoped_lock lock(mutex_);
      ended.swap(ended_);
    }
    pending_.fetch_sub(ended.size(), std::memory_order_relaxed);
    for (places::completion* c : ended) c->run(*c);
    return ended.size();
  }
  bool will_notify(const std::shared_ptr<completion_notifier>& b) noexcept override {
    if (!thread_.joinable()) return false;  // stepped: time passes in poll only
    std::scoped_lock lock(mutex_);
    notifier_ = b;
    notifier_->arm();
    return ended_.empty();
  }
  std::size_t pending() const noexcept override { return pending_.load(std::memory_order_acquire); }

  void fail_launch(std::uint64_t n) override {
    std::scoped_lock lock(mutex_);
    fails_at_launch_ = launches_ + n;
  }
  void lose() override {
    std::unique_lock lock(mutex_);
    lose_now(lock);
  }
  void lose_at_launch(std::uint64_t n) override {
    std::scoped_lock lock(mutex_);
    lost_at_launch_ = launches_ + n;
  }
  void fail_allocation(std::uint64_t n) override {
    std::scoped_lock lock(mutex_);
    fails_at_allocation_ = allocations_ + n;
  }
  void reserve_for_others(std::uint64_t bytes) override {
    std::scoped_lock lock(mutex_);
    of_others_ = bytes;
  }

 protected:
  void require(const native_memory& from, std::uint64_t) const override {
    if (!from.data || from.buffer)
      throw foreign_memory(*this, from.buffer ? "the program named a buffer" : "the program named no memory",
                           "name host memory, which stands for the memory of a simulated device");
  }
  void map_borrowed(std::byte* alias, const native_memory& from, std::uint64_t bytes) override {
    options_.wires->join(alias, bytes, static_cast<const std::byte*>(from.data) + from.offset_bytes - alias, nullptr);
  }
  void unmap_borrowed(std::byte* alias) noexcept override { options_.wires->leave(alias); }
  bool map_host(std::byte* alias, std::byte* first, std::uint64_t bytes) override {
    if (about_.is_host_accessible) options_.wires->join(alias, bytes, first - alias, nullptr);
    return about_.is_host_accessible;
  }
  bool map_exported(std::byte* alias, std::span<const std::byte> token, std::uint64_t bytes) override {
    if (!options_.exports) return false;
    std::shared_ptr<const sim_memory> theirs = exported_memory::find(token);
    if (!theirs || theirs == memory_ || bytes > theirs->bytes()) return false;
    const std::ptrdiff_t distance = theirs->device_address() + theirs->distance() - alias;
    options_.wires->join(alias, bytes, distance, std::move(theirs));
    return true;
  }

 private:
  friend class sim_stream;

  std::shared_ptr<const compiled_kernel> accepted(const kernel_code& code) const {
    if (!code.run) throw without_code(code, "the host, nor for a simulated device");
    // It runs the host function, but accepts only kernels that devices accept.
    if (auto refused = device_refusal(code)) throw std::move(*refused).fact("device", options_.name);
    if (!options_.has_double && !code.native && text_for(code, dialect::opencl).needs_double)
      throw missing_capability(code, "numbers of double precision", options_.name);
    return std::make_shared<sim_kernel>(code, options_.most_groups);
  }

  /// Bytes per second of a copy to or from this host memory.
  double speed_with(const std::byte* host, double if_locked) {
    if (!about_.copies_page_locked_faster) return if_locked;
    std::scoped_lock lock(mutex_);
    const auto behind = locked_.upper_bound(host);
    if (behind != locked_.begin() && host < std::prev(behind)->first + std::prev(behind)->second) return if_locked;
    return std::min(if_locked, options_.pageable_bytes_per_second);
  }

  /// The same of a copy that the calling thread asks for: its data is taken to be in the memory of its processor.
  double speed_from_here(double if_near) const {
    if (options_.far_bytes_per_second <= 0 || options_.near_processors.empty()) return if_near;
    const auto here = static_cast<unsigned>(::sched_getcpu());
    const bool is_near = std::ranges::find(options_.near_processors, here) != options_.near_processors.end();
    return is_near ? if_near : std::min(if_near, options_.far_bytes_per_second);
  }

  struct operation {
    std::function<void()> effect;
    places::completion* done = nullptr;
    std::exception_ptr failure;  // decided when it was enqueued
    std::size_t stream = 0;
  };

  std::size_t add_stream() {
    std::scoped_lock lock(mutex_, options_.wires->mutex);
    return times_.add_stream();
  }
  void end_stream(std::size_t number) {
    wait_until_empty(number);
    std::scoped_lock lock(mutex_);
    if (thread_.joinable()) times_.remove_stream(number);
  }
  void finish(std::size_t number) {
    wait_until_empty(number);
    std::unique_lock lock(mutex_);
    if (lost_) throw lost(options_.name);
    const auto failed = unreported_failures_.extract(number);
    lock.unlock();
    if (failed) std::rethrow_exception(failed.mapped());
  }
  void wait_until_empty(std::size_t number) {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) {
      lock.unlock();
      while (!is_empty(number)) compute_until(1e300);
      return;
    }
    changed_.wait(lock, [&] { return times_.stream_is_empty(number) && !computing_; });
  }
  bool is_empty(std::size_t number) {
    std::scoped_lock lock(mutex_);
    return times_.stream_is_empty(number);
  }

  void enqueue(std::size_t number, timed_operation t, operation o) {
    {
      std::scoped_lock lock(mutex_, options_.wires->mutex);
      t.id = ++ids_;
      o.stream = number;
      if (o.done) pending_.fetch_add(1, std::memory_order_relaxed);
      operations_.emplace(t.id, std::move(o));
      times_.enqueue(number, std::move(t), now());
    }
    changed_.notify_all();
  }

  double now() const { return options_.clock ? options_.clock() : steady_seconds(); }

  /// Applies effects in the order of time, without the lock: they run user code.
  void compute_until(double until) {
    for (;;) {
      operation o;
      {
        std::scoped_lock lock(mutex_, options_.wires->mutex);
        const auto id = times_.take_next_ended(until);
        if (!id) return;
        const auto found = operations_.find(*id);
        o = std::move(found->second);
        operations_.erase(found);
        computing_ = true;
        if (lost_) o.failure = std::make_exception_ptr(lost(options_.name));
      }
      std::exception_ptr failure = o.failure;
      if (!failure && o.effect) {
        try {
          o.effect();
        } catch (...) {
          failure = std::current_exception();
        }
      }
      std::shared_ptr<completion_notifier> rings;
      {
        std::scoped_lock lock(mutex_);
        computing_ = false;
        if (failure && !o.done) unreported_failures_.emplace(o.stream, failure);
        if (o.done) {
          const auto earlier = unreported_failures_.extract(o.stream);
          o.done->failure = earlier ? earlier.mapped() : failure;
          ended_.push_back(o.done);
          if (notifier_ && notifier_->is_armed()) rings = notifier_;
        }
      }
      if (rings) rings->notify();
      changed_.notify_all();
    }
  }

  void keep_time() {
    constexpr double worth_sleeping = 100e-6;
    for (;;) {
      compute_until(steady_seconds());
      std::unique_lock lock(mutex_);
      const auto next = times_.next_end();
      if (!next) {
        if (ending_) return;
        changed_.wait(lock, [&] { return ending_ || times_.next_end(); });
      } else if (const double left = *next - steady_seconds(); left > worth_sleeping) {
        changed_.wait_for(lock, std::chrono::duration<double>(left - worth_sleeping / 2));
      } else {
        lock.unlock();
        std::this_thread::yield();
      }
    }
  }

  /// Running computations end first.
  void lose_now(std::unique_lock<std::mutex>& lock) {
    changed_.wait(lock, [&] { return !computing_; });
    lost_ = true;
    memory_->lose();
  }

  error without_memory(std::uint64_t bytes, std::string why) const {
    return error("K30", fmt::format("device \"{}\" has no {} bytes of memory", options_.name, bytes))
        .because(std::move(why));
  }

  static error lost(const std::string& name) {
    return error("K31", fmt::format("device \"{}\" was lost", name))
        .because("the driver reports that the device no longer responds")
        .remedy("data in other memories is not lost; exclude the device and continue");
  }

  /// Called once per launch: the injected failure of this launch, if any.
  std::exception_ptr failure_of_launch(const kernel_code& code) {
    std::unique_lock lock(mutex_);
    const auto number = ++launches_;
    if (number == lost_at_launch_) lose_now(lock);
    if (number != fails_at_launch_) return {};
    return std::make_exception_ptr(
        error("K30", fmt::format("kernel \"{}\" failed on device \"{}\"", code.name, options_.name))
            .fact("kernel", fmt::format("{}:{}", code.file, code.line))
            .because("the simulated device is configured to fail this launch")
            .remedy("run it on the host with STRETTO_CHECK=1 to find a fault in the kernel"));
  }

  options options_;
  bool shares_wires_ = false;
  properties about_;
  const std::shared_ptr<sim_memory> memory_;  // shared with devices that imported it
  std::optional<exported_memory> exported_;
  line_memory::block host_memory_;
  std::map<const std::byte*, std::uint64_t> locked_;  // of the host's memory
  engine computes_, copies_in_, copies_out_;

  std::mutex kernels_mutex_;
  std::map<const kernel_code*, std::shared_ptr<const compiled_kernel>> kernels_;

  std::mutex mutex_;  // and the bus's, for times_
  std::condition_variable changed_;
  timeline times_;
  std::unordered_map<std::uint64_t, operation> operations_;
  std::map<std::size_t, std::exception_ptr>
      unreported_failures_;  // by stream: failures of operations without a completion
  std::vector<places::completion*> ended_;
  std::shared_ptr<completion_notifier> notifier_;
  std::uint64_t ids_ = 0, launches_ = 0, fails_at_launch_ = 0, lost_at_launch_ = 0;
  std::uint64_t allocations_ = 0, fails_at_allocation_ = 0, in_use_ = 0, of_others_ = 0;
  std::atomic<bool> lost_{false};  // written behind the mutex
  bool ending_ = false, computing_ = false;
  std::atomic<std::size_t> pending_{0};
  std::thread thread_;
};

class sim_stream final : public stream {
 public:
  explicit sim_stream(sim_device& d) : device_(d), number_(d.add_stream()) {}
  ~sim_stream() override { device_.end_stream(number_); }

  void notify(places::completion& done) override { device_.enqueue(number_, {}, {{}, &done, {}}); }
  void finish() override { device_.finish(number_); }

  void copy_some(const copy_end& source, const copy_end& target, places::copy_shape shape,
                 places::completion* done) override {
    const options& o = device_.options_;
    const auto source_in = o.wires->memory_at(source.address), target_in = o.wires->memory_at(target.address);
    const bool far_source = source_in && !source_in->has(source.address);
    const bool far_target = target_in && !target_in->has(target.address);
    const bool from_device = device_.owns(source.address) && !far_source;
    const bool to_device = device_.owns(target.address) && !far_target;
    timed_operation t;
    const double speed = from_device && to_device ? o.within_bytes_per_second
                         : far_source             ? o.to_device_bytes_per_second
                         : far_target             ? o.to_host_bytes_per_second
                         : to_device              ? device_.speed_with(source.address, o.to_device_bytes_per_second)
                                                  : device_.speed_with(target.address, o.to_host_bytes_per_second);
    const bool uses_host = !(from_device && to_device) && !far_source && !far_target;
    t.seconds = o.copy_latency_seconds +
                static_cast<double>(shape.bytes()) / (uses_host ? device_.speed_from_here(speed) : speed);
    t.on = o.copy_engines > 1 && !to_device ? &device_.copies_out_ : &device_.copies_in_;
    if (device_.shares_wires_ && !(from_device && to_device)) t.also_on = &o.wires->wires;
    const std::byte* const from = source.address + o.wires->distance_of(source.address);
    std::byte* const to = target.address + o.wires->distance_of(target.address);
    const auto copied = [=] {
      copy_rows(to, target.row_stride, target.plane_stride, from, source.row_stride, source.plane_stride, shape);
    };
    // The device's own memory exists while the device works.
    const auto others = source_in && source_in != device_.memory_   ? source_in
                        : target_in && target_in != device_.memory_ ? target_in
                                                                    : nullptr;
    device_.enqueue(number_, t,
                    {[=] {
                       if (!others) copied();
                       else if (!others->if_not_lost(copied)) throw sim_device::lost(others->owner());
                     },
                     done,
                     {}});
  }

  void fill_some(const copy_end& target, places::copy_shape shape, std::span<const std::byte> pattern,
                 places::completion* done) override {
    timed_operation t;
    t.seconds =
        device_.options_.launch_seconds + static_cast<double>(shape.bytes()) / device_.options_.within_bytes_per_second;
    t.on = &device_.computes_;
    std::byte* const to = target.address + device_.options_.wires->distance_of(target.address);
    device_.enqueue(number_, t,
                    {[=, kept = std::vector<std::byte>(pattern.begin(), pattern.end())] {
                       fill_rows(to, target.row_stride, target.plane_stride, shape, kept);
                     },
                     done,
                     {}});
  }

  void launch(const compiled_kernel& kernel, const launch_range& range, std::span<const launch_argument> arguments,
              places::completion* done) override {
    check_launch(device_, kernel, range, arguments);
    if (computes_whole_launches(kernel.code))
      check_native(kernel.code, range, arguments);  // as a device with that code does
    timed_operation t;
    t.seconds =
        device_.options_.launch_seconds + static_cast<double>(range.items()) / device_.options_.items_per_second;
    if (range.is_first) t.seconds += device_.options_.compile_seconds;
    t.on = &device_.computes_;
    for (const launch_argument& a : arguments)
      if (a.bytes && device_.shares(a.first, a.bytes)) {
        t.seconds += static_cast<double>(a.bytes) / device_.options_.to_device_bytes_per_second;
        if (device_.shares_wires_) t.also_on = &device_.options_.wires->wires;
      }
    auto kept = std::make_shared<copied_arguments>(
        kernel.code, arguments, [&](const std::byte* at) { return device_.options_.wires->distance_of(at); });
    const index_checks check = device_.options_.check;
    const auto run = [=, &code = kernel.code] {
      group_memory memory;
      if (check == index_checks::on && has_trial_run(code)) run_trial(code, kept->all(), range, memory, nullptr);
      kept->run(range, range.min, range.max, check, memory);
    };
    device_.enqueue(number_, t, {run, done, device_.failure_of_launch(kernel.code)});
  }

  stream_marker record_marker() override {
    auto m = std::make_shared<sim_marker>();
    timed_operation t;
    t.marks = m->at;
    device_.enqueue(number_, t, {});
    return stream_marker(std::move(m));
  }

  void wait_for(const stream_marker& m) override {
    if (!m.get()) return;
    timed_operation t;
    t.waits_for = std::static_pointer_cast<sim_marker>(m.get())->at;
    device_.enqueue(number_, t, {});
  }

 private:
  sim_device& device_;
  const std::size_t number_;
};

std::unique_ptr<stream> sim_device::make_stream() { return std::make_unique<sim_stream>(*this); }

}  // namespace

made make(const options& o) {
  auto d = std::make_unique<sim_device>(o);
  faults* const f = d.get();
  return {std::move(d), f};
}

}  // namespace stretto::device::sim
