// Letters are answered, and the answers to those of this node end what waits for them.
#include <mutex>
#include <utility>

#include "data/other_nodes.hpp"
#include "dist/answered.hpp"
#include "mobile/mobile_objects.hpp"

namespace stretto::mobiles {

void mobile_objects::answer(rank to, outcome what, std::uint64_t request, const failure_ref& cause, detail::parcel&& value,
                            bool is_for_good) {
  if (!request) return;
  if (to == self_) return take(what, request, self_, cause, value.bytes, is_for_good);
  const std::uint64_t along = data::keep_for(to, std::move(value.along), here());
  using dist::reply;
  dist::writer w(request, cause ? is_for_good ? reply::failure_for_good : reply::failure : along ? reply::value_with_more : reply::value);
  if (cause) causes_->write(w, *cause.get());
  else if (along) w.put(along);
  ++said_;
  const say is = what == outcome::value ? say::value : what == outcome::end ? say::end : say::value_and_end;
  job_->send(to, kinds_[static_cast<std::size_t>(is)], std::move(w), std::move(value.bytes));
}

void mobile_objects::answer_shortly(const far_letter& l) {
  if (!l.request) return;
  if (l.from == self_ || here().current_id) return answer(l.from, outcome::value_and_end, l.request, {});  // of each it is told what it came of
  short_answers::batch all;
  switch (short_answers_->add(l.from, l.request, all)) {
    case short_answers::added::not_at_all: return answer(l.from, outcome::value_and_end, l.request, {});
    case short_answers::added::first: ++said_; return;  // of all of them
    case short_answers::added::another: return;
    case short_answers::added::last:
      send_short_answers(l.from, all);
      return short_answers_->end();
  }
}

void mobile_objects::send_short_answers() {
  short_answers_->take_all([this](rank to, const short_answers::batch& all) { send_short_answers(to, all); });
}

void mobile_objects::send_short_answers(rank to, const short_answers::batch& all) {
  dist::writer w;
  w.put_bytes(std::as_bytes(all.all()));
  job_->send(to, kinds_[static_cast<std::size_t>(say::all_ended)], std::move(w));
}

void mobile_objects::take(outcome what, std::uint64_t request, rank by, failure_ref cause, std::span<const std::byte> value,
                          bool is_for_good) {
  if (is_of_many(request)) {
    if (const auto a = multicasts_.take(what, request, by, cause, value, here())) note_answered(a->object, a->number, std::move(cause), is_for_good);
  } else if (const auto a = requests_.take(what, request, by, cause, value, here())) {
    note_answered(a->object, a->number, std::move(cause), is_for_good);
  }
}

void mobile_objects::note_answered(object_id id, std::uint64_t number, failure_ref cause, bool is_for_good) {
  shard& s = shard_of(id);
  const auto count = [&](entry* e) {
    ++s.ended;
    // While it is here, near ones may wait whose numbers are lower.
    if (e && e->unanswered && --e->unanswered == 0 && !e->here) e->answered = e->sent;
  };
  if (!is_for_good) {
    {
      const std::scoped_lock lock(s.lock);
      count(s.find(id));
    }
    return quiet_.look_if_alone();
  }
  errands out;
  failure_ref now_lost;
  {
    const std::scoped_lock lock(s.lock);
    entry* const e = s.find(id);
    // Later letters would wait for this one's number.
    if (e && e->here) {
      e->here->skip(e->here->own(), number);
      advance(*e->here, out);
    } else if (e && !e->lost) {
      e->lost = now_lost = std::move(cause);
    }
    count(e);
  }
  quiet_.look_if_alone();
  run(out);
  if (now_lost) fail_unanswered(id, now_lost, number);
}

void mobile_objects::fail_unanswered(object_id id, const failure_ref& cause, std::uint64_t from_number) {
  for (const auto& l : unanswered(id))
    if (l->number >= from_number) take(outcome::value_and_end, l->request, self_, cause, {});
}

void mobile_objects::hear_answer(outcome what, rank from, dist::reader& c) {
  const auto request = c.get<std::uint64_t>();
  const auto is = c.get<dist::reply>();
  const failure_ref cause = dist::is_failure(is) ? causes_->read(c, from) : failure_ref();
  const std::uint64_t along = is == dist::reply::value_with_more ? c.get<std::uint64_t>() : 0;
  take(what, request, from, cause, cause ? std::span<const std::byte>() : c.get_bytes(c.left()), is == dist::reply::failure_for_good);
  data::acknowledge_message(from, along, here());
}

void mobile_objects::hear_ran(std::uint64_t request, rank on) {
  if (is_lost(on)) take(outcome::value_and_end, request, on, job_->loss_of(on), {});
}

}  // namespace stretto::mobiles
