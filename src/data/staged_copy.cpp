#include "data/staged_copy.hpp"

#include <algorithm>

#include "base/count_down.hpp"
#include "data/box_pieces.hpp"
#include "data/layout.hpp"
#include "data/operation.hpp"
#include "data/operation_trace.hpp"
#include "data/transfers.hpp"

namespace stretto::data {

namespace {

std::uint64_t largest_box_volume(const operation_request& r) noexcept {
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < r.box_count; ++i) largest = std::max<std::uint64_t>(largest, r.box_at(i).volume());
  return largest;
}

}  // namespace

staged_copy::step_part::step_part() noexcept : completion(on_part_done) {}

staged_copy::staged_copy(data_state& state, owner& made_by, operation& op, std::vector<memory_space*> route)
    : state_(state), owner_(made_by), op_(op), route_(std::move(route)), steps_(route_.size() - 1) {
  for (unsigned h = 0; h < steps_.size(); ++h) {
    steps_[h].copy = this;
    steps_[h].hop = h;
  }
}

staged_copy::~staged_copy() { give_back(); }

void staged_copy::give_back() noexcept {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (!buffers_[i].held) continue;
    if (creation* resolved = route_[i + 1]->destroy(buffers_[i].held, nullptr))
      notify_resolved(resolved, base::require_current("data"));
  }
  buffers_.clear();
}

bool staged_copy::reserve() {
  const std::uint64_t element = op_.request.used[0].record->shape.element_bytes;
  const std::uint64_t largest = std::max<std::uint64_t>(largest_box_volume(op_.request), 1) * element;
  piece_bytes_ = std::max(element, std::min(state_.settings.staging_bytes, largest));
  for (;; piece_bytes_ = std::max(element, piece_bytes_ / 2)) {
    for (slots_ = 2; slots_ > 0; --slots_) {
      bool enough = true;
      for (std::size_t i = 1; enough && i + 1 < route_.size(); ++i) {
        block* held = route_[i]->try_create(slots_ * piece_bytes_);
        if (held) buffers_.push_back({held, nullptr});
        else enough = false;
      }
      if (enough) {
        cut();
        return true;
      }
      give_back();
    }
    if (piece_bytes_ == element) return false;
  }
}

bool staged_copy::reserve_on_heap() {
  const std::uint64_t element = op_.request.used[0].record->shape.element_bytes;
  piece_bytes_ = std::max(element, std::min(state_.settings.staging_bytes, heap_slot_bytes));
  slots_ = 2;
  for (std::size_t i = 1; i + 1 < route_.size(); ++i) {
    if (block* held = route_[i]->try_create(slots_ * piece_bytes_)) {
      buffers_.push_back({held, nullptr});
    } else if (route_[i]->kind() == place_kind::system_memory) {
      buffers_.push_back({nullptr, std::make_unique_for_overwrite<std::byte[]>(slots_ * piece_bytes_)});
    } else {
      give_back();
      return false;
    }
  }
  cut();
  return true;
}

void staged_copy::cut() {
  const std::uint64_t element = op_.request.used[0].record->shape.element_bytes;
  const std::uint64_t per_piece = route_.size() == 2 ? largest_box_volume(op_.request) : piece_bytes_ / element;
  for (std::size_t i = 0; i < op_.request.box_count; ++i)
    for (const box& b : pieces_of(op_.request.box_at(i), std::max<std::uint64_t>(per_piece, 1))) pieces_.push_back(b);
  order_ = std::make_unique<pipeline>(static_cast<unsigned>(steps_.size()), pieces_.size(), slots_);
}

void staged_copy::start(base::thread_context& context) { advance(nullptr, context); }

// Stage 0 is the instance read, the last stage the one written; those between are packed buffers. All operands use
// coordinates of the instance written.
reach staged_copy::end_of(unsigned stage, std::uint64_t piece, const box& b) const {
  if (stage == 0) return reach_of(op_.request.used[1], op_.request.shift);
  if (stage + 1 == route_.size()) return reach_of(op_.request.used[0]);
  const std::uint32_t element = op_.request.used[0].record->shape.element_bytes;
  const buffer& in = buffers_[stage - 1];
  std::byte* first = in.held ? route_[stage]->address_of(*in.held) : in.heap_bytes.get();
  return reach::of(first + order_->slot_of(piece) * piece_bytes_, dense_layout(b, 3, element));
}

