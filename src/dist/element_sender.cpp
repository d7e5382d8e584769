#include "dist/element_sender.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>

#include "data/cross_process_copy.hpp"
#include "data/data_state.hpp"
#include "data/device_reductions.hpp"
#include "data/handle.hpp"
#include "data/box_pieces.hpp"
#include "data/program_bytes.hpp"
#include "dist/steps.hpp"

namespace stretto::dist {

using verb = data::remote_operation_request::action;

struct element_sender::cargo {
  cargo(kept_request&& r, const detail::instance_handle& s, std::shared_ptr<const void>&& l)
      : request(std::move(r)), source(s), lease(std::move(l)) {}

  const kept_request request;
  const detail::instance_handle source;
  const std::shared_ptr<const void> lease;
  element_order order;
  rank to = 0;
  bool was_offered = false;           // then the receiver knows of it, though no piece has gone

  std::vector<box> boxes;             // in the target, those of one piece behind one another
  std::vector<std::size_t> begins;    // of each piece in `boxes`; one more behind the last
  std::vector<std::byte> held;        // what a reduction holds, instead

  std::atomic<int> allowed{0};        // pieces that may start; who raises it from 0 starts them
  std::size_t next = 0;               // of who starts them
  std::mutex lock;                    // guards what follows
  std::uint32_t preparing = 0, gone = 0;
  std::vector<bool> has_gone;         // of each piece
  failure_ref cause;
  bool is_abandoned = false;

  step step_for(const char* what_for) const noexcept {
    return {.of = order.of, .what_for = what_for, .verb = data::word_of(order.what), .near = source.record, .way = step::direction::from,
            .posted = posted_instances::is_posted(order.target) ? order.target : detail::instance_handle()};
  }
  box part_of_source(const box& b) const { return b.shifted(request.is.shift); }
};

/// A piece until its memory is free again.
struct element_sender::sent_piece : places::completion {
  sent_piece(element_sender& s, shared c, std::shared_ptr<data::staging_buffer> b)
      : completion(run_it), by(s), of(std::move(c)), kept(std::move(b)) {}

  static void run_it(places::work_item& self) noexcept {
    const std::unique_ptr<sent_piece> mine(&static_cast<sent_piece&>(self));
    mine->by.allow(mine->of, 1, base::require_current("job::poll"));  // of lost nodes: they are told of all the same
  }

  element_sender& by;
  const shared of;
  const std::shared_ptr<data::staging_buffer> kept;
};

void element_sender::send(const question& q, kept_request&& r, const detail::instance_handle& source, event behind,
                          const std::source_location& where, base::thread_context& context, std::shared_ptr<const void> lease) {
  auto c = std::make_shared<cargo>(std::move(r), source, std::move(lease));
  const data::remote_operation_request& is = c->request.is;
  c->to = *job_.rank_of(static_cast<std::uint16_t>(is.used[0].key >> 48));
  c->order = {.of = q, .what = is.what, .target = is.used[0], .is_whole = is.is_whole, .kind = is.kind,
              .contributor = is.contributor, .where = where};
  const event ready = source.record->ready;
  when_ended(c->step_for(its_preconditions), merge(behind, ready, where), context, [this, c](const failure* cause, base::thread_context& on) {
    if (cause) return give_up(c, *cause, on, questions::began::before);
    try {
      begin(c, on);
    } catch (...) {
      give_up(c, *detail::make_failure(std::current_exception(), data::word_of(c->order.what), c->order.where).get(), on);
    }
  });
}

void element_sender::give_up(const shared& c, const failure& cause, base::thread_context& context, questions::began when) noexcept {
  const data::remote_operation_request& is = c->request.is;
  posted_.forsake(is.used[0], is.boxes, cause);
  if (!c->was_offered) return questions_.answer(c->order.of, &cause, context, when);
  abandon(*c, 0, cause);
}

void element_sender::abandon(const cargo& c, std::uint32_t gone, const failure& cause) {
  const question& q = c.order.of;
  writer w(q.asker, q.number, gone);
  causes_.write(w, cause);
  job_.send(c.to, abandoned_, w);
}

void element_sender::begin(const shared& c, base::thread_context& context) {
  const data::remote_operation_request& is = c->request.is;
  element_order& o = c->order;
  const char* const word = data::word_of(o.what);
  const detail::instance_record& r = data::usable(c->source, word, context, o.where);
  o.bytes_each = r.shape.element_bytes;
  if (o.is_held()) return begin_held(c, context);
  const std::span<const box> all = is.is_whole ? std::span(&r.shape.box, 1) : is.boxes;
  for (const box& b : all) {
    data::require_inside(word, c->part_of_source(b), r, o.where);
    if (!b.is_empty()) o.outline = hull(o.outline, b);
  }
  if (!offer_them(c, r, all, context)) cut(c, r, all, context);
}

bool element_sender::offer_them(const shared& c, const detail::instance_record& r, std::span<const box> all, base::thread_context& context) {
  const element_order& o = c->order;
  if (o.what != verb::copy || o.outline.is_empty()) return false;
  auto source = data::export_for_import(r, context);
  if (!source || !offers_.may_be_taken(c->to, *source)) return false;
  offer of{.order = o, .boxes = {}, .shift = c->request.is.shift, .source = *std::move(source)};
  std::ranges::copy_if(all, std::back_inserter(of.boxes), [](const box& b) { return !b.is_empty(); });
  c->was_offered = true;
  // All that is kept for the elements goes with what is said here, once they have been copied.
  offers_.make(c->to, of, [this, c](offers::answer is, base::thread_context& on) {
    if (is == offers::answer::taken) return;
    try {
      const data::remote_operation_request& asked = c->request.is;
      const detail::instance_record& lent = data::usable(c->source, data::word_of(c->order.what), on, c->order.where);
      cut(c, lent, asked.is_whole ? std::span(&lent.shape.box, 1) : asked.boxes, on);
    } catch (...) {
      give_up(c, *detail::make_failure(std::current_exception(), data::word_of(c->order.what), c->order.where).get(), on);
    }
  });
  return true;
}

void element_sender::cut(const shared& c, const detail::instance_record& r, std::span<const box> all, base::thread_context& context) {
  element_order& o = c->order;
  const std::uint64_t most = std::max<std::uint64_t>(1, (data::is_for_messages(r, context) ? piece_bytes : passing_piece_bytes) / o.bytes_each);
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
  if (c->begins.empty()) {  // of no elements
    if (posted_instances::is_posted(o.target)) return questions_.answer(o.of, nullptr, context);  // which may have been forgotten there
    c->begins.push_back(0);  // which the receiver answers for
  }
  o.pieces = static_cast<std::uint32_t>(c->begins.size());
  c->begins.push_back(c->boxes.size());
  c->has_gone.assign(o.pieces, false);
  allow(c, pieces_under_way, context);
}

void element_sender::begin_held(const shared& c, base::thread_context& context) {
  element_order& o = c->order;
  o.outline = c->source.record->shape.box;
  o.is_whole = o.what == verb::fold;
  const event got = data::get_held(c->source, c->held, o.where);
  when_ended(c->step_for(its_elements), got, context, [this, c](const failure* cause, base::thread_context& on) {
    if (cause) return questions_.answer(c->order.of, cause, on);
    element_order& o = c->order;
    o.pieces = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, (c->held.size() + piece_bytes - 1) / piece_bytes));
    c->has_gone.assign(o.pieces, false);
    allow(c, pieces_under_way, on);
  });
}

