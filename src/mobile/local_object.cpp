#include "mobile/local_object.hpp"

#include <algorithm>

namespace stretto::mobiles {

rank correspondent::handled_on(std::uint64_t number) const noexcept {
  for (const stay& s : stays)
    if (number < s.end) return s.on;
  return nobody;
}

void correspondent::forget_below(std::uint64_t answered) noexcept {
  const auto kept = std::ranges::find_if(stays, [&](const stay& s) { return s.end > answered; });
  stays.erase(stays.begin(), kept);
  refused.erase(refused.begin(), refused.lower_bound(answered));
}

void correspondent::drop_held() noexcept {
  for (const auto& [number, l] : held) delete static_cast<far_letter*>(l);
  held.clear();
}

void resident::enqueue(letter& l) {
  if (kind_of(l) == letter_kind::migrate) moves_.push_back(&l);
  else waiting_.push(l);
}

acceptance resident::accept(correspondent& by, letter& l) {
  if (l.number < by.next) return acceptance::again;
  if (l.number > by.next) return by.held.try_emplace(l.number, &l).second ? acceptance::early : acceptance::again;
  ++by.next;
  enqueue(l);
  take_held(by);
  return acceptance::accepted;
}

bool resident::skip(correspondent& by, std::uint64_t number) {
  if (number < by.next || !by.held.try_emplace(number, nullptr).second) return false;
  take_held(by);
  return true;
}

void resident::take_held(correspondent& by) {
  while (!by.held.empty() && by.held.begin()->first == by.next) {
    if (letter* const l = by.held.begin()->second) enqueue(*l);
    by.held.erase(by.held.begin());
    ++by.next;
  }
}

void resident::begin(letter_list& to) noexcept {
  if (is_leaving) return;
  while (letter* const l = waiting_.first) {
    if ((is_held && !let_through) || !has_room(reads(*l))) return;
    if (is_held) --let_through;
    waiting_.pop();
    take(reads(*l));
    l->at = this;
    to.push(*l);
  }
}

bool resident::has_move(rank sender, std::uint64_t request) const noexcept {
  return std::ranges::any_of(moves_, [&](const letter* l) {
    return l->is_far && static_cast<const far_letter*>(l)->from == sender && static_cast<const far_letter*>(l)->request == request;
  });
}

void resident::drop_letters() noexcept {
  while (letter* const l = waiting_.pop()) delete static_cast<far_letter*>(l);
  for (letter* const l : moves_) delete static_cast<far_letter*>(l);
  moves_.clear();
  own_.drop_held();
  for (auto& [sender, c] : others_) c.drop_held();
}

void resident::note_stay() {
  std::map<rank, std::uint64_t> ends;
  for (const letter* l = waiting_.first; l; l = l->next) ends.try_emplace(sender_of(*l, self_), l->number);
  for (auto& [sender, c] : others_) {
    const auto first_waiting = ends.find(sender);
    const std::uint64_t end = first_waiting == ends.end() ? c.next : first_waiting->second;
    const std::uint64_t before = c.stays.empty() ? 0 : c.stays.back().end;
    if (end <= before) continue;
    if (!c.stays.empty() && c.stays.back().on == self_) c.stays.back().end = end;
    else c.stays.push_back({end, self_});
  }
}

void resident::measure() {
  if (on_devices_) return;
  on_devices_ = std::make_shared<std::atomic<std::uint64_t>>(0);
  is_measured.store(true, std::memory_order_release);
}

void resident::count_devices() noexcept {
  if (on_devices_) load.devices.add(1e-9 * static_cast<double>(on_devices_->exchange(0, std::memory_order_relaxed)));
}

std::unique_ptr<resident> sent_object::take_back() {
  resident& o = *what;
  o.moves().clear();
  const auto forget = [](correspondent& c) { std::erase_if(c.held, [](const auto& h) { return h.second != nullptr; }); };
  forget(o.own());
  for (auto& [sender, c] : o.others()) forget(c);
  for (const carried& c : letters) {
    auto l = std::make_unique<far_letter>(*c.what);
    if (c.mark == 'm') o.moves().push_back(l.release());
    else if (c.mark == 'w') o.waiting().push(*l.release());
    else if (correspondent& by = o.of(l->from); by.held.try_emplace(l->number, l.get()).second) l.release();
  }
  letters.clear();
  return std::move(what);
}

}  // namespace stretto::mobiles
