#include "dist/ending.hpp"

#include <algorithm>
#include <utility>

namespace stretto::dist {

ending::ending(job& j)
    : job_(j),
      ask_(j.on<&ending::on_ask>("ending.ask", this, job::counted::no)),
      answer_(j.on<&ending::on_answer>("ending.answer", this, job::counted::no)),
      over_(j.on<&ending::on_over>("ending.over", this, job::counted::no)) {
  j.add(*this);
}

void ending::leave(ways w) {
  ways_ = std::move(w);
  is_leaving_.store(true, std::memory_order_release);
}

rank ending::first_left() const noexcept {
  rank r = 0;
  while (r != job_.self() && job_.is_lost(r)) ++r;
  return r;
}

ending::sums ending::mine() const noexcept {
  const job::counts c = job_.messages();
  return {c.sent, c.handled, forsaken_};
}

void ending::advance(base::thread_context& context) {
  if (is_over_ || !is_leaving()) return;
  if (is_asked_ && ways_.is_idle()) {
    is_asked_ = false;
    if (std::exchange(asked_to_forsake_, false)) forsaken_ += ways_.forsake(context);
    const sums m = mine();
    job_.send(asked_by_, answer_, writer(asked_round_, m.sent, m.handled, m.forsaken));
    return;
  }
  if (!is_asking_ && first_left() == job_.self() && ways_.is_idle()) begin_round(std::exchange(forsakes_, false), context);
}

void ending::begin_round(bool forsakes, base::thread_context& context) {
  ++round_;
  is_asking_ = true;
  if (forsakes) forsaken_ += ways_.forsake(context);
  has_answered_.assign(job_.nodes(), false);
  so_far_ = mine();
  has_answered_[job_.self()] = true;
  for (rank r = 0; r < job_.nodes(); ++r) {
    if (r == job_.self()) continue;
    if (job_.is_lost(r)) has_answered_[r] = true;
    else job_.send(r, ask_, writer(round_, static_cast<std::uint8_t>(forsakes)));
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
  for (rank r = 0; r < job_.nodes(); ++r)
    if (r != job_.self() && !job_.is_lost(r)) job_.send(r, over_, writer());
  is_over_ = true;
}

void ending::on_ask(rank from, reader& content, base::thread_context&) {
  if (is_over_) {  // who said so was lost before it could tell everybody
    job_.send(from, over_, writer());
    return;
  }
  is_asked_ = true;
  asked_by_ = from;
  asked_round_ = content.get<std::uint64_t>();
  asked_to_forsake_ = content.get<std::uint8_t>() != 0;
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
  has_before_ = was_quiet_ = false;  // its numbers are among those
  if (is_asked_ && asked_by_ == node) is_asked_ = false;
  if (!is_asking_ || has_answered_[node]) return;
  has_answered_[node] = true;
  end_round();
}

}  // namespace stretto::dist