void element_sender::allow(const shared& c, int more, base::thread_context& context) noexcept {
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
      start(c, piece, context);
    } catch (...) {
      prepared(c, detail::make_failure(std::current_exception(), data::word_of(c->order.what), c->order.where).get(), context);
    }
  } while (c->allowed.fetch_sub(1, std::memory_order_acq_rel) > 1);
}

void element_sender::start(const shared& c, std::size_t piece, base::thread_context& context) {
  const element_order& o = c->order;
  if (o.is_held()) {
    const std::uint64_t from = piece * piece_bytes;
    const std::span<const std::byte> part = std::span(c->held).subspan(from, std::min(piece_bytes, c->held.size() - from));
    return go(c, piece, {.is = element_piece::form::held, .offset = from, .in_all = c->held.size()}, part, {}, context);
  }
  const auto boxes = std::span<const box>(c->boxes).subspan(c->begins[piece], c->begins[piece + 1] - c->begins[piece]);
  if (boxes.size() == 1) {
    const box part = c->part_of_source(boxes[0]);
    if (const auto there = data::bytes_for_messages(c->source, part, context); there.first)
      return go(c, piece, {.one = boxes[0]}, {there.first, boxes[0].volume() * o.bytes_each}, {}, context, there.on_device);
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
  when_ended(c->step_for(its_elements), merge(all, o.where), context, [this, c, piece, p, kept](const failure* cause, base::thread_context& on) {
    if (cause) return prepared(c, cause, on);
    go(c, piece, p, {kept->data(), kept->size()}, kept, on);
  });
}

void element_sender::go(const shared& c, std::size_t piece, const element_piece& p, std::span<const std::byte> bytes,
                        std::shared_ptr<data::staging_buffer> kept, base::thread_context& context, bool from_device) {
  writer head;
  put(head, c->order, p, job_.node());
  auto sent = std::make_unique<sent_piece>(*this, c, std::move(kept));
  job_.send(c->to, piece_, head, bytes, *sent.release(), from_device);
  {
    const std::scoped_lock lock(c->lock);
    ++c->gone;
    c->has_gone[piece] = true;
  }
  prepared(c, nullptr, context);
}

void element_sender::prepared(const shared& c, const failure* cause, base::thread_context& context) noexcept {
  std::uint32_t gone = 0;
  failure_ref why;
  std::vector<box> left;
  {
    const std::scoped_lock lock(c->lock);
    if (cause && !c->cause) c->cause = failure_ref::share(cause);
    if (--c->preparing || !c->cause || std::exchange(c->is_abandoned, true)) return;
    gone = c->gone;
    why = c->cause;
    for (std::size_t i = 0; i + 1 < c->begins.size(); ++i)
      if (!c->has_gone[i]) left.insert(left.end(), c->boxes.begin() + std::ptrdiff_t(c->begins[i]), c->boxes.begin() + std::ptrdiff_t(c->begins[i + 1]));
  }
  posted_.forsake(c->order.target, left, *why.get());
  if (gone == 0 && !c->was_offered) return questions_.answer(c->order.of, why.get(), context);
  abandon(*c, gone, *why.get());
}

}  // namespace stretto::dist
