#include "dist/out_of_band_parts.hpp"

#include <stretto/event.hpp>
#include <stretto/task.hpp>

#include <algorithm>
#include <cstring>
#include <thread>

namespace stretto::dist {

out_of_band_parts::out_of_band_parts(job& j) : job_(j) {
  j.on_payload<&out_of_band_parts::on_part>(this);
  j.add(*this);
}

std::uint64_t out_of_band_parts::send(rank to, std::span<const detail::part_apart> all,
                                      const std::shared_ptr<const void>& lent) {
  const std::uint64_t number = last_.fetch_add(1, std::memory_order_relaxed) + 1;
  for (const detail::part_apart& p : all)
    job_.send(to, part_of_message{number}, p.bytes, lent, job::counting::itself, job::followed::yes);
  return number;
}

void out_of_band_parts::on_part(rank from, const part_of_message& m, net::payload&& rest, base::thread_context&) {
  part& p = arrived_[{from, m.number}].emplace_back();
  if (rest.is_here()) p.here.assign(rest.here().begin(), rest.here().end());
  else p.rest = std::move(rest);
}

out_of_band_parts::parts out_of_band_parts::take(rank from, std::uint64_t number) {
  const auto found = arrived_.find({from, number});
  if (found == arrived_.end()) return {};
  parts all = std::move(found->second);
  arrived_.erase(found);
  return all;
}

void out_of_band_parts::lost(rank node, base::thread_context&) noexcept {
  std::erase_if(arrived_, [node](const auto& of) { return of.first.first == node; });
}

parts_reader::parts_reader(job& j, out_of_band_parts::parts&& all, std::vector<std::uint64_t>&& behind,
                           std::span<const std::byte> bytes)
    : job_(j), all_(std::move(all)), behind_(std::move(behind)), bytes_(bytes) {
  if (all_.size() != behind_.size()) detail::refuse_fields("parts", behind_.size(), all_.size());
  if (!std::ranges::is_sorted(behind_) || (!behind_.empty() && behind_.back() > bytes.size()))
    detail::refuse_fields("bytes between parts", behind_.back(), bytes.size());
  left_ = bytes.size() - begin().size();
  for (const out_of_band_parts::part& p : all_) left_ += p.bytes();
}

std::span<const std::byte> parts_reader::segment(std::size_t i) const noexcept {
  const std::uint64_t first = i ? behind_[i - 1] : 0, end = i < behind_.size() ? behind_[i] : bytes_.size();
  return bytes_.subspan(first, end - first);
}

// `given` is what the reader has left of a segment, or of a part in cut_. A part that is wanted as a whole goes
// directly to its destination.
void parts_reader::read(std::span<const std::byte>& given, std::byte* first, std::size_t n) {
  const auto give = [&](std::span<const std::byte> next) {
    given = next;
    left_ -= next.size();
  };
  for (;;) {
    const std::size_t now = std::min(n, given.size());
    if (now) std::memcpy(first, given.data(), now);
    given = given.subspan(now);
    first += now, n -= now;
    if (!n) return;
    if (std::exchange(is_cut_, false)) {
      give(segment(next_));
      continue;
    }
    out_of_band_parts::part& p = all_[next_++];
    const std::uint64_t bytes = p.bytes();
    if (n >= bytes) {
      fetch(p, first);
      first += bytes, n -= bytes, left_ -= bytes;
      give(segment(next_));
    } else {
      cut_.resize(bytes);
      fetch(p, cut_.data());
      is_cut_ = true;
      give(cut_);
    }
  }
}

namespace {

/// Ends the event when the transport has written the part.
struct part_received : places::completion {
  part_received(job& j, user_event e) : completion(run_it), in(j), done(e) {}
  static void run_it(places::work_item& item) noexcept {
    auto& received = static_cast<part_received&>(item);
    job& j = received.in;
    const user_event done = received.done;  // a copy: the task may destroy `received` at once
    if (received.failure) done.poison(std::move(received.failure));
    else done.trigger();
    j.end_incoming();
  }

  job& in;
  const user_event done;
};

}  // namespace

void parts_reader::fetch(out_of_band_parts::part& p, std::byte* into) {
  if (!p.here.empty()) return void(std::memcpy(into, p.here.data(), p.here.size()));
  part_received received(job_, user_event::create());
  job_.begin_incoming();
  std::move(p.rest).receive(into, received);
  const event done = received.done;
  try {
    wait(done);
  } catch (...) {
    // The sender has failed, or there is no memory to suspend the task: then the transport still writes to `into`.
    while (!done.has_triggered() && !done.is_poisoned()) std::this_thread::yield();
    if (done.has_triggered()) return;
    has_failed_ = true;
    throw;
  }
}

}  // namespace stretto::dist
