#include "dist/element_sender.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

#include "data/box_pieces.hpp"
#include "data/cross_process_copy.hpp"
#include "data/data_state.hpp"
#include "data/device_reductions.hpp"
#include "data/handle.hpp"
#include "data/program_bytes.hpp"
#include "dist/operation_steps.hpp"

namespace stretto::dist {

using verb = data::remote_operation_request::action;

struct element_sender::outgoing_transfer {
  outgoing_transfer(owned_request&& r, const detail::instance_handle& s, std::shared_ptr<const void>&& l)
      : request(std::move(r)), source(s), lease(std::move(l)) {}

  const owned_request request;
  const detail::instance_handle source;
  const std::shared_ptr<const void> lease;
  element_order order;
  rank to = 0;
  bool was_offered = false;  // the receiver then knows of the transfer, although no piece was sent

  std::vector<box> boxes;           // in the target, ordered by piece
  std::vector<std::size_t> begins;  // index of each piece's first box; one more at the end
  std::vector<std::byte> held;      // contributions of a reduction, instead of boxes

  std::atomic<int> allowed{0};  // pieces that may start; the thread that raises it from 0 starts them
  std::size_t next = 0;         // only the thread that starts pieces
  std::mutex lock;              // guards what follows
  std::uint32_t preparing = 0, sent = 0;
  std::vector<bool> is_sent;  // by piece
  failure_ref cause;
  bool is_abandoned = false;

  operation_step step_for(const char* pending_on) const noexcept {
    return {.of = order.of,
            .pending_on = pending_on,
            .verb = data::word_of(order.what),
            .instance = source.record,
            .way = operation_step::direction::from,
            .posted = posted_receives::is_posted(order.target) ? order.target : detail::instance_handle()};
  }
  box part_of_source(const box& b) const { return b.shifted(request.is.shift); }
};

/// A piece, until the transport has sent its memory.
struct element_sender::sent_piece : places::completion {
  sent_piece(element_sender& s, shared c, std::shared_ptr<data::staging_buffer> b)
      : completion(run_it), by(s), of(std::move(c)), kept(std::move(b)) {}

  static void run_it(places::work_item& self) noexcept {
    const std::unique_ptr<sent_piece> mine(&static_cast<sent_piece&>(self));
    // A failure means a lost node, of which all protocols are notified anyway.
    mine->by.allow_pieces(mine->of, 1, base::require_current("job::poll"));
  }

