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
  part& p = came_[{from, m.number}].emplace_back();
  if (rest.is_here()) p.here.assign(rest.here().begin(), rest.here().end());
  else p.rest = std::move(rest);
}

out_of_band_parts::parts out_of_band_parts::take(rank from, std::uint64_t number) {
  const auto found = came_.find({from, number});
  if (found == came_.end()) return {};
  parts all = std::move(found->second);
  came_.erase(found);
  return all;
}

void out_of_band_parts::lost(rank node, base::thread_context&) noexcept {
  std::erase_if(came_, [node](const auto& of) { return of.first.first == node; });
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

void parts_reader::read(std::span<const std::byte>& given, std::byte* first, std::size_t n) {
  const auto go_on_with = [&](std::span<const std::byte> next) {
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
      go_on_with(segment(next_));
      continue;
    }
    out_of_band_parts::part& p = all_[next_++];
    const std::uint64_t bytes = p.bytes();
    if (n >= bytes) {
      fetch(p, first);
      first += bytes, n -= bytes, left_ -= bytes;
      go_on_with(segment(next_));
    } else {
      cut_.resize(bytes);
      fetch(p, cut_.data());
      is_cut_ = true;
      go_on_with(cut_);
    }
  }
}

namespace {

struct landed : places::completion {
  landed(job& j, user_event e) : completion(run_it), in(j), is_there(e) {}
  static void run_it(places::work_item& item) noexcept {
    auto& l = static_cast<landed&>(item);
    job& j = l.in;
    const user_event is_there = l.is_there;  // a copy: the task may destroy `l` at once
    if (l.failure) is_there.poison(std::move(l.failure));
    else is_there.trigger();
    j.end_incoming();
  }

  job& in;
  const user_event is_there;
};

}  // namespace

void parts_reader::fetch(out_of_band_parts::part& p, std::byte* into) {
  if (!p.here.empty()) return void(std::memcpy(into, p.here.data(), p.here.size()));
  landed l(job_, user_event::create());
  job_.begin_incoming();
  std::move(p.rest).receive(into, l);
  const event is_there = l.is_there;
  try {
    wait(is_there);
  } catch (...) {
    // wait() fails if there is no memory to suspend the task. The transport still writes to `into` until it is done.
    while (!is_there.has_triggered() && !is_there.is_poisoned()) std::this_thread::yield();
    if (is_there.has_triggered()) return;
    has_failed_ = true;
    throw;
  }
}

}  // namespace stretto::dist
