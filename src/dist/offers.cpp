#include "dist/offers.hpp"

#include <algorithm>

#include "dist/where.hpp"

namespace stretto::dist {

offers::offers(job& j)
    : job_(j), offer_(j.on<&offers::on_offer>("instances.offer", this)), answered_(j.on<&offers::on_answered>("instances.answered", this)) {}

bool offers::may_be_taken(rank to, const data::exported_device_elements& source) const {
  const std::scoped_lock lock(lock_);
  return !refused_.contains({to, source.token});
}

void offers::make(rank to, const offer& of, answered then) {
  std::uint64_t number = 0;
  {
    const std::scoped_lock lock(lock_);
    if (job_.is_lost(to)) return;
    number = ++numbers_;
    made_.emplace(number, made{to, of.source.token, std::move(then)});
  }
  writer w(number);
  put(w, of.order, {.is = element_piece::form::offered}, job_.node());
  put(w, of.shift);
  const data::exported_device_elements& s = of.source;
  w.put(s.memory_bytes);
  w.put(s.first);
  put(w, s.shape.box);
  put(w, s.shape.stride);
  w.put(s.shape.element_bytes);
  w.put(s.dimensions);
  w.put(static_cast<std::uint8_t>(s.token.size()));
  w.put_bytes(s.token);
  w.put(static_cast<std::uint64_t>(of.boxes.size()));
  for (const box& b : of.boxes) put(w, b);
  job_.send(to, offer_, std::move(w));
}

void offers::on_offer(rank from, reader& content, base::thread_context& context) {
  offer of;
  of.from = from;
  of.number = content.get<std::uint64_t>();
  of.order = get_order(content, job_.node_of(from));
  get_piece(content);
  of.shift = get_point(content);
  data::exported_device_elements& s = of.source;
  s.memory_bytes = content.get<std::uint64_t>();
  s.first = content.get<std::uint64_t>();
  s.shape.box = get_box(content);
  s.shape.stride = get_point(content);
  s.shape.element_bytes = content.get<std::uint32_t>();
  s.dimensions = content.get<std::uint8_t>();
  const auto token = content.get_bytes(content.get<std::uint8_t>());
  s.token.assign(token.begin(), token.end());
  of.boxes.resize(content.get<std::uint64_t>());
  for (box& b : of.boxes) b = get_box(content);
  takes_(std::move(of), context);
}

void offers::answer_to(const offer& of, answer is) { job_.send(of.from, answered_, writer(of.number, is)); }

void offers::on_answered(rank from, reader& content, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  const auto is = content.get<answer>();
  answered then;
  {
    const std::scoped_lock lock(lock_);
    const auto found = made_.find(number);
    if (found == made_.end()) return;
    if (is == answer::never) refused_.emplace(from, std::move(found->second.token));
    then = std::move(found->second.then);
    made_.erase(found);
  }
  then(is, context);
}

void offers::lost(rank node) noexcept {
  std::vector<answered> ends;  // once the lock is open
  const std::scoped_lock lock(lock_);
  std::erase_if(made_, [&](auto& one) { return one.second.to == node && (ends.push_back(std::move(one.second.then)), true); });
}

}  // namespace stretto::dist