  element_sender& by;
  const shared of;
  const std::shared_ptr<data::staging_buffer> kept;
};

void element_sender::send(const request_id& q, owned_request&& r, const detail::instance_handle& source, event behind,
                          const std::source_location& where, base::thread_context& context,
                          std::shared_ptr<const void> lease) {
  auto c = std::make_shared<outgoing_transfer>(std::move(r), source, std::move(lease));
  const data::remote_operation_request& is = c->request.is;
  c->to = *job_.rank_of(static_cast<std::uint16_t>(is.used[0].key >> 48));
  c->order = {.of = q,
              .what = is.what,
              .target = is.used[0],
              .is_whole = is.is_whole,
              .reduction = {encode_kind(is.kind)},
              .contributor = is.contributor,
              .where = where};
  const event ready = source.record->ready;
  when_ended(
      c->step_for(its_preconditions), merge(behind, ready, where), context,
      [this, c](const failure* cause, base::thread_context& on) {
        if (cause) return fail_before_sending(c, *cause, on, pending_requests::failure_origin::precondition);
        try {
          begin(c, on);
        } catch (...) {
          fail_before_sending(
              c, *detail::make_failure(std::current_exception(), data::word_of(c->order.what), c->order.where).get(),
              on);
        }
      });
}

void element_sender::fail_before_sending(const shared& c, const failure& cause, base::thread_context& context,
                                         pending_requests::failure_origin when) noexcept {
  const data::remote_operation_request& is = c->request.is;
  posted_.abandon(is.used[0], is.boxes, cause);
  if (!c->was_offered) return pending_requests_.reply(c->order.of, &cause, context, when);
  abandon(*c, 0, cause);
}

void element_sender::abandon(const outgoing_transfer& c, std::uint32_t sent, const failure& cause) {
  job_.send(c.to, elements_abandoned{c.order.of, sent, failure_ref::share(&cause)});
}

void element_sender::begin(const shared& c, base::thread_context& context) {
  const data::remote_operation_request& is = c->request.is;
  element_order& o = c->order;
  const char* const word = data::word_of(o.what);
  const detail::instance_record& r = data::usable(c->source, word, context, o.where);
  o.bytes_each = r.shape.element_bytes;
  if (o.is_held()) return begin_reduction(c, context);
  const std::span<const box> all = is.is_whole ? std::span(&r.shape.box, 1) : is.boxes;
  for (const box& b : all) {
    data::require_inside(word, c->part_of_source(b), r, o.where);
    if (!b.is_empty()) o.outline = hull(o.outline, b);
  }
  if (!offer_elements(c, r, all, context)) send_pieces(c, r, all, context);
}

bool element_sender::offer_elements(const shared& c, const detail::instance_record& r, std::span<const box> all,
                                    base::thread_context& context) {
  const element_order& o = c->order;
  if (o.what != verb::copy || o.outline.is_empty()) return false;
  auto source = data::export_for_import(r, context);
  if (!source || !offers_.is_worth_offering(c->to, *source)) return false;
  pull_offer of{.order = o, .shift = c->request.is.shift, .source = *std::move(source)};
  std::ranges::copy_if(all, std::back_inserter(of.boxes), [](const box& b) { return !b.is_empty(); });
  c->was_offered = true;
  // The callback keeps the transfer and its lease until the reply.
  offers_.send(c->to, std::move(of), [this, c](offer_reply is, base::thread_context& on) {
    if (is == offer_reply::pulled) return;
    try {
      const data::remote_operation_request& asked = c->request.is;
      const detail::instance_record& lent = data::usable(c->source, data::word_of(c->order.what), on, c->order.where);
      send_pieces(c, lent, asked.is_whole ? std::span(&lent.shape.box, 1) : asked.boxes, on);
    } catch (...) {
      fail_before_sending(
          c, *detail::make_failure(std::current_exception(), data::word_of(c->order.what), c->order.where).get(), on);
    }
  });
  return true;
}

void element_sender::send_pieces(const shared& c, const detail::instance_record& r, std::span<const box> all,
                                 base::thread_context& context) {
  element_order& o = c->order;
  const std::uint64_t most = std::max<std::uint64_t>(
      1, (data::is_for_messages(r, context) ? piece_bytes : passing_piece_bytes) / o.bytes_each);
  std::uint64_t in_piece = 0;
  for (const box& b : all) {
    if (b.is_empty()) continue;
    for (const box& piece : data::pieces_of(b, most)) {
      const std::uint64_t n = piece.volume();
      if (c->begins.empty() || in_piece + n > most) {
        c->begins.push_back(c->boxes.size());
        in_piece = 0;
      }
      c->boxes.push_back(piece);
      in_piece += n;
    }
  }
  if (c->begins.empty()) {  // no elements
    // The node of the receive may have forgotten it already.
    if (posted_receives::is_posted(o.target)) return pending_requests_.reply(o.of, nullptr, context);
    c->begins.push_back(0);  // an empty piece, so that the receiver replies
  }
  o.pieces = static_cast<std::uint32_t>(c->begins.size());
  c->begins.push_back(c->boxes.size());
  c->is_sent.assign(o.pieces, false);
  allow_pieces(c, pieces_under_way, context);
}

void element_sender::begin_reduction(const shared& c, base::thread_context& context) {
  element_order& o = c->order;
  o.outline = c->source.record->shape.box;
  o.is_whole = o.what == verb::fold;
  const event got = data::get_held(c->source, c->held, o.where);
  when_ended(c->step_for(its_elements), got, context, [this, c](const failure* cause, base::thread_context& on) {
    if (cause) return pending_requests_.reply(c->order.of, cause, on);
    element_order& o = c->order;
    o.pieces = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (c->held.size() + piece_bytes - 1) / piece_bytes));
    c->is_sent.assign(o.pieces, false);
    allow_pieces(c, pieces_under_way, on);
  });
}

