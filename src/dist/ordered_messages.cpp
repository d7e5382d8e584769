#include "dist/ordered_messages.hpp"

#include <mutex>
#include <string>

namespace stretto::dist {

ordered_messages::ordered_messages(job& j) : job_(j) {
  j.on<&ordered_messages::on_message>(this);
  j.on_refused<&ordered_messages::on_refused_message>(this);
  j.add(*this);
}

void ordered_messages::send_numbered(rank to, writer&& content) {
  {
    const std::scoped_lock lock(lock_);
    content.replace_first(sent_[to]++);
  }
  job_.send(to, job_.kind_of<sequenced_message>(), std::move(content));
}

void ordered_messages::on_message(rank from, const sequenced_message& m, base::thread_context& context) {
  deliver(from, m, {}, context);
}

void ordered_messages::on_refused_message(rank from, const sequenced_message& prefix, failure_ref cause,
                                          base::thread_context& context) {
  deliver(from, prefix, std::move(cause), context);
}

void ordered_messages::deliver(rank from, const sequenced_message& m, failure_ref refused,
                               base::thread_context& context) {
  sender& s = senders_[from];
  if (m.kind >= entries_.size())
    return job_.refuse_unknown("number " + std::to_string(m.kind) + " of ordered messages", from);
  if (m.number < s.next) return job_.refuse_malformed(m.message, from);
  if (m.number != s.next) {
    s.early.emplace(m.number, waiting{m.kind, {m.fields.begin(), m.fields.end()}, std::move(refused)});
    return;
  }
  ++s.next;
  handle(from, m.kind, m.fields, std::move(refused), context);
  while (!job_.is_lost(from)) {  // else `s` is gone
    const auto next = s.early.find(s.next);
    if (next == s.early.end()) return;
    waiting w = std::move(next->second);
    s.early.erase(next);
    ++s.next;
    handle(from, w.kind, w.fields, std::move(w.refused), context);
  }
}

void ordered_messages::handle(rank from, std::uint8_t kind, std::span<const std::byte> fields, failure_ref refused,
                              base::thread_context& context) {
  entry& e = entries_[kind];
  const message_span span(context, e.name, e.in_trace, 0, fields.size());
  job_.set_handled_kind(e.name.data());
  reader all(fields);
  if (!refused) e.decode_and_handle(job_, e.owner, from, all, context);
  else if (e.refused) e.refused(job_, e.owner, from, all, std::move(refused), context);
  else job_.fail(refused->root().exception());
}

void ordered_messages::lost(rank node, base::thread_context&) noexcept { senders_.erase(node); }

}  // namespace stretto::dist
