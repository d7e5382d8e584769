#include "watched_elements.hpp"

#include <algorithm>
#include <utility>

namespace stretto::shmem {

namespace {

/// Elements are aligned, so the lowest bit is free for the size.
std::uint64_t key_of(const condition& c) noexcept {
  return reinterpret_cast<std::uintptr_t>(const_cast<const void*>(c.at)) | (c.bytes == 8);
}

}  // namespace

void watched_elements::add(pending_condition c, std::vector<pending_condition>& met) {
  const std::uint64_t bits = c.is.read();
  const auto [found, is_new] = index_.try_emplace(key_of(c.is), seen_.size());
  if (is_new) {
    seen_.push_back({c.is, bits});
    conditions_.emplace_back();
  }
  const std::size_t i = found->second;
  const bool is_changed = seen_[i].bits != bits, holds = c.is.holds_for(bits);
  if (holds) met.push_back(std::move(c));
  else conditions_[i].push_back(std::move(c));
  if (is_changed || conditions_[i].empty()) compare(i, bits, met);
}

void watched_elements::check(std::size_t most, std::vector<pending_condition>& met) {
  for (std::size_t n = std::min(most, seen_.size()); n > 0 && !seen_.empty(); --n) {
    if (next_ >= seen_.size()) next_ = 0;
    const std::uint64_t bits = seen_[next_].of.read();
    const std::size_t before = seen_.size();
    if (bits != seen_[next_].bits) compare(next_, bits, met);
    if (seen_.size() == before) ++next_;  // else another element is there now
  }
}

void watched_elements::compare(std::size_t i, std::uint64_t bits, std::vector<pending_condition>& met) {
  seen_[i].bits = bits;
  auto& all = conditions_[i];
  const auto kept = std::stable_partition(all.begin(), all.end(), [&](const auto& c) { return !c.is.holds_for(bits); });
  met.insert(met.end(), std::make_move_iterator(kept), std::make_move_iterator(all.end()));
  all.erase(kept, all.end());
  if (all.empty()) remove(i);
}

void watched_elements::remove(std::size_t i) {
  index_.erase(key_of(seen_[i].of));
  if (i + 1 != seen_.size()) {
    seen_[i] = seen_.back();
    conditions_[i] = std::move(conditions_.back());
    index_[key_of(seen_[i].of)] = i;
  }
  seen_.pop_back();
  conditions_.pop_back();
}

std::vector<pending_condition> watched_elements::take_all() {
  std::vector<pending_condition> all;
  for (auto& of : conditions_)
    all.insert(all.end(), std::make_move_iterator(of.begin()), std::make_move_iterator(of.end()));
  seen_.clear(), conditions_.clear(), index_.clear();
  return all;
}

}  // namespace stretto::shmem
