#include "dist/global_memory.hpp"

#include <stretto/platform.hpp>

#include <algorithm>
#include <mutex>
#include <utility>
#include <vector>

#include "base/count_down.hpp"
#include "data/data_floor.hpp"
#include "net/self/local_window.hpp"
#include "platform/added_place.hpp"

namespace stretto::dist {

/// One copy in flight: waves of puts and gets; a wave begins when the previous one has ended. Deletes itself.
struct global_memory::running_copy {
  running_copy(global_memory& m, const places::copy_end& s, const places::copy_end& t, places::copy_shape e,
               places::completion& d)
      : memory(m),
        source(s),
        target(t),
        shape(e),
        done(d),
        is_from(s.memory == m.where_),
        is_to(t.memory == m.where_),
        parts(std::min<std::uint64_t>(most_in_flight,
                                      e.planes * e.rows * (e.row_bytes / global_layout::block_bytes + 2))) {
    memory.moving_.fetch_add(1, std::memory_order_acq_rel);
  }

  struct part final : places::completion {
    part() noexcept : completion(ended) {}
    static void ended(places::work_item& self) noexcept {
      auto& p = static_cast<part&>(self);
      p.of->part_ended(p);
    }
    running_copy* of = nullptr;
    std::unique_ptr<std::byte[]> staging;  // for copies within global memory: a get, and then a put
    std::byte* to = nullptr;               // where the put goes; null once it has begun
    std::uint64_t bytes = 0;
  };

  /// Begins waves until one is in flight, or the copy is over; `this` may be deleted then.
  void run() noexcept {
    do {
      std::size_t count = 0;
      left.store(1, std::memory_order_relaxed);
      const std::size_t most = is_from && is_to ? std::min(most_staged, parts.size()) : parts.size();
      while (count < most && !is_over()) {
        left.fetch_add(1, std::memory_order_relaxed);
        begin(parts[count++]);
      }
    } while (base::count_down(left) && !end_if_over());
  }

 private:
  static constexpr std::size_t most_in_flight = 256, most_staged = 16;

  bool is_over() {
    const std::scoped_lock hold(lock);
    return plane == shape.planes || failure;
  }
  bool end_if_over() noexcept {
    if (!is_over()) return false;
    places::completion& completed = done;
    std::exception_ptr why = std::move(failure);
    memory.moving_.fetch_sub(1, std::memory_order_acq_rel);
    delete this;
    net::end(completed, std::move(why));
    return true;
  }
  static std::byte* at(const places::copy_end& e, std::size_t plane, std::size_t row, std::size_t column) noexcept {
    return e.address + plane * e.plane_stride + row * e.row_stride + column;
  }
  /// Transfers the next bytes that are contiguous on both sides.
  void begin(part& p) noexcept {
    std::byte* const from = at(source, plane, row, column);
    std::byte* const to = at(target, plane, row, column);
    p.of = this;
    p.bytes = shape.row_bytes - column;
    if (is_from) p.bytes = std::min(p.bytes, memory.layout_.spot_of(from).bytes);
    if (is_to) p.bytes = std::min(p.bytes, memory.layout_.spot_of(to).bytes);
    advance(p.bytes);
    try {
      if (!is_from) return memory.put(memory.layout_.spot_of(to), {from, p.bytes}, p);
      std::byte* into = to;
      if (is_to) {
        p.staging = std::make_unique_for_overwrite<std::byte[]>(p.bytes);
        p.to = to;
        into = p.staging.get();
      }
      memory.get(memory.layout_.spot_of(from), {into, p.bytes}, p);
    } catch (...) {
      net::end(p, std::current_exception());
    }
  }
  void advance(std::uint64_t bytes) noexcept {
    column += bytes;
    if (column < shape.row_bytes) return;
    column = 0;
    if (++row < shape.rows) return;
    row = 0;
    ++plane;
  }
  void part_ended(part& p) noexcept {
    if (p.failure) {
      const std::scoped_lock hold(lock);
      if (!failure) failure = std::exchange(p.failure, nullptr);
    } else if (p.to) {  // the get is done, the put follows
      std::byte* const to = std::exchange(p.to, nullptr);
      return memory.put(memory.layout_.spot_of(to), {p.staging.get(), p.bytes}, p);
    }
    p.staging.reset();
    if (base::count_down(left) && !end_if_over()) run();
  }

  global_memory& memory;
  const places::copy_end source, target;
  const places::copy_shape shape;
  places::completion& done;
  const bool is_from, is_to;                   // this memory is the source, the target
  std::size_t plane = 0, row = 0, column = 0;  // where the next part begins; only the thread that begins waves
  std::vector<part> parts;                     // of a wave
  std::atomic<std::size_t> left{0};            // parts of the wave that have not ended, and one while it begins
  std::mutex lock;                             // guards what follows
  std::exception_ptr failure;
};

global_memory::global_memory(job& j, std::uint64_t bytes)
    : job_(&j), layout_(j.nodes(), bytes), window_(j.transport().open_window(layout_.share_bytes())) {}

global_memory::global_memory(std::uint64_t bytes)
    : job_(nullptr),
      layout_(1, bytes),
      own_(std::make_unique<net::self::local_window>(layout_.share_bytes())),
      window_(*own_) {}

std::byte* global_memory::first_of_share() const noexcept { return layout_.first_of(job_ ? job_->self() : rank{0}); }

place global_memory::place_of(const platform& machine) {
  const auto all = machine.places(place_kind::global_memory);
  return all.empty() ? place() : all.front();
}

platform global_memory::extended(const platform& machine) {
  if (place_of(machine)) return machine;
  platform_description d = machine.describe();
  const place made = places::added_place(d, "global_memory", place_kind::global_memory);
  d.links.push_back({data::host_memory_of(machine), made, {}, {}});
  return platform::build(std::move(d));
}

void global_memory::start(const places::copy_end& source, const places::copy_end& target, places::copy_shape shape,
                          places::completion& done) {
  if (!shape.bytes()) return net::end(done);
  (new running_copy(*this, source, target, shape, done))->run();
}

bool global_memory::fails(rank node, std::uint64_t bytes, places::completion& done) const {
  if (!job_ || !job_->is_lost(node)) return false;
  net::end(done,
           net::node_lost(node, std::to_string(bytes) + " bytes of the global memory of node " + std::to_string(node)));
  return true;
}

void global_memory::put(const global_layout::spot& to, std::span<const std::byte> from, places::completion& done) {
  if (!fails(to.node, from.size(), done)) window_.put(to.node, to.offset, from, done);
}

void global_memory::get(const global_layout::spot& from, std::span<std::byte> into, places::completion& done) {
  if (!fails(from.node, into.size(), done)) window_.get(from.node, from.offset, into, done);
}

// Defaults of an unmeasured network; routing compares these figures with those of other channels.
double global_memory::bandwidth_bytes_per_second(place, place) const { return 2e9; }
double global_memory::latency_seconds(place, place) const { return 2e-6; }

void add_global_channels(places::channel_registry& registry, const std::shared_ptr<global_memory>& memory) {
  for (const place_kind host : {place_kind::numa, place_kind::system_memory, place_kind::pinned_memory}) {
    registry.add(host, place_kind::global_memory, memory);
    registry.add(place_kind::global_memory, host, memory);
  }
  registry.add(place_kind::global_memory, place_kind::global_memory, memory);
}

}  // namespace stretto::dist
