// refusing.cpp - a node has no room for a letter, an answer, or an object that comes: only that fails.
//
// Of a letter its number goes on to the object, as a letter of no content, so that later ones need not wait for it. An object stays where
// it was, with what has been sent to it: who sends one for which there may be no room keeps it until it hears that it is there.
#include <stretto/error.hpp>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

failure_ref mobile_objects::refused_at(object_id id, const std::string& name, const failure& cause) const {
  return failure_ref::adopt(new failure(cause, "what was sent to " + words_for(id, name), {}));
}

void mobile_objects::on_refused_letter(rank from, dist::reader& first_words, failure_ref cause, base::thread_context&) {
  std::uint64_t written = 0;  // of arguments, which are not among the words
  refuse_letter(read_words(first_words, job_->node_of(from), written), std::move(cause));
  ++heard_;
}

void mobile_objects::refuse_letter(std::unique_ptr<far_letter> l, failure_ref cause) {
  ++l->way.hops;
  std::string name;
  {
    shard& s = shard_of(l->object);
    const std::scoped_lock lock(s.lock);
    if (const entry* const e = s.find(l->object)) name = e->name;
  }
  l->refused = refused_at(l->object, name, *cause.get());
  deliver(std::move(l));
}

template <outcome what>
void mobile_objects::on_refused_answer(rank from, dist::reader& first_words, failure_ref cause, base::thread_context& context) {
  const auto request = first_words.get<std::uint64_t>();
  const bool has_more = first_words.get<dist::reply>() == dist::reply::value_with_more;
  take(what, request, from, std::move(cause), {});
  if (has_more) data::acknowledge_message(from, first_words.get<std::uint64_t>(), context);
  ++heard_;
}
template void mobile_objects::on_refused_answer<outcome::value>(rank, dist::reader&, failure_ref, base::thread_context&);
template void mobile_objects::on_refused_answer<outcome::value_and_end>(rank, dist::reader&, failure_ref, base::thread_context&);

void mobile_objects::on_refused_object(rank from, dist::reader& first_words, failure_ref cause, base::thread_context&) {
  const object_head head(first_words);
  if (!head.is_kept) return job_->fail(cause->root().exception());
  if (head.parts) parts_->take(from, head.parts);
  refuse_object(from, head, std::move(cause));
  ++heard_;
}

void mobile_objects::refuse_object(rank from, const object_head& head, failure_ref cause) {
  data::acknowledge_message(from, head.along, base::require_current("migrate"));
  dist::writer w(head.id, head.epoch);
  causes_->write(w, *lost_by(head.id, head.name, *cause.get()).get());
  tell(from, say::no_room, std::move(w));
}

void mobile_objects::hear_taken(object_id id, std::uint32_t epoch) {
  errands out;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (e && e->sent_away && e->sent_away->what->epoch == epoch) out.drop.push_back(std::move(e->sent_away));
  }
  run(out);
}

void mobile_objects::hear_no_room(object_id id, std::uint32_t epoch, failure_ref cause) {
  errands out;
  failure_ref was_lost;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    if (!e || !e->sent_away || e->sent_away->what->epoch != epoch) return;
    if (e->sent_away.use_count() > 1) {  // some parts of it had gone, and the transport has not said so yet
      job_->begin_landing();
      return coming_back_.push_back({id, epoch, std::move(cause)});
    }
    const auto back = std::move(e->sent_away);
    e->was_sent = false;
    if (!e->home) e->at = self_;  // a home hears so as others do
    --s.counted.moved_out;
    was_lost = settle_in(id, *e, back->take_back(), out);
    resident& o = *e->here;
    o.why_stays = std::move(cause);
    call_back(o, out);
    advance(o, out);
  }
  if (was_lost) fail_unanswered(id, was_lost);
  run(out);
}

void mobile_objects::take_back_waiting() {
  for (coming_back& b : std::exchange(coming_back_, {})) {
    hear_no_room(b.id, b.epoch, std::move(b.cause));
    job_->end_landing();
  }
}

}  // namespace stretto::mobiles