loop_nest<2> staged_copy::walk_of(unsigned hop, std::uint64_t piece) const {
  const box& b = pieces_[piece];
  return plan(b, std::array{end_of(hop + 1, piece, b), end_of(hop, piece, b)});
}

std::uint64_t staged_copy::bytes_of(const step& s) const noexcept {
  return pieces_[s.piece].volume() * op_.request.used[0].record->shape.element_bytes;
}

// One lock covers marking a step as finished and checking for another call in progress: once the lock is released, that
// call may end and destroy the copy.
void staged_copy::advance(step* finished, base::thread_context& context) noexcept {
  std::unique_lock lock(mutex_);
  if (finished) order_->finish(finished->hop);
  if (advancing_) {
    again_ = true;
    return;
  }
  advancing_ = true;
  do {
    again_ = false;
    for (step& s : steps_) {
      if (failed_ || !order_->can_start(s.hop)) continue;
      s.piece = order_->start(s.hop);
      lock.unlock();
      failure_ref cause;
      try {
        begin(s);
      } catch (...) {
        cause = current_failure(op_.request);
      }
      lock.lock();
      if (cause) {
        order_->finish(s.hop);
        if (!failed_) failed_ = std::move(cause);
      }
    }
  } while (again_);
  advancing_ = false;
  if (order_->is_running() || !(failed_ || order_->is_done())) return;
  failure_ref cause = failed_;
  // The cause is the last transfer, even if it ended on another thread.
  const std::uint64_t id = latest_transfer_.load(std::memory_order_relaxed);
  lock.unlock();
  const caused_by transfer(id, context);
  owner_.ended(*this, std::move(cause), context);
}

void staged_copy::begin(step& s) {
  s.walk = walk_of(s.hop, s.piece);
  const memory_space* from = route_[s.hop];
  const memory_space* to = route_[s.hop + 1];
  const auto kind = [](const memory_space* m) { return m ? m->kind() : place_kind::system_memory; };
  const auto where = [](const memory_space* m) { return m ? m->where() : place{}; };
  if (s.walk.empty || (is_host_memory(kind(from)) && is_host_memory(kind(to)))) {
    s.parts = std::vector<step_part>(1);
    s.parts[0].owner = &s;
    s.parts[0].run = on_host_step;
    s.left.store(1, std::memory_order_relaxed);
    s.since = 0;
    state_.settings.tasks->execute(s.parts[0], where(to));
    return;
  }
  const std::vector<transfer> all = transfers_of(s.walk, where(from), where(to));
  s.parts = std::vector<step_part>(all.size());
  s.left.store(all.size(), std::memory_order_relaxed);
  s.since = trace::clock::now();
  places::channel& channel = *state_.settings.channels->find(kind(from), kind(to));
  for (step_part& part : s.parts) part.owner = &s;
  std::size_t started = 0;  // once the last part is started, the step may be at its next piece
  try {
    for (; started < all.size(); ++started)
      channel.start(all[started].source, all[started].target, all[started].shape, s.parts[started]);
  } catch (...) {  // parts that did not start count as failed; the last part alive ends the step
    const std::exception_ptr why = std::current_exception();
    for (std::size_t i = started; i < all.size(); ++i) part_done(s, why);
  }
}

void staged_copy::on_host_step(places::work_item& self) noexcept {
  step& s = *static_cast<step_part&>(self).owner;
  staged_copy& copy = *s.copy;
  base::thread_context& context = base::require_current("data");
  show_task_as(copy.op_.request, copy.bytes_of(s), copy.route_[s.hop], copy.route_[s.hop + 1], context);
  copy_elements(s.walk);
  s.copy->part_done(s, nullptr);
}

void staged_copy::on_part_done(places::work_item& self) noexcept {
  auto& part = static_cast<step_part&>(self);
  part.owner->copy->part_done(*part.owner, part.failure);
}

void staged_copy::part_done(step& s, std::exception_ptr failure) noexcept {
  if (failure) {
    auto cause = detail::make_failure(std::move(failure), describe(op_.request), op_.request.where);
    std::scoped_lock lock(mutex_);
    if (!failed_) failed_ = std::move(cause);
  }
  if (!base::count_down(s.left)) return;
  base::thread_context& context = base::require_current("data");
  latest_transfer_.store(
      s.since ? record_transfer(op_.request, bytes_of(s), route_[s.hop], route_[s.hop + 1], s.since, context) : 0,
      std::memory_order_relaxed);
  advance(&s, context);
}

}  // namespace stretto::data
