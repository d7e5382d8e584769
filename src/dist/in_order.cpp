#include "dist/in_order.hpp"

#include <mutex>

namespace stretto::dist {

in_order::in_order(job& j) : job_(j), message_(j.on<&in_order::on_message>("in_order", this)) { j.add(*this); }

void in_order::send(rank to, kind is, const writer& content) {
  writer w(std::uint64_t{0}, is);
  w.put_bytes(content.all());
  {
    const std::scoped_lock lock(lock_);
    w.replace_first(sent_[to]++);
  }
  job_.send(to, message_, w);
}

void in_order::on_message(rank from, reader& content, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  sender& s = senders_[from];
  if (number != s.next) {
    const auto rest = content.get_bytes(content.left());
    s.early.emplace(number, std::vector(rest.begin(), rest.end()));
    return;
  }
  ++s.next;
  handle(from, content, context);
  for (auto next = s.early.find(s.next); next != s.early.end(); next = s.early.find(s.next)) {
    const std::vector<std::byte> bytes = std::move(next->second);
    s.early.erase(next);
    ++s.next;
    reader kept(bytes);
    handle(from, kept, context);
  }
}

void in_order::handle(rank from, reader& content, base::thread_context& context) const {
  const auto which = static_cast<std::size_t>(content.get<kind>());
  if (which < owners_.size()) owners_[which].f(owners_[which].is, from, content, context);
}

void in_order::lost(rank node, base::thread_context&) noexcept { senders_.erase(node); }

}  // namespace stretto::dist
