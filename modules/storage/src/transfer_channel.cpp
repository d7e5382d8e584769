#include "transfer_channel.hpp"

#include <stretto/timed_wait.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace stretto {

void transfer_channel::use(engine& moves) {
  engine_ = &moves;
  next_poll(moves.must_be_polled() ? clock::time_point{} : clock::time_point::max());
}

void transfer_channel::end() noexcept {
  stop_polling();
  while (pending()) {
    for (auto& [at, d] : disks_) d.simulated = {};
    for (const auto& t : ended_) t->due = {};
    poll();
  }
}

transfer_channel::clock::time_point transfer_channel::due_of(disk& d, std::size_t bytes) {
  const storage_place& s = d.simulated;
  if (s.latency.count() == 0 && s.bytes_per_second <= 0) return {};
  const std::scoped_lock lock(mutex_);
  const auto now = time_now();
  if (s.bytes_per_second > 0)
    d.busy_until = std::max(d.busy_until, now) + std::chrono::ceil<clock::duration>(std::chrono::duration<double>(
                                                     static_cast<double>(bytes) / s.bytes_per_second));
  return std::max(d.busy_until, now) + s.latency;
}

void transfer_channel::start(const copy_end& source, const copy_end& target, const copy_extent& extent,
                             copy_done&& done) {
  auto t = std::make_unique<transfer>();
  t->is_read = source.memory && is_disk(source.memory);
  const copy_end& of_file = t->is_read ? source : target;
  const copy_end& of_memory = t->is_read ? target : source;
  t->of = files_->file_at(of_file.address);
  const auto first = reinterpret_cast<std::uintptr_t>(of_file.address);
  for (std::size_t p = 0; p < extent.planes; ++p)
    for (std::size_t r = 0; r < extent.rows; ++r)
      add_pieces(t->pieces, open_files::offset_of(first + p * of_file.plane_stride + r * of_file.row_stride),
                 of_memory.address + p * of_memory.plane_stride + r * of_memory.row_stride, extent.row_bytes,
                 t->of->direct >= 0);
  t->offset = open_files::offset_of(first);
  t->bytes = extent.bytes();
  t->begun = clock::now();
  t->due = due_of(disks_.at(t->of->where.index), t->bytes);
  t->done = std::move(done);
  add_pending();
  engine_->begin(std::move(t));
}

void transfer_channel::finish(transfer& t) noexcept {
  disk& d = disks_.at(t.of->where.index);
  (t.is_read ? d.reads : d.writes).add(1, clock::now() - t.begun, t.failure ? 0 : t.bytes);
  t.failure ? t.done.fail(t.failure) : t.done.succeed();
}

std::size_t transfer_channel::poll() {
  if (!engine_->must_be_polled())
    next_poll(clock::time_point::max());  // before the engine is polled: a later end asks again
  engine_->poll(ended_);
  const auto now = time_now();
  const auto later = std::partition(ended_.begin(), ended_.end(), [&](const auto& t) { return t->due <= now; });
  std::vector<std::unique_ptr<transfer>> due(std::make_move_iterator(ended_.begin()), std::make_move_iterator(later));
  ended_.erase(ended_.begin(), later);
  is_any_delayed_ = !ended_.empty();
  if (is_any_delayed_) next_poll({});  // the runtime's clock may be one that a test advances
  for (const auto& t : due) finish(*t);
  remove_pending(due.size());
  return due.size();
}

// poll() throws only if the core has no memory left: the transfers that have not ended then fail with their handles.
void transfer_channel::fail(std::exception_ptr why) noexcept {
  for (const auto& t : std::exchange(ended_, {})) t->done.fail(why);
}

}  // namespace stretto
