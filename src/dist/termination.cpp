#include "dist/termination.hpp"

#include <algorithm>
#include <utility>

namespace stretto::dist {

ending::ending(job& j)
    : job_(j),
      ask_(j.on<&ending::on_ask>("ending.ask", this, job::counted::no)),
      answer_(j.on<&ending::on_answer>("ending.answer", this, job::counted::no)),
      over_(j.on<&ending::on_over>("ending.over", this, job::counted::no)),
      part_(j.on<&ending::on_part>("ending.part", this, job::counted::no)) {
  j.add(*this);
}

void ending::leave(ways w) {
  ways_ = std::move(w);
  job_.leave();
  is_leaving_.store(true, std::memory_order_release);
}

ending::sums ending::mine() const noexcept {
  const job::counts c = job_.messages();
  return {c.sent, c.handled, forsaken_};
}

void ending::advance(base::thread_context& context) {
  if (is_over_ || !is_leaving()) return;
  if (const auto first = asked_.find(job_.first_left()); first != asked_.end() && ways_.is_idle()) {
    if (part_from(first->second.lost)) return;  // what waited for them goes on
    const question q = std::move(asked_.extract(first).mapped());
    if (q.forsakes) forsaken_ += ways_.forsake(context);
    const sums m = mine();
    job_.send(job_.first_left(), answer_, writer(q.round, m.sent, m.handled, m.forsaken));
    return;
  }
  if (!is_asking_ && job_.first_left() == job_.self() && ways_.is_idle()) begin_round(std::exchange(forsakes_, false), context);
}

void ending::begin_round(bool forsakes, base::thread_context& context) {
  ++round_;
  is_asking_ = true;
  if (forsakes) forsaken_ += ways_.forsake(context);
  has_answered_.assign(job_.nodes(), false);
  so_far_ = mine();
  has_answered_[job_.self()] = true;
  writer question(round_, static_cast<std::uint8_t>(forsakes));
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && job_.is_lost(r)) question.put(r);
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (r == job_.self()) continue;
    if (job_.is_lost(r)) has_answered_[r] = true;
    else job_.send(r, ask_, question);
  }
  end_round();
}

void ending::end_round() {
  if (!std::ranges::all_of(has_answered_, [](bool b) { return b; })) return;
  is_asking_ = false;
  // Its own numbers are those of the round's beginning: what has happened here since shows in the next one.
  const bool is_same = has_before_ && so_far_ == before_ && so_far_.sent == so_far_.handled;
  const bool was_quiet = std::exchange(was_quiet_, is_same);
  before_ = so_far_;
  has_before_ = true;
  if (!is_same) return;
  if (!was_quiet) {  // nothing goes on: let go of what waits in vain, and see
    forsakes_ = true;
    return;
  }
  is_over_ = true;
  say_over();
}

void ending::say_over() {
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) job_.send(r, over_, writer());
}

void ending::on_ask(rank from, reader& content, base::thread_context&) {
  if (is_over_) {  // who said so was lost before it could tell everybody
    job_.send(from, over_, writer());
    return;
  }
  question& q = asked_[from];
  q = {.round = content.get<std::uint64_t>(), .forsakes = content.get<std::uint8_t>() != 0};
  while (content.left()) q.lost.push_back(content.get<rank>());
}

bool ending::part_from(const std::vector<rank>& all) {
  bool has_any = false;
  for (const rank r : all) {
    if (r == job_.self() || job_.is_lost(r)) continue;
    job_.send(r, part_, writer());
    job_.part_from(r, "it cannot be reached by node " + job_.name_of(job_.first_left()) + ", and the job ends in parts");
    has_any = true;
  }
  return has_any;
}

void ending::on_part(rank from, reader&, base::thread_context&) {
  job_.part_from(from, "it has gone on to the end of the job with nodes that cannot reach this one");
}

void ending::on_answer(rank from, reader& content, base::thread_context&) {
  if (content.get<std::uint64_t>() != round_ || !is_asking_ || has_answered_[from]) return;
  so_far_.sent += content.get<std::uint64_t>();
  so_far_.handled += content.get<std::uint64_t>();
  so_far_.forsaken += content.get<std::uint64_t>();
  has_answered_[from] = true;
  end_round();
}

void ending::on_over(rank, reader&, base::thread_context&) { is_over_ = true; }

void ending::lost(rank node, base::thread_context&) noexcept {
  if (is_over_) return say_over();  // it may have been about to
  has_before_ = was_quiet_ = false;  // its numbers are among those
  asked_.erase(node);
  if (!is_asking_ || has_answered_[node]) return;
  has_answered_[node] = true;
  end_round();
}

}  // namespace stretto::dist