void element_sender::allow_pieces(const shared& c, int more, base::thread_context& context) noexcept {
  if (c->allowed.fetch_add(more, std::memory_order_acq_rel) > 0) return;
  do {
    const std::size_t piece = c->next;
    if (piece == c->order.pieces) continue;
    {
      const std::scoped_lock lock(c->lock);
      if (c->cause) continue;
      ++c->preparing;
    }
    ++c->next;
    try {
      start_piece(c, piece, context);
    } catch (...) {
      piece_prepared(c,
                     detail::make_failure(std::current_exception(), data::word_of(c->order.what), c->order.where).get(),
                     context);
    }
  } while (c->allowed.fetch_sub(1, std::memory_order_acq_rel) > 1);
}

void element_sender::start_piece(const shared& c, std::size_t piece, base::thread_context& context) {
  const element_order& o = c->order;
  if (o.is_held()) {
    const std::uint64_t from = piece * piece_bytes;
    const std::span<const std::byte> part =
        std::span(c->held).subspan(from, std::min(piece_bytes, c->held.size() - from));
    return send_piece(c, piece, {.is = element_piece::form::held, .offset = from, .in_all = c->held.size()}, part, {},
                      context);
  }
  const auto boxes = std::span<const box>(c->boxes).subspan(c->begins[piece], c->begins[piece + 1] - c->begins[piece]);
  if (boxes.size() == 1) {
    const box part = c->part_of_source(boxes[0]);
    if (const auto there = data::bytes_for_messages(c->source, part, context); there.first)
      return send_piece(c, piece, {.one = boxes[0]}, {there.first, boxes[0].volume() * o.bytes_each}, {}, context,
                        there.on_device);
  }
  const bool is_one = boxes.size() == 1;
  std::size_t bytes = is_one ? 0 : front_of_boxes(boxes.size());
  for (const box& b : boxes) bytes += b.volume() * o.bytes_each;
  const auto kept = std::make_shared<data::staging_buffer>(data::state_of(context).staging, bytes);
  std::byte* at = kept->data();
  if (!is_one) {
    write_front(at, boxes);
    at += front_of_boxes(boxes.size());
  }
  std::vector<event> all;
  for (const box& b : boxes) {
    all.push_back(data::copy_to_bytes(c->source, c->part_of_source(b), at, o.where));
    at += b.volume() * o.bytes_each;
  }
  element_piece p{.is = is_one ? element_piece::form::one_box : element_piece::form::boxes};
  if (is_one) p.one = boxes[0];
  when_ended(c->step_for(its_elements), merge(all, o.where), context,
             [this, c, piece, p, kept](const failure* cause, base::thread_context& on) {
               if (cause) return piece_prepared(c, cause, on);
               send_piece(c, piece, p, {kept->data(), kept->size()}, kept, on);
             });
}

void element_sender::send_piece(const shared& c, std::size_t piece, const element_piece& p,
                                std::span<const std::byte> bytes, std::shared_ptr<data::staging_buffer> kept,
                                base::thread_context& context, bool from_device) {
  auto sent = std::make_unique<sent_piece>(*this, c, std::move(kept));
  job_.send(c->to, element_message{c->order, p}, bytes, *sent.release(), from_device);
  {
    const std::scoped_lock lock(c->lock);
    ++c->sent;
    c->is_sent[piece] = true;
  }
  piece_prepared(c, nullptr, context);
}

void element_sender::piece_prepared(const shared& c, const failure* cause, base::thread_context& context) noexcept {
  std::uint32_t sent = 0;
  failure_ref why;
  std::vector<box> left;
  {
    const std::scoped_lock lock(c->lock);
    if (cause && !c->cause) c->cause = failure_ref::share(cause);
    if (--c->preparing || !c->cause || std::exchange(c->is_abandoned, true)) return;
    sent = c->sent;
    why = c->cause;
    for (std::size_t i = 0; i + 1 < c->begins.size(); ++i)
      if (!c->is_sent[i])
        left.insert(left.end(), c->boxes.begin() + std::ptrdiff_t(c->begins[i]),
                    c->boxes.begin() + std::ptrdiff_t(c->begins[i + 1]));
  }
  posted_.abandon(c->order.target, left, *why.get());
  if (sent == 0 && !c->was_offered) return pending_requests_.reply(c->order.of, why.get(), context);
  abandon(*c, sent, *why.get());
}

}  // namespace stretto::dist
