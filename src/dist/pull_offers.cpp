#include "dist/pull_offers.hpp"

#include <algorithm>

#include "dist/program_constants.hpp"

namespace stretto::dist {

pull_offers::pull_offers(job& j)
    : job_(j),
      offer_(j.on<&pull_offers::on_offer>("instances.offer", this)),
      reply_(j.on<&pull_offers::on_reply>("instances.offer_reply", this)) {}

bool pull_offers::is_worth_offering(rank to, const data::exported_device_elements& source) const {
  const std::scoped_lock lock(lock_);
  return !refused_.contains({to, source.token});
}

void pull_offers::send(rank to, const pull_offer& of, reply_handler then) {
  std::uint64_t number = 0;
  {
    const std::scoped_lock lock(lock_);
    if (job_.is_lost(to)) return;
    number = ++last_number_;
    pending_offers_.emplace(number, pending_offer{to, of.source.token, std::move(then)});
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

void pull_offers::on_offer(rank from, reader& content, base::thread_context& context) {
  pull_offer of;
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
  receive_(std::move(of), context);
}

void pull_offers::reply_to(const pull_offer& of, offer_reply is) { job_.send(of.from, reply_, writer(of.number, is)); }

void pull_offers::on_reply(rank from, reader& content, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  const auto is = content.get<offer_reply>();
  reply_handler then;
  {
    const std::scoped_lock lock(lock_);
    const auto found = pending_offers_.find(number);
    if (found == pending_offers_.end()) return;
    if (is == offer_reply::never) refused_.emplace(from, std::move(found->second.token));
    then = std::move(found->second.then);
    pending_offers_.erase(found);
  }
  then(is, context);
}

void pull_offers::lost(rank node) noexcept {
  std::vector<reply_handler> ends;  // destroyed after the lock is released
  const std::scoped_lock lock(lock_);
  std::erase_if(pending_offers_,
                [&](auto& one) { return one.second.to == node && (ends.push_back(std::move(one.second.then)), true); });
}

}  // namespace stretto::dist
