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

/// The boxes of a piece that are known before its bytes have arrived.
std::span<const box> boxes_of(const element_piece& p) noexcept {
  return p.is == element_piece::form::one_box ? std::span(&p.one, 1) : std::span<const box>();
}

bool are_of_one_operation(const element_order& a, const element_order& b) noexcept {
  return a.what == b.what && a.outline == b.outline && a.bytes_each == b.bytes_each;
}

error elements_missing(const element_order& o, const detail::instance_record& r) {
  return error("D06", std::string(data::word_of(o.what)) + " uses elements outside of " + detail::describe(r))
      .fact("submitted", o.where)
      .fact("elements", o.outline.text() + (o.is_whole ? ", all of the other instance" : ""))
      .fact("instance", r.shape.box.text());
}

}  // namespace

/// The elements of one operation, which arrive in pieces.
struct element_receiver::incoming_transfer {
  // Written by the handler of the first piece.
  element_order order;
  const detail::reduction_kind* kind = nullptr;
  std::uint64_t held_bytes = 0;  // of all contributions of a reduction
  rank from = 0;
  detail::instance_handle target;
  posted_receives::shared posted;  // the target, if it is a posted receive that has not failed; else null

  operation_step step_for(const char* pending_on) const noexcept {
    return {.of = order.of, .pending_on = pending_on, .verb = data::word_of(order.what), .instance = target.record};
  }

  std::mutex lock;  // guards what follows
  bool has_order = false, is_target_ready = false;
  std::vector<waiting_piece> waiting;  // pieces that arrived before the target was ready
  std::uint32_t pieces = ~0u;          // expected pieces; unknown until one has arrived
  std::uint32_t arrived_pieces = 0, done_pieces = 0;
  failure_ref cause;
  std::optional<data::staging_buffer> held;  // contributions of a reduction, as they arrive
};

/// A piece whose bytes the transport is receiving into memory.
struct element_receiver::piece_in_flight : places::completion {
  piece_in_flight(element_receiver& r, shared transfer, const element_piece& p, std::shared_ptr<data::staging_buffer> b)
      : completion(run_it), by(r), of(std::move(transfer)), piece(p), bytes(std::move(b)) {}

  static void run_it(places::work_item& self) noexcept {
    const std::unique_ptr<piece_in_flight> mine(&static_cast<piece_in_flight&>(self));
    base::thread_context& context = base::require_current("job::poll");
    if (mine->failure) {
      const failure_ref why =
          detail::make_failure(mine->failure, data::word_of(mine->of->order.what), mine->of->order.where);
      return mine->by.ended(mine->of, boxes_of(mine->piece), why.get(), context);
    }
    if (!mine->bytes) return mine->by.ended(mine->of, boxes_of(mine->piece), nullptr, context);
    try {
      mine->by.apply(mine->of, mine->piece, mine->bytes, context);
    } catch (...) {
      const failure_ref why =
          detail::make_failure(std::current_exception(), data::word_of(mine->of->order.what), mine->of->order.where);
      mine->by.ended(mine->of, boxes_of(mine->piece), why.get(), context);
    }
  }

  element_receiver& by;
  const shared of;
  const element_piece piece;
  const std::shared_ptr<data::staging_buffer> bytes;  // staging buffer; null: received directly into the target
};

element_receiver::element_receiver(job& j, pending_requests& pending, instance_names& names, posted_receives& posted,
                                   pull_offers& offers)
    : job_(j), pending_requests_(pending), names_(names), posted_(posted), offers_(offers) {
  j.on_payload<&element_receiver::on_piece>(this);
  j.on<&element_receiver::on_abandoned>(this);
  offers_.set_receiver(
      [this](received_offer&& of, base::thread_context& context) { on_offer(std::move(of), context); });
}

element_receiver::shared element_receiver::transfer_of(const request_id& q, rank from) {
  const std::scoped_lock lock(lock_);
  shared& transfer = incoming_[{q.requester, q.number}];
  if (!transfer) {
    transfer = std::make_shared<incoming_transfer>();
    transfer->from = from;
    transfer->order.of = q;
  }
  return transfer;
}

