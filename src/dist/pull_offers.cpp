#include "dist/pull_offers.hpp"

namespace stretto::dist {

bool pull_offer::is_sound() const noexcept {
  using wide = __int128;
  const data::layout& l = source.shape;
  if (order.what != element_order::action::copy || order.reduction.bits || order.bytes_each != l.element_bytes)
    return false;
  if (source.dimensions < 1 || source.dimensions > max_axes || l.box.is_empty()) return false;
  wide from = source.first, to = from + l.element_bytes;
  for (int a = 0; a < max_axes; ++a) {
    wide reach = 0;
    if (__builtin_mul_overflow(wide{l.box.length(a) - 1}, wide{l.stride[a]}, &reach)) return false;
    (reach < 0 ? from : to) += reach;
  }
  if (l.element_bytes == 0 || from < 0 || to > wide{source.memory_bytes}) return false;
  for (const box& b : boxes) {
    if (b.is_empty() || !order.outline.contains(b)) return false;
    for (int a = 0; a < max_axes; ++a)
      if (wide{b.min()[a]} + shift[a] < l.box.min()[a] || wide{b.max()[a]} + shift[a] > l.box.max()[a]) return false;
  }
  return true;
}

pull_offers::pull_offers(job& j) : job_(j) { j.on<&pull_offers::on_offer, &pull_offers::on_reply>(this); }

bool pull_offers::is_worth_offering(rank to, const data::exported_device_elements& source) const {
  const std::scoped_lock lock(lock_);
  return !refused_.contains({to, source.token});
}

void pull_offers::send(rank to, pull_offer&& of, reply_handler then) {
  of.number = pending_offers_.add({to, of.source.token, std::move(then)});
  job_.send(to, of);
  if (job_.is_lost(to)) pending_offers_.complete(of.number);
}

void pull_offers::on_offer(rank from, const pull_offer& m, base::thread_context& context) {
  if (!m.is_sound()) return job_.refuse_malformed(m.message, from);
  receive_({from, m}, context);
}

void pull_offers::reply_to(const received_offer& of, offer_reply is) {
  job_.send(of.from, pull_reply{of.is.number, is});
}

void pull_offers::on_reply(rank from, const pull_reply& m, base::thread_context& context) {
  const auto offer = pending_offers_.complete(m.offer);
  if (!offer) return;
  if (m.is == offer_reply::never) {
    const std::scoped_lock lock(lock_);
    refused_.emplace(from, offer->token);
  }
  offer->then(m.is, context);
}

void pull_offers::lost(rank node) noexcept {
  pending_offers_.fail_if([&](const pending_offer& p) { return p.to == node; });
}

}  // namespace stretto::dist
