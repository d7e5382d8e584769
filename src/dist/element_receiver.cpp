#include "dist/element_receiver.hpp"

#include <stretto/error.hpp>
#include <stretto/reduce.hpp>

#include <optional>
#include <vector>

#include "data/cross_process_copy.hpp"
#include "data/data_state.hpp"
#include "data/handle.hpp"
#include "data/program_bytes.hpp"
#include "data/reduction_record.hpp"
#include "dist/operation_steps.hpp"

namespace stretto::dist {

using verb = data::remote_operation_request::action;

namespace {

/// The boxes that are known before the content has arrived.
std::span<const box> boxes_of(const element_piece& p) noexcept {
  return p.is == element_piece::form::one_box ? std::span(&p.one, 1) : std::span<const box>();
}

}  // namespace

/// The elements of one operation.
struct element_receiver::incoming_transfer {
  // Written by the handler of the first piece.
  element_order order;
  rank from = 0;
  detail::instance_handle target;
  posted_receives::shared posted;  // the target, if it is a posted receive that has not failed; else null

  operation_step step_for(const char* what_for) const noexcept {
    return {.of = order.of, .what_for = what_for, .verb = data::word_of(order.what), .near = target.record};
  }

  std::mutex lock;  // guards what follows
  bool has_order = false, is_open = false;
  std::vector<waiting_piece> waiting;  // until the target is ready
  std::uint32_t pieces = ~0u;          // expected pieces; unknown until one has arrived
  std::uint32_t arrived = 0, in_place = 0;
  failure_ref cause;
  std::optional<data::staging_buffer> held;  // contributions of a reduction, as they arrive
};

/// A piece whose content is being received into memory.
struct element_receiver::piece_in_flight : places::completion {
  piece_in_flight(element_receiver& r, shared a, const element_piece& p, std::shared_ptr<data::staging_buffer> b)
      : completion(run_it), by(r), of(std::move(a)), is(p), bytes(std::move(b)) {}

  static void run_it(places::work_item& self) noexcept {
    const std::unique_ptr<piece_in_flight> mine(&static_cast<piece_in_flight&>(self));
    base::thread_context& context = base::require_current("job::poll");
    if (mine->failure) {
      const failure_ref why =
          detail::make_failure(mine->failure, data::word_of(mine->of->order.what), mine->of->order.where);
      return mine->by.ended(mine->of, boxes_of(mine->is), why.get(), context);
    }
    if (!mine->bytes) return mine->by.ended(mine->of, boxes_of(mine->is), nullptr, context);
    try {
      mine->by.apply(mine->of, mine->is, mine->bytes, context);
    } catch (...) {
      const failure_ref why =
          detail::make_failure(std::current_exception(), data::word_of(mine->of->order.what), mine->of->order.where);
      mine->by.ended(mine->of, boxes_of(mine->is), why.get(), context);
    }
  }