void element_receiver::on_piece(rank from, const element_message& m, net::payload&& rest,
                                base::thread_context& context) {
  const element_order& o = m.order;
  const element_piece& p = m.piece;
  if (!m.is_sound(rest.bytes())) return job_.refuse_malformed(m.message, from);
  const shared transfer = transfer_of(o.of, from);
  if (transfer->has_order &&
      (!are_of_one_operation(transfer->order, o) || (o.is_held() && transfer->held_bytes != p.in_all)))
    return job_.refuse_malformed(m.message, from);
  bool is_first = false;
  {
    const std::scoped_lock lock(transfer->lock);
    is_first = !std::exchange(transfer->has_order, true);
    if (transfer->pieces == ~0u) transfer->pieces = o.pieces;
    ++transfer->arrived_pieces;
    if (!transfer->is_target_ready) {
      std::shared_ptr<data::staging_buffer> here;
      if (rest.is_here()) {
        here = std::make_shared<data::staging_buffer>(data::state_of(context).staging, rest.bytes());
        if (rest.bytes()) std::memcpy(here->data(), rest.here().data(), rest.bytes());
      }
      transfer->waiting.push_back({p, std::move(rest), std::move(here)});
      if (!is_first) return;
    }
  }
  if (!is_first) return write_piece(transfer, {p, std::move(rest)}, context);
  transfer->order = o;
  transfer->held_bytes = p.in_all;
  try {
    transfer->kind = decode_kind(o.reduction.bits, job_.name_of(job_.self()), o.where);
    resolve_target(transfer, context);
  } catch (...) {
    on_target_ready(transfer, detail::make_failure(std::current_exception(), data::word_of(o.what), o.where), context);
  }
}

void element_receiver::on_offer(received_offer&& of, base::thread_context& context) {
  if (!data::can_import(of.is.source, job_.node_of(of.from), context)) return offers_.reply_to(of, offer_reply::never);
  const shared transfer = transfer_of(of.is.order.of, of.from);
  const auto kept = std::make_shared<const received_offer>(std::move(of));
  {
    const std::scoped_lock lock(transfer->lock);
    transfer->has_order = true;
    transfer->pieces = transfer->arrived_pieces = 1;
    transfer->waiting.push_back({{.is = element_piece::form::offered}, {}, {}, kept});
  }
  transfer->order = kept->is.order;
  try {
    resolve_target(transfer, context);
  } catch (...) {
    on_target_ready(
        transfer,
        detail::make_failure(std::current_exception(), data::word_of(transfer->order.what), transfer->order.where),
        context);
  }
}

void element_receiver::pull(const shared& transfer, const std::shared_ptr<const received_offer>& of,
                            base::thread_context& context) noexcept {
  const element_order& o = transfer->order;
  const auto finish = [this, transfer, of](const failure* cause, base::thread_context& on) {
    offers_.reply_to(*of, offer_reply::pulled);
    ended(transfer, of->is.boxes, cause, on);
  };
  try {
    failure_ref why = transfer->posted ? posted_.begin(*transfer->posted) : failure_ref();
    if (why || (!transfer->posted && has_failed(*transfer))) {  // the elements are no longer needed
      offers_.reply_to(*of, offer_reply::pulled);
      return count_piece(transfer, why.get(), context);
    }
    if (transfer->posted) why = posted_.refusal(*transfer->posted, of->is.boxes, o);
    if (why) return finish(why.get(), context);
    const detail::instance_record& r = data::usable(transfer->target, data::word_of(o.what), context, o.where);
    if (r.shape.element_bytes != o.bytes_each) throw elements_missing(o, r);
    const auto in = data::memory_of(of->is.source, job_.node_of(of->from), r, context);
    if (!in) return request_pieces(transfer, *of, context);
    const event done = data::copy_from(in, of->is.source, transfer->target, of->is.boxes, of->is.shift, o.where);
    when_ended(transfer->step_for(its_elements), done, context, finish);
  } catch (...) {
    finish(detail::make_failure(std::current_exception(), data::word_of(o.what), o.where).get(), context);
  }
}

void element_receiver::request_pieces(const shared& transfer, const received_offer& of, base::thread_context& context) {
  if (transfer->posted) posted_.ended(*transfer->posted, {}, nullptr, context);  // counts no elements
  bool is_wanted = false;
  {
    const std::scoped_lock lock(transfer->lock);
    is_wanted = !transfer->cause;  // else the sender is lost
    if (is_wanted) transfer->pieces = ~0u, transfer->arrived_pieces = 0;
  }
  if (!is_wanted) return count_piece(transfer, nullptr, context);
  offers_.reply_to(of, offer_reply::in_pieces);
  pieces_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
}

