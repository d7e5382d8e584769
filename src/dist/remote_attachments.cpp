#include "dist/remote_attachments.hpp"

#include <stretto/copy.hpp>
#include <stretto/error.hpp>

#include <array>

#include "dist/operation_steps.hpp"
#include "event/when_ended.hpp"

namespace stretto::dist {

namespace {

failure_ref gone(const std::string& node, const std::source_location& where) {
  auto what = error("G06", "the data of an object in a message is no longer available")
                  .fact("sender", "node " + node)
                  .because("the reply to the message was sent, or the message was abandoned, before it was read")
                  .remedy("check for a failed connection between nodes, and for a message that is read twice");
  return detail::make_failure(std::make_exception_ptr(std::move(what)), "content of an object", where);
}

}  // namespace

remote_attachments::remote_attachments(job& j, ordered_messages& ordered, pending_requests& pending,
                                       element_sender& sender, element_receiver& receiver)
    : job_(j), pending_requests_(pending), sender_(sender), receiver_(receiver), ordered_(ordered) {
  using self = remote_attachments;
  j.on<&self::on_fetch, &self::on_hold, &self::on_release, &self::on_read>(this);
  ordered.on<&remote_attachments::on_request>(this);
}

void remote_attachments::serve(std::shared_ptr<data::attachments> all) {
  all_ = std::move(all);
  all_->others = this;
}

event remote_attachments::fetch(const data::attachment_name& what, const box& part, data::destination to,
                                part_of_fetch which, const std::source_location& where, base::thread_context& context) {
  const rank of = *job_.rank_of(what.node);
  const event behind = to.after.empty() ? event() : merge(to.after, where);
  const pending_requests::opened q = pending_requests_.open(
      "content of an object from node " + job_.name_of(of), {&of, 1}, {}, where,
      behind.has_triggered() ? pending_requests::begins::at_once : pending_requests::begins::later,
      pending_requests::reported::by_users);
  detail::instance_handle into = to.into;
  if (to.when_they_come) {
    into = element_receiver::target_named_later(context.runtime->node);
    receiver_.expect_target(q.id.number, std::move(to.when_they_come));
    detail::when_ended(q.done, context, [this, number = q.id.number](const failure*, base::thread_context&) {
      receiver_.forget_target(number);
    });
  }
  when_ended(operation_step{.of = q.id, .pending_on = its_preconditions}, behind, context,
             [this, what, of, part, into, which, q, where](const failure* cause, base::thread_context& on) {
               if (cause) {
                 if (which.is_last && !which.is_first) let_go(what);
                 return pending_requests_.reply(q.id, cause, on, pending_requests::failure_origin::precondition);
               }
               job_.send(of, attachment_fetch{.array = what.number,
                                              .by = what.by,
                                              .request = q.id.number,
                                              .where = where,
                                              .is_first = which.is_first,
                                              .is_last = which.is_last,
                                              .part = part,
                                              .shift = which.shift,
                                              .target = into});
             });
  pending_requests_.end_if_lost(q.id, {&of, 1}, context);
  return q.done;
}

void remote_attachments::on_fetch(rank from, const attachment_fetch& m, base::thread_context& context) {
  if (!job_.rank_of(static_cast<std::uint16_t>(m.target.key >> 48))) return job_.refuse_malformed(m.message, from);
  fetch_request f{{from, m.request}, m.part, m.shift, m.target, {}, m.where};
  array found;
  const bool is_requested = m.by == data::numbered_by::requester;
  if (is_requested) {
    f.request = m.array;
    const std::scoped_lock lock(lock_);
    const auto [at, is_new] = requested_.try_emplace({from, m.array});
    if (is_new) return void(at->second.wanted = f);
    found = at->second.lent;
  } else {
    found = all_->find(m.array);
  }
  if (!found) return refuse(f, context);
  if (m.is_first && !m.is_last) hold_for(from, m.array);
  lend(*found, f, context);
  if (m.is_last && !m.is_first && !is_requested) let_go_for(from, m.array, m.by);
}

void remote_attachments::refuse(const fetch_request& f, base::thread_context& context) {
  pending_requests_.reply(f.id, gone(job_.name_of(job_.self()), f.where).get(), context);
}

void remote_attachments::lend(data::attached_array& from, const fetch_request& f, base::thread_context& context) {
  from.export_elements(
      f.part.shifted(f.shift), f.where,
      [this, f](const detail::instance_handle& in, std::shared_ptr<const void> lease, const failure_ref& cause,
                base::thread_context& on) {
        if (f.request) let_go_for(f.id.requester, *f.request, data::numbered_by::requester);
        if (cause)
          return pending_requests_.reply(f.id, cause.get(), on, pending_requests::failure_origin::precondition);
        data::remote_operation_request r{.what = data::remote_operation_request::action::copy,
                                         .used_count = 2,
                                         .is_whole = false,
                                         .boxes = {&f.part, 1},
                                         .shift = f.shift};
        r.used = {f.target, in};
        sender_.send(f.id, owned_request(r), in, event(), f.where, on, std::move(lease));
      },
      context);
}

data::attachment_name remote_attachments::request(std::uint16_t node, std::uint64_t shared, const box& part,
                                                  const std::source_location& where) {
  job_.hold_back(where);
  const number n{1 + requests_.fetch_add(1, std::memory_order_relaxed)};
  const data::attachment_name name{node, n, data::numbered_by::requester};
  ordered_.send(*job_.rank_of(node), attachment_request{name.number, shared, where, part});
  return name;
}

void remote_attachments::on_request(rank from, const attachment_request& m, base::thread_context& context) {
  array lent = all_->shared->export_elements(m.object, m.part, m.where, context);
  std::optional<fetch_request> wanted;
  {
    const std::scoped_lock lock(lock_);
    const auto [at, is_new] = requested_.try_emplace({from, m.array}, requested{lent});
    if (is_new) return;
    wanted = at->second.wanted;
    if (wanted) at->second = {lent};
    else requested_.erase(at);
  }
  if (wanted) lend(*lent, *wanted, context);
}

void remote_attachments::hold(const data::attachment_name& what) {
  job_.send(*job_.rank_of(what.node), attachment_hold{what.number});
}
void remote_attachments::let_go(const data::attachment_name& what) {
  job_.send(*job_.rank_of(what.node), attachment_release{what.number, what.by});
}

void remote_attachments::on_hold(rank from, const attachment_hold& m, base::thread_context&) {
  hold_for(from, m.array);
}
void remote_attachments::on_release(rank from, const attachment_release& m, base::thread_context&) {
  let_go_for(from, m.array, m.by);
}

void remote_attachments::hold_for(rank node, number n) {
  held one = all_->hold(n);
  if (!one) return;  // a later fetch gets the failure
  const std::scoped_lock lock(lock_);
  by_others_.emplace(std::pair(node, n), std::move(one));
}

void remote_attachments::let_go_for(rank node, number n, data::numbered_by by) {
  held ends;
  array ends_too;
  const std::scoped_lock lock(lock_);
  if (by == data::numbered_by::requester) {
    const auto [at, is_new] = requested_.try_emplace({node, n});
    if (is_new) return;  // the request has not arrived; it will not be fetched
    ends_too = std::move(at->second.lent);
    requested_.erase(at);
    return;
  }
  const auto found = by_others_.find({node, n});
  if (found == by_others_.end()) return;
  ends = std::move(found->second);
  by_others_.erase(found);
}

data::kept_attachments remote_attachments::keep_for(std::uint32_t node, std::vector<held>&& along) {
  const rank to = static_cast<rank>(node);
  std::vector<held> ends;
  const std::scoped_lock lock(lock_);
  if (job_.is_lost(to)) return ends = std::move(along), data::kept_attachments();
  messages_ = base::next(messages_);
  unread_.emplace(std::pair(to, messages_), std::move(along));
  return messages_;
}

void remote_attachments::acknowledge_message(std::uint32_t sender, data::kept_attachments message) {
  if (message != data::kept_attachments()) job_.send(static_cast<rank>(sender), attachments_read{message});
}

void remote_attachments::on_read(rank from, const attachments_read& m, base::thread_context&) {
  std::vector<held> ends;
  const std::scoped_lock lock(lock_);
  const auto found = unread_.find({from, m.kept_under});
  if (found == unread_.end()) return;
  ends = std::move(found->second);
  unread_.erase(found);
}

void remote_attachments::lost(rank node) noexcept {
  std::vector<held> ends;
  std::vector<array> ends_too;
  const std::scoped_lock lock(lock_);
  std::erase_if(by_others_, [&](const auto& e) { return e.first.first == node && (ends.push_back(e.second), true); });
  std::erase_if(unread_, [&](const auto& e) {
    if (e.first.first != node) return false;
    ends.insert(ends.end(), e.second.begin(), e.second.end());
    return true;
  });
  std::erase_if(requested_,
                [&](const auto& e) { return e.first.first == node && (ends_too.push_back(e.second.lent), true); });
}

}  // namespace stretto::dist