  element_receiver& by;
  const shared of;
  const element_piece is;
  const std::shared_ptr<data::staging_buffer> bytes;  // staging buffer; null: received directly into the target
};

element_receiver::element_receiver(job& j, failure_codec& causes, pending_requests& pending, instance_names& names,
                                   posted_receives& posted, pull_offers& offers)
    : job_(j),
      causes_(causes),
      pending_requests_(pending),
      names_(names),
      posted_(posted),
      offers_(offers),
      piece_(j.on_payload<&element_receiver::on_piece>("instances.piece", this)),
      abandoned_(j.on<&element_receiver::on_abandoned>("instances.abandoned", this)) {
  offers_.set_receiver([this](pull_offer&& of, base::thread_context& context) { on_offer(std::move(of), context); });
}

element_receiver::shared element_receiver::transfer_of(const request_id& q, rank from) {
  const std::scoped_lock lock(lock_);
  shared& a = incoming_[{q.requester, q.number}];
  if (!a) {
    a = std::make_shared<incoming_transfer>();
    a->from = from;
    a->order.of = q;
  }
  return a;
}

void element_receiver::on_piece(rank from, reader& head, net::payload&& rest, base::thread_context& context) {
  const read_order o = get_order(head, job_.node_of(from));
  const element_piece p = get_piece(head);
  const shared a = transfer_of(o.of, from);
  bool is_first = false;
  {
    const std::scoped_lock lock(a->lock);
    is_first = !std::exchange(a->has_order, true);
    if (a->pieces == ~0u) a->pieces = o.pieces;
    ++a->arrived;
    if (!a->is_open) {
      std::shared_ptr<data::staging_buffer> here;
      if (rest.is_here()) {
        here = std::make_shared<data::staging_buffer>(data::state_of(context).staging, rest.bytes());
        if (rest.bytes()) std::memcpy(here->data(), rest.here().data(), rest.bytes());
      }
      a->waiting.push_back({p, std::move(rest), std::move(here)});
      if (!is_first) return;
    }
  }
  if (!is_first) return land(a, {p, std::move(rest)}, context);
  a->order = o;
  try {
    a->order.kind = decode_kind(o.kind_bits, job_.name_of(job_.self()), o.where);
    resolve_target(a, context);
  } catch (...) {
    on_target_ready(a, detail::make_failure(std::current_exception(), data::word_of(o.what), o.where), context);
  }
}

void element_receiver::on_offer(pull_offer&& of, base::thread_context& context) {
  if (!data::can_import(of.source, job_.node_of(of.from), context))
    return offers_.reply_to(of, pull_offers::offer_reply::never);
  const shared a = transfer_of(of.order.of, of.from);
  const auto kept = std::make_shared<const pull_offer>(std::move(of));
  {
    const std::scoped_lock lock(a->lock);
    a->has_order = true;
    a->pieces = a->arrived = 1;
    a->waiting.push_back({{.is = element_piece::form::offered}, {}, {}, kept});
  }
  a->order = kept->order;
  try {
    resolve_target(a, context);
  } catch (...) {
    on_target_ready(a, detail::make_failure(std::current_exception(), data::word_of(a->order.what), a->order.where),
                    context);
  }
}

void element_receiver::pull(const shared& a, const std::shared_ptr<const pull_offer>& of,
                            base::thread_context& context) noexcept {
  const element_order& o = a->order;
  const auto over = [this, a, of](const failure* cause, base::thread_context& on) {
    offers_.reply_to(*of, pull_offers::offer_reply::pulled);
    ended(a, of->boxes, cause, on);
  };
  try {
    failure_ref why = a->posted ? posted_.begin(*a->posted) : failure_ref();
    if (why || (!a->posted && has_failed(*a))) {  // the elements are no longer needed
      offers_.reply_to(*of, pull_offers::offer_reply::pulled);
      return count_piece(a, why.get(), context);
    }
    if (a->posted) why = posted_.refusal(*a->posted, of->boxes, o);
    if (why) return over(why.get(), context);
    const detail::instance_record& r = data::usable(a->target, data::word_of(o.what), context, o.where);
    const auto in = data::memory_of(of->source, job_.node_of(of->from), r, context);
    if (!in) return request_pieces(a, *of, context);
    const event done = data::copy_from(in, of->source, a->target, of->boxes, of->shift, o.where);
    when_ended(a->step_for(its_elements), done, context, over);
  } catch (...) {
    over(detail::make_failure(std::current_exception(), data::word_of(o.what), o.where).get(), context);
  }
}

void element_receiver::request_pieces(const shared& a, const pull_offer& of, base::thread_context& context) {
  if (a->posted) posted_.ended(*a->posted, {}, nullptr, context);  // counts no elements
  bool is_wanted = false;
  {
    const std::scoped_lock lock(a->lock);
    is_wanted = !a->cause;  // else the sender is lost
    if (is_wanted) a->pieces = ~0u, a->arrived = 0;
  }
  if (!is_wanted) return count_piece(a, nullptr, context);
  offers_.reply_to(of, pull_offers::offer_reply::in_pieces);
  pieces_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
}

bool element_receiver::has_failed(incoming_transfer& a) {
  const std::scoped_lock lock(a.lock);
  return bool(a.cause);
}

void element_receiver::expect_target(std::uint64_t request, data::destination::asked target) {
  const std::scoped_lock lock(lock_);
  expected_.emplace(request, std::move(target));
}

void element_receiver::forget_target(std::uint64_t request) noexcept {
  data::destination::asked ends;  // destroyed after the lock is released
  const std::scoped_lock lock(lock_);
  const auto found = expected_.find(request);
  if (found == expected_.end()) return;
  ends = std::move(found->second);
  expected_.erase(found);
}

void element_receiver::resolve_target(const shared& a, base::thread_context& context) {
  const detail::instance_handle& named = a->order.target;
  if (posted_receives::is_posted(named))
    return posted_.resolve(named, a->order.of, context,
                           [this, a](const posted_receives::shared& p, const detail::instance_handle& target,
                                     failure_ref lost, base::thread_context& on) {
                             a->posted = p;
                             a->target = target;
                             on_target_ready(a, std::move(lost), on);
                           });
  if (named == target_named_later(context.runtime->node)) return request_target(a, context);
  names_.resolve(named, data::word_of(a->order.what), a->order.where, context,
                 [this, a](const detail::instance_handle& near, failure_ref cause, base::thread_context& on) {
                   if (cause) return on_target_ready(a, std::move(cause), on);
                   await_target(a, near, {}, on);
                 });
}

void element_receiver::request_target(const shared& a, base::thread_context& context) {
  data::destination::asked ask;
  {
    const std::scoped_lock lock(lock_);
    if (const auto found = expected_.find(a->order.of.number); found != expected_.end()) ask = std::move(found->second);
  }
  if (!ask) {
    const auto why = std::make_exception_ptr(error("G06", "elements arrived that no request expects any more"));
    return on_target_ready(a, detail::make_failure(why, data::word_of(a->order.what), a->order.where), context);
  }
  ask(
      [this, a](const detail::instance_handle& into, std::span<const event> after, const failure_ref& cause,
                base::thread_context& on) {
        if (cause) return on_target_ready(a, cause, on);
        await_target(a, into, merge(after, a->order.where), on);
      },
      context);
}

void element_receiver::await_target(const shared& a, const detail::instance_handle& target, event behind,
                                    base::thread_context& context) {
  a->target = target;
  try {
    const detail::instance_record& r = data::usable(target, data::word_of(a->order.what), context, a->order.where);
    const event there = behind == event() ? r.ready : merge(r.ready, behind, a->order.where);
    when_ended(a->step_for("that instance to be there"), there, context,
               [this, a](const failure* why, base::thread_context& then) {
                 failure_ref kept = failure_ref::share(why);
                 try {
                   if (!kept) check(*a, then);
                 } catch (...) {
                   kept = detail::make_failure(std::current_exception(), data::word_of(a->order.what), a->order.where);
                 }
                 on_target_ready(a, std::move(kept), then);
               });
  } catch (...) {
    on_target_ready(a, detail::make_failure(std::current_exception(), data::word_of(a->order.what), a->order.where),
                    context);
  }
}

void element_receiver::check(incoming_transfer& a, base::thread_context& context) const {
  const element_order& o = a.order;
  const char* const word = data::word_of(o.what);
  const detail::instance_record& r = data::usable(a.target, word, context, o.where);
  const bool fits = o.is_whole ? r.shape.box == o.outline : r.shape.box.contains(o.outline);
  if (!fits)
    throw error("D06", std::string(word) + " uses elements outside of " + detail::describe(r))
        .fact("submitted", o.where)
        .fact("elements", o.outline.text() + (o.is_whole ? ", all of the other instance" : ""))
        .fact("instance", r.shape.box.text());
}

void element_receiver::on_target_ready(const shared& a, failure_ref cause, base::thread_context& context) {
  std::vector<waiting_piece> now;
  {
    const std::scoped_lock lock(a->lock);
    if (cause && !a->cause) a->cause = std::move(cause);
    a->is_open = true;
    now = std::move(a->waiting);
  }
  for (waiting_piece& p : now) land(a, std::move(p), context);
}

void element_receiver::land(const shared& a, waiting_piece&& p, base::thread_context& context) noexcept {
  pieces_in_flight_.fetch_add(1, std::memory_order_acq_rel);
  if (p.offered) return pull(a, p.offered, context);
  const element_order& o = a->order;
  bool is_dropped = false;
  std::byte* where_held = nullptr;
  try {
    if (a->posted) {  // each piece on its own, whether or not others have failed
      if (const failure_ref lost = posted_.begin(*a->posted)) return count_piece(a, lost.get(), context);
      if (p.is.is ==
          element_piece::form::one_box)  // pieces of several boxes are checked in apply(), once their list has arrived
        if (const failure_ref why = posted_.refusal(*a->posted, boxes_of(p.is), o))
          return ended(a, boxes_of(p.is), why.get(), context);
    } else {
      const std::scoped_lock lock(a->lock);
      is_dropped = bool(a->cause);
      if (!is_dropped && p.is.is == element_piece::form::held) {
        if (!a->held) a->held.emplace(data::state_of(context).staging, p.is.in_all);
        where_held = a->held->data() + p.is.offset;
      }
    }
    if (is_dropped || p.rest.bytes() == 0) return count_piece(a, nullptr, context);
    std::byte* at = where_held;
    std::shared_ptr<data::staging_buffer> bytes = p.here;
    if (p.is.is == element_piece::form::one_box && o.what == verb::copy) {
      const auto there = data::bytes_for_messages(a->target, p.is.one, context);
      const bool is_on_host = bytes || p.rest.is_here();  // content that arrived with the head
      if (!there.on_device || !is_on_host) at = there.first;
    }
    if (bytes && !at) return apply(a, p.is, std::move(bytes), context);
    if (bytes) {
      std::memcpy(at, bytes->data(), bytes->size());
      return ended(a, boxes_of(p.is), nullptr, context);
    }
    if (!at) {
      bytes = std::make_shared<data::staging_buffer>(data::state_of(context).staging, p.rest.bytes());
      at = bytes->data();
    }
    auto then = std::make_unique<piece_in_flight>(*this, a, p.is, bytes);
    std::move(p.rest).receive(at, *then.release());
  } catch (...) {
    const failure_ref why = detail::make_failure(std::current_exception(), data::word_of(o.what), o.where);
    ended(a, boxes_of(p.is), why.get(), context);
  }
}

void element_receiver::apply(const shared& a, const element_piece& p, std::shared_ptr<data::staging_buffer> bytes,
                             base::thread_context& context) {
  const element_order& o = a->order;
  std::vector<box> boxes{p.one};
  std::byte* at = bytes->data();
  if (p.is == element_piece::form::boxes) {
    boxes = read_front(at, bytes->size());
    at += front_of_boxes(boxes.size());
  }
  std::vector<event> all;
  failure_ref why;
  try {
    if (a->posted && p.is == element_piece::form::boxes) why = posted_.refusal(*a->posted, boxes, o);
    if (!why) data::usable(a->target, data::word_of(o.what), context, o.where);
    for (const box& b : why ? std::span<const box>() : std::span<const box>(boxes)) {
      all.push_back(o.what == verb::copy ? data::copy_from_bytes(at, a->target, b, o.where)
                                         : data::reduce_from_bytes(at, a->target, b, *o.kind, o.where));
      at += b.volume() * o.bytes_each;
    }
  } catch (...) {  // report after the copies that have begun, which read the buffer
    why = detail::make_failure(std::current_exception(), data::word_of(o.what), o.where);
  }
  when_ended(a->step_for(its_elements), merge(all, o.where), context,
             [this, a, bytes, boxes = std::move(boxes), why](const failure* cause, base::thread_context& on) {
               ended(a, boxes, why ? why.get() : cause, on);
             });
}

void element_receiver::ended(const shared& a, std::span<const box> boxes, const failure* cause,
                             base::thread_context& context) noexcept {
  if (a->posted) posted_.ended(*a->posted, boxes, cause, context);
  count_piece(a, cause, context);
}

void element_receiver::count_piece(const shared& a, const failure* cause, base::thread_context& context) noexcept {
  bool is_last = false;
  {
    const std::scoped_lock lock(a->lock);
    if (cause && !a->cause) a->cause = failure_ref::share(cause);
    is_last = ++a->in_place == a->pieces;
  }
  if (is_last) finish_transfer(a, context);
  pieces_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
}

void element_receiver::finish_transfer(const shared& a, base::thread_context& context) noexcept {
  const element_order& o = a->order;
  {
    const std::scoped_lock lock(lock_);
    incoming_.erase({o.of.requester, o.of.number});
  }
  // A posted receive reports the failure by its own events.
  const auto when =
      a->posted ? pending_requests::failure_origin::precondition : pending_requests::failure_origin::operation;
  if (a->cause || !o.is_held()) return pending_requests_.reply(o.of, a->cause.get(), context, when);
  try {
    data::data_state& state = data::state_of(context);
    const detail::instance_record& r = data::usable(a->target, data::word_of(o.what), context, o.where);
    const detail::instance_handle all = detail::create_reduction(
        state.memories.front()->where(), o.outline, r.dimensions, *o.kind, {.style = reduction_style::list}, o.where);
    const auto freed = [all, where = o.where](event done) {
      detail::destroy_instance(all, after_range{{&done, 1}}, where);
      return done;
    };
    const event ordered = data::ordered_unseen(context, o.where);
    const after_range first{{&ordered, 1}};
    event done;
    try {
      if (a->held) all.record->reduction->take_bytes({a->held->data(), a->held->size()}, context);
      done = o.what == verb::fold ? detail::fold_held(all, a->target, o.contributor, *o.kind, first, o.where)
                                  : detail::reduce_held(all, a->target, *o.kind, first, o.where);
    } catch (...) {
      freed({});
      throw;
    }
    freed(done);
    pieces_in_flight_.fetch_add(1, std::memory_order_acq_rel);
    when_ended(a->step_for(its_elements), done, context, [this, a](const failure* cause, base::thread_context& on) {
      pending_requests_.reply(a->order.of, cause, on);
      pieces_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
    });
  } catch (...) {
    const failure_ref why = detail::make_failure(std::current_exception(), data::word_of(o.what), o.where);
    pending_requests_.reply(o.of, why.get(), context);
  }
}

void element_receiver::on_abandoned(rank from, reader& content, base::thread_context& context) {
  request_id q;
  q.requester = content.get<rank>();
  q.number = content.get<std::uint64_t>();
  const auto gone = content.get<std::uint32_t>();
  const failure_ref cause = causes_.read(content, from);
  const shared a = transfer_of(q, from);
  bool is_last = false;
  {
    const std::scoped_lock lock(a->lock);
    if (!a->cause) a->cause = cause;
    a->pieces = gone;
    is_last = a->in_place == gone;
  }
  if (is_last) finish_transfer(a, context);
}

bool element_receiver::is_receiving_from(const request_id& q, rank from) {
  const std::scoped_lock lock(lock_);
  const auto found = incoming_.find({q.requester, q.number});
  return found != incoming_.end() && found->second->from == from;
}

void element_receiver::lost(rank node, base::thread_context& context) noexcept {
  std::vector<shared> cut;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [k, a] : incoming_)
      if (a->from == node) cut.push_back(a);
  }
  for (const shared& a : cut) {
    bool is_last = false;
    {
      const std::scoped_lock lock(a->lock);
      if (!a->cause) a->cause = job_.loss_of(node);
      a->pieces = a->arrived;
      is_last = a->in_place == a->pieces;
    }
    if (is_last) finish_transfer(a, context);
  }
}

}  // namespace stretto::dist
