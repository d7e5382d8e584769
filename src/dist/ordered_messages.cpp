#include "dist/ordered_messages.hpp"

#include <mutex>

namespace stretto::dist {

ordered_messages::ordered_messages(job& j)
    : job_(j), message_(j.on<&ordered_messages::on_message>("ordered_messages", this)) {
  j.on_refused<&ordered_messages::on_refused_message>(message_, this);
  j.add(*this);
}

void ordered_messages::send(rank to, kind is, const writer& content) {
  writer w(std::uint64_t{0}, is);
  w.put_bytes(content.all());
  {
    const std::scoped_lock lock(lock_);
    w.replace_first(sent_[to]++);
  }
  job_.send(to, message_, std::move(w));
}

void ordered_messages::on_message(rank from, reader& content, base::thread_context& context) {
  deliver(from, content, {}, context);
}

void ordered_messages::on_refused_message(rank from, reader& message_prefix, failure_ref cause,
                                          base::thread_context& context) {
  deliver(from, message_prefix, std::move(cause), context);
}

void ordered_messages::deliver(rank from, reader& content, failure_ref refused, base::thread_context& context) {
  const auto number = content.get<std::uint64_t>();
  sender& s = senders_[from];
  if (number != s.next) {
    const auto rest = content.get_bytes(content.left());
    s.early.emplace(number, waiting{{rest.begin(), rest.end()}, std::move(refused)});
    return;
  }
  ++s.next;
  handle(from, content, std::move(refused), context);
  for (auto next = s.early.find(s.next); next != s.early.end(); next = s.early.find(s.next)) {
    waiting w = std::move(next->second);
    s.early.erase(next);
    ++s.next;
    reader kept(w.bytes);
    handle(from, kept, std::move(w.refused), context);
  }
}

void ordered_messages::handle(rank from, reader& content, failure_ref refused, base::thread_context& context) const {
  const auto which = static_cast<std::size_t>(content.get<kind>());
  if (which >= owners_.size()) return;
  const owner& o = owners_[which];
  if (!refused) o.f(o.is, from, content, context);
  else if (o.refused) o.refused(o.is, from, content, std::move(refused), context);
  else job_.fail(refused->root().exception());
}

void ordered_messages::lost(rank node, base::thread_context&) noexcept { senders_.erase(node); }

}  // namespace stretto::dist