bool element_receiver::has_failed(incoming_transfer& transfer) {
  const std::scoped_lock lock(transfer.lock);
  return bool(transfer.cause);
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

void element_receiver::resolve_target(const shared& transfer, base::thread_context& context) {
  const detail::instance_handle& named = transfer->order.target;
  if (posted_receives::is_posted(named))
    return posted_.resolve(named, transfer->order.of, context,
                           [this, transfer](const posted_receives::shared& p, const detail::instance_handle& target,
                                            failure_ref lost, base::thread_context& on) {
                             transfer->posted = p;
                             transfer->target = target;
                             on_target_ready(transfer, std::move(lost), on);
                           });
  if (named == target_named_later(context.runtime->node)) return request_target(transfer, context);
  names_.resolve(named, data::word_of(transfer->order.what), transfer->order.where, context,
                 [this, transfer](const detail::instance_handle& local, failure_ref cause, base::thread_context& on) {
                   if (cause) return on_target_ready(transfer, std::move(cause), on);
                   await_target(transfer, local, {}, on);
                 });
}

void element_receiver::request_target(const shared& transfer, base::thread_context& context) {
  data::destination::asked ask;
  {
    const std::scoped_lock lock(lock_);
    if (const auto found = expected_.find(transfer->order.of.number); found != expected_.end())
      ask = std::move(found->second);
  }
  if (!ask) {
    const auto why = std::make_exception_ptr(error("G06", "elements arrived that no request expects any more"));
    return on_target_ready(
        transfer, detail::make_failure(why, data::word_of(transfer->order.what), transfer->order.where), context);
  }
  ask(
      [this, transfer](const detail::instance_handle& into, std::span<const event> after, const failure_ref& cause,
                       base::thread_context& on) {
        if (cause) return on_target_ready(transfer, cause, on);
        await_target(transfer, into, merge(after, transfer->order.where), on);
      },
      context);
}

void element_receiver::await_target(const shared& transfer, const detail::instance_handle& target, event behind,
                                    base::thread_context& context) {
  transfer->target = target;
  try {
    const detail::instance_record& r =
        data::usable(target, data::word_of(transfer->order.what), context, transfer->order.where);
    const event there = behind == event() ? r.ready : merge(r.ready, behind, transfer->order.where);
    when_ended(transfer->step_for("that instance to be there"), there, context,
               [this, transfer](const failure* why, base::thread_context& then) {
                 failure_ref kept = failure_ref::share(why);
                 try {
                   if (!kept) check(*transfer, then);
                 } catch (...) {
                   kept = detail::make_failure(std::current_exception(), data::word_of(transfer->order.what),
                                               transfer->order.where);
                 }
                 on_target_ready(transfer, std::move(kept), then);
               });
  } catch (...) {
    on_target_ready(
        transfer,
        detail::make_failure(std::current_exception(), data::word_of(transfer->order.what), transfer->order.where),
        context);
  }
}

void element_receiver::check(incoming_transfer& transfer, base::thread_context& context) const {
  const element_order& o = transfer.order;
  const detail::instance_record& r = data::usable(transfer.target, data::word_of(o.what), context, o.where);
  const bool fits = o.is_whole ? r.shape.box == o.outline : r.shape.box.contains(o.outline);
  if (!fits) throw elements_missing(o, r);
}

void element_receiver::on_target_ready(const shared& transfer, failure_ref cause, base::thread_context& context) {
  std::vector<waiting_piece> now;
  {
    const std::scoped_lock lock(transfer->lock);
    if (cause && !transfer->cause) transfer->cause = std::move(cause);
    transfer->is_target_ready = true;
    now = std::move(transfer->waiting);
  }
  for (waiting_piece& p : now) write_piece(transfer, std::move(p), context);
}

std::uint32_t element_receiver::bytes_each_in(const incoming_transfer& transfer) noexcept {
  return transfer.kind ? transfer.kind->rhs_bytes : transfer.target.record->shape.element_bytes;
}

void element_receiver::write_piece(const shared& transfer, waiting_piece&& p, base::thread_context& context) noexcept {
  pieces_in_flight_.fetch_add(1, std::memory_order_acq_rel);
  if (p.offered) return pull(transfer, p.offered, context);
  const element_order& o = transfer->order;
  bool is_dropped = false;
  std::byte* where_held = nullptr;
  try {
    if (transfer->posted) {  // each piece on its own, whether or not others have failed
      if (const failure_ref lost = posted_.begin(*transfer->posted)) return count_piece(transfer, lost.get(), context);
      if (p.piece.is ==
          element_piece::form::one_box)  // pieces of several boxes are checked in apply(), once their list has arrived
        if (const failure_ref why = posted_.refusal(*transfer->posted, boxes_of(p.piece), o))
          return ended(transfer, boxes_of(p.piece), why.get(), context);
    } else {
      const std::scoped_lock lock(transfer->lock);
      is_dropped = bool(transfer->cause);
      if (!is_dropped && p.piece.is == element_piece::form::held) {
        if (!transfer->held) transfer->held.emplace(data::state_of(context).staging, transfer->held_bytes);
        where_held = transfer->held->data() + p.piece.offset;
      }
    }
    if (is_dropped || p.payload.bytes() == 0) return ended(transfer, boxes_of(p.piece), nullptr, context);
    std::byte* at = where_held;
    std::shared_ptr<data::staging_buffer> bytes = p.buffered;
    if (p.piece.is == element_piece::form::one_box && o.what == verb::copy) {
      if (bytes_each_in(*transfer) != o.bytes_each) throw elements_missing(o, *transfer->target.record);
      const auto there = data::bytes_for_messages(transfer->target, p.piece.one, context);
      const bool is_on_host = bytes || p.payload.is_here();  // content that arrived with the head
      if (!there.on_device || !is_on_host) at = there.first;
    }
    if (bytes && !at) return apply(transfer, p.piece, std::move(bytes), context);
    if (bytes) {
      std::memcpy(at, bytes->data(), bytes->size());
      return ended(transfer, boxes_of(p.piece), nullptr, context);
    }
    if (!at) {
      bytes = std::make_shared<data::staging_buffer>(data::state_of(context).staging, p.payload.bytes());
      at = bytes->data();
    }
    auto then = std::make_unique<piece_in_flight>(*this, transfer, p.piece, bytes);
    std::move(p.payload).receive(at, *then.release());
  } catch (...) {
    const failure_ref why = detail::make_failure(std::current_exception(), data::word_of(o.what), o.where);
    ended(transfer, boxes_of(p.piece), why.get(), context);
  }
}

void element_receiver::apply(const shared& transfer, const element_piece& p,
                             std::shared_ptr<data::staging_buffer> bytes, base::thread_context& context) {
  const element_order& o = transfer->order;
  std::vector<box> boxes{p.one};
  std::byte* at = bytes->data();
  if (p.is == element_piece::form::boxes) {
    boxes = read_front(at, bytes->size());
    at += front_of_boxes(boxes.size());
  }
  std::vector<event> all;
  failure_ref why;
  try {
    if (transfer->posted && p.is == element_piece::form::boxes) why = posted_.refusal(*transfer->posted, boxes, o);
    if (!why) {
      const detail::instance_record& r = data::usable(transfer->target, data::word_of(o.what), context, o.where);
      const auto front = static_cast<std::size_t>(at - bytes->data());
      const bool are_all = front <= bytes->size() && are_boxes_of(o, boxes, bytes->size() - front);
      if (!are_all || bytes_each_in(*transfer) != o.bytes_each) throw elements_missing(o, r);
    }
    for (const box& b : why ? std::span<const box>() : std::span<const box>(boxes)) {
      all.push_back(o.what == verb::copy ? data::copy_from_bytes(at, transfer->target, b, o.where)
                                         : data::reduce_from_bytes(at, transfer->target, b, *transfer->kind, o.where));
      at += b.volume() * o.bytes_each;
    }
  } catch (...) {  // report after the copies that have begun, which read the buffer
    why = detail::make_failure(std::current_exception(), data::word_of(o.what), o.where);
  }
  when_ended(transfer->step_for(its_elements), merge(all, o.where), context,
             [this, transfer, bytes, boxes = std::move(boxes), why](const failure* cause, base::thread_context& on) {
               ended(transfer, boxes, why ? why.get() : cause, on);
             });
}

void element_receiver::ended(const shared& transfer, std::span<const box> boxes, const failure* cause,
                             base::thread_context& context) noexcept {
  if (transfer->posted) posted_.ended(*transfer->posted, boxes, cause, context);
  count_piece(transfer, cause, context);
}

void element_receiver::count_piece(const shared& transfer, const failure* cause,
                                   base::thread_context& context) noexcept {
  bool is_last = false;
  {
    const std::scoped_lock lock(transfer->lock);
    if (cause && !transfer->cause) transfer->cause = failure_ref::share(cause);
    is_last = ++transfer->done_pieces == transfer->pieces;
  }
  if (is_last) finish_transfer(transfer, context);
  pieces_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
}

void element_receiver::finish_transfer(const shared& transfer, base::thread_context& context) noexcept {
  const element_order& o = transfer->order;
  {
    const std::scoped_lock lock(lock_);
    incoming_.erase({o.of.requester, o.of.number});
  }
  // A posted receive reports the failure by its own events.
  const auto when =
      transfer->posted ? pending_requests::failure_origin::precondition : pending_requests::failure_origin::operation;
  if (transfer->cause || !o.is_held()) return pending_requests_.reply(o.of, transfer->cause.get(), context, when);
  try {
    data::data_state& state = data::state_of(context);
    const detail::instance_record& r = data::usable(transfer->target, data::word_of(o.what), context, o.where);
    const detail::instance_handle all =
        detail::create_reduction(state.memories.front()->where(), o.outline, r.dimensions, *transfer->kind,
                                 {.style = reduction_style::list}, o.where);
    const auto freed = [all, where = o.where](event done) {
      detail::destroy_instance(all, after_range{{&done, 1}}, where);
      return done;
    };
    const event ordered = data::ordered_unseen(context, o.where);
    const after_range first{{&ordered, 1}};
    event done;
    try {
      if (transfer->held) all.record->reduction->take_bytes({transfer->held->data(), transfer->held->size()}, context);
      done = o.what == verb::fold
                 ? detail::fold_held(all, transfer->target, o.contributor, *transfer->kind, first, o.where)
                 : detail::reduce_held(all, transfer->target, *transfer->kind, first, o.where);
    } catch (...) {
      freed({});
      throw;
    }
    freed(done);
    pieces_in_flight_.fetch_add(1, std::memory_order_acq_rel);
    when_ended(transfer->step_for(its_elements), done, context,
               [this, transfer](const failure* cause, base::thread_context& on) {
                 pending_requests_.reply(transfer->order.of, cause, on);
                 pieces_in_flight_.fetch_sub(1, std::memory_order_acq_rel);
               });
  } catch (...) {
    const failure_ref why = detail::make_failure(std::current_exception(), data::word_of(o.what), o.where);
    pending_requests_.reply(o.of, why.get(), context);
  }
}

void element_receiver::on_abandoned(rank from, const elements_abandoned& m, base::thread_context& context) {
  if (!m.why) return job_.refuse_malformed(m.message, from);
  const shared transfer = transfer_of(m.of, from);
  bool is_last = false;
  {
    const std::scoped_lock lock(transfer->lock);
    if (!transfer->cause) transfer->cause = m.why;
    transfer->pieces = m.sent;
    is_last = transfer->done_pieces == m.sent;
  }
  if (is_last) finish_transfer(transfer, context);
}

bool element_receiver::is_receiving_from(const request_id& q, rank from) {
  const std::scoped_lock lock(lock_);
  const auto found = incoming_.find({q.requester, q.number});
  return found != incoming_.end() && found->second->from == from;
}

void element_receiver::lost(rank node, base::thread_context& context) noexcept {
  std::vector<shared> cut_off;
  {
    const std::scoped_lock lock(lock_);
    for (const auto& [k, transfer] : incoming_)
      if (transfer->from == node) cut_off.push_back(transfer);
  }
  for (const shared& transfer : cut_off) {
    bool is_last = false;
    {
      const std::scoped_lock lock(transfer->lock);
      if (!transfer->cause) transfer->cause = job_.loss_of(node);
      transfer->pieces = transfer->arrived_pieces;
      is_last = transfer->done_pieces == transfer->pieces;
    }
    if (is_last) finish_transfer(transfer, context);
  }
}

}  // namespace stretto::dist
