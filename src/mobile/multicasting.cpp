// One message for all objects of a node: who sends it, who gets it and passes parts of it on, and the answers, which go back as one.
#include <algorithm>
#include <new>

#include "base/order_observer.hpp"
#include "mobile/letters_to_many.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/task_execution.hpp"

namespace stretto::mobiles {

using sched::task_record;
using sched::thread_state;

namespace {

/// To so many nodes a message goes from its sender; where there are more, each of so many passes it on to a part of the others.
constexpr std::size_t fan_out = 8;
/// Of what is larger, each node gets its own from the sender: who passes on copies, and may have no room.
constexpr std::size_t most_passed_on = std::size_t{4} << 10;
/// With more, another message begins: fewer bytes than anybody refuses.
constexpr std::size_t most_runs = 1000;
/// Answers beyond this go by themselves.
constexpr std::size_t most_together = std::size_t{1} << 10;

std::size_t runs_in(std::span<const letters_for> nodes) {
  std::size_t all = 0;
  for (const letters_for& n : nodes) all += n.runs.size();
  return all;
}

}  // namespace

void mobile_objects::post_many(task_record& r, detail::multicast& body) {
  const auto m = std::make_shared<multicast_under_way>(r, body, self_);
  std::vector<std::uint64_t> near;
  for (std::uint64_t i = 0; i < body.objects; ++i) {
    if (is_here(m->first + i)) near.push_back(i);
    else m->elements.push_back({.index = i});
  }
  if (!m->elements.empty()) {
    if (body.write) body.write(body, m->arguments);
    if (job_) {
      job_->hold_back(r.where);
      m->memory = {job_->pressure(), dist::back_pressure::what::kept, m->arguments.bytes.size()};
    }
  }
  thread_state& t = here();
  if (t.observer) [[unlikely]] {
    // What it waits for is not followed up: it, and who waits for it, may know all.
    if (body.is_run) t.observer->spawned(&r, t), t.observer->follows(&r, {.task = m.get()});
    else t.observer->reused(&r);
  }
  sched::count_spawned(t);
  m->expect(body.objects + 1);
  if (!m->elements.empty()) post_far(m);
  m->send_near(near);
  m->ended(body.objects, {});
}

void mobile_objects::post_far(const std::shared_ptr<multicast_under_way>& m) {
  std::vector<std::pair<std::uint64_t, failure_ref>> lost;
  std::vector<run_of_letters> open;
  for (std::uint64_t position = 0; position < m->elements.size(); ++position) {
    auto& element = m->elements[position];
    const object_id id = m->object(element);
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    entry& e = s.all[id];
    if (e.lost) {
      lost.emplace_back(element.index, e.lost);
      continue;
    }
    element.number = e.sent++;
    element.is = multicast_under_way::element::open;
    open.push_back({.index = element.index, .position = position, .number = element.number, .answered = e.answered});
    ++e.unanswered;
    ++s.counted.far;
  }
  if (!open.empty()) sched::count_spawned(here());
  multicasts_.add(m);  // before it is decided where they go: who hears of a loss meanwhile sends them again
  send_first(m, open);
  for (auto& [index, cause] : lost) m->ended(index, std::move(cause));
}

void mobile_objects::send_first(const std::shared_ptr<multicast_under_way>& m, const std::vector<run_of_letters>& each) {
  std::vector<letters_for> parts;
  std::vector<std::uint32_t> part_of(nodes(), ~std::uint32_t{0});
  far_letter one;
  one.kind = static_cast<std::uint64_t>(m->kind);
  one.from = self_;
  const bool is_small = !job_ || !job_->may_be_refused(m->arguments.bytes.size() + most_runs * letters_to_many::run_bytes + 1024);
  for (run_of_letters letter : each) {
    const auto& element = m->elements[letter.position];
    one.object = m->object(element);
    decision d;
    {
      shard& s = shard_of(one.object);
      const std::scoped_lock lock(s.lock);
      d = decide(s.find(one.object), one);
    }
    if (d.what != decision::pass_on || d.way.is_pinned) {
      deliver(std::make_unique<far_letter>(*m->letter(element)));
    } else if (!is_small) {
      pass_on(d.to, m->letter(element), d.way, dist::job::counting::itself);
    } else {
      letter.epoch = d.way.epoch;
      std::uint32_t& part = part_of[d.to];
      if (part == ~std::uint32_t{0} || parts[part].runs.size() == most_runs) {
        part = static_cast<std::uint32_t>(parts.size());
        parts.push_back({d.to, {}});
      }
      auto& runs = parts[part].runs;
      if (runs.empty() || !runs.back().take(letter)) runs.push_back(letter);
    }
  }
  pass_down(letters_to_many(*m, m->arguments.bytes), parts, m);
}

/// To each its own, or to some of them those of others, too.
void mobile_objects::pass_down(const letters_to_many& all, std::span<const letters_for> parts, const std::shared_ptr<const void>& lent) {
  const bool is_direct = parts.size() <= fan_out || all.arguments.size() > most_passed_on;
  for (std::size_t left = is_direct ? parts.size() : fan_out; !parts.empty(); left = std::max<std::size_t>(left - 1, 1)) {
    std::size_t taken = (parts.size() + left - 1) / left;
    while (taken > 1 && runs_in(parts.first(taken)) > most_runs) --taken;
    const auto now = parts.first(taken);
    parts = parts.subspan(taken);
    dist::writer words;
    all.write_words(words, now, node_);
    ++said_;
    ++sent_to_many_;
    const auto kind = kinds_[static_cast<std::size_t>(say::letters)];
    if (lent && words.size() <= net::transport::most_head_bytes) {
      job_->send(now.front().node, kind, words, all.arguments, std::const_pointer_cast<void>(lent), dist::job::counting::itself);
    } else {
      words.put_bytes(all.arguments);
      job_->send(now.front().node, kind, std::move(words));
    }
  }
}

void mobile_objects::hear_letters(rank from, dist::reader& c) {
  const letters_to_many all(c, job_->node_of(from));
  if (!c.is_whole() || all.nodes.empty()) return;
  const std::span<const letters_for> others = std::span(all.nodes).subspan(1);
  if (!others.empty()) {
    // Who has sent them hears of those that vanish, as it does of any that this node has passed on.
    for (const letters_for& to : others) note_passed_on(to.node, all.from);
    if (std::ranges::any_of(others, [&](const letters_for& to) { return is_lost(to.node); }))
      tell(all.from, say::again, dist::writer(object_id{0}, all.from));
    pass_down(all, others, {});
  }
  const auto& runs = all.nodes.front().runs;
  const bool is_few = all.arguments.size() <= far_letter::most_few;
  std::shared_ptr<const std::byte> arguments;
  failure_ref no_room;
  if (!is_few) try {
    arguments = job_->keep(all.arguments);
  } catch (const std::bad_alloc&) {
    no_room = job_->no_room_for(kinds_[static_cast<std::size_t>(say::letters)], from, all.arguments.size());
  }
  gathering::share together(std::make_shared<gathering>(all.from, [](void* owner, rank to, dist::writer&& answers) {
    auto& objects = *static_cast<mobile_objects*>(owner);
    ++objects.said_;
    objects.job_->send(to, objects.kinds_[static_cast<std::size_t>(say::answers)], std::move(answers));
  }, this, dist::back_pressure::share(job_->pressure(), dist::back_pressure::what::came, no_room ? 0 : all.arguments.size())));
  const detail::letter_type* const type = all.function ? letter_type_at(all.function) : nullptr;
  thread_state& t = here();
  const sched::outside_of_finishes outside(t);
  for (const run_of_letters& r : runs)
    for (std::uint32_t i = 0; i < r.count; ++i) {
      auto l = all.letter(r, i);
      if (no_room) {
        refuse_letter(std::move(l), no_room);
        continue;
      }
      l->type = type;
      if (is_few) l->keep_few(all.arguments);
      else l->came = arguments, l->came_bytes = all.arguments.size();
      l->together = together.another();
      ++l->way.hops;
      if (begins_at_once(*l)) begin_far(*l.release(), t);
      else deliver(std::move(l));
    }
  together.end();
}

/// As most do: the object is here, and nobody has it.
bool mobile_objects::begins_at_once(far_letter& l) {
  shard& s = shard_of(l.object);
  const std::scoped_lock lock(s.lock);
  entry* const e = s.find(l.object);
  if (!e || !e->here || is_lost(l.from)) return false;
  resident& o = *e->here;
  correspondent& by = o.of(l.from);
  if (by.next != l.number || !by.held.empty() || !o.begin_at_once(l)) return false;
  ++by.next;
  by.forget_below(l.answered);
  l.at = &o;
  s.counted.most_hops = std::max<std::uint64_t>(s.counted.most_hops, l.way.hops);
  return true;
}

void mobile_objects::answer(far_letter& l, outcome what, const failure_ref& cause, detail::parcel&& value, bool is_for_good) {
  if (!l.together || !value.along.empty() || value.bytes.size() > most_together) {
    answer(l.from, what, l.request, cause, std::move(value), is_for_good);
  } else {
    using dist::reply;
    dist::writer w(l.request, what, cause ? is_for_good ? reply::failure_for_good : reply::failure : reply::value);
    if (cause) causes_->write(w, *cause.get());
    else w.put(static_cast<std::uint32_t>(value.bytes.size()));
    l.together.add(w.all(), value.bytes);
  }
  l.together.end();
}

void mobile_objects::hear_answers(rank from, dist::reader& c) {
  while (c.left() && c.is_whole()) {
    const auto request = c.get<std::uint64_t>();
    const auto what = c.get<outcome>();
    const auto is = c.get<dist::reply>();
    failure_ref cause = dist::is_failure(is) ? causes_->read(c, from) : failure_ref();
    const auto value = cause ? std::span<const std::byte>() : c.get_bytes(c.get<std::uint32_t>());
    if (c.is_whole()) take(what, request, from, std::move(cause), value, is == dist::reply::failure_for_good);
  }
}

std::vector<std::shared_ptr<const far_letter>> mobile_objects::unanswered(object_id of) {
  auto all = requests_.unanswered(of);
  multicasts_.add_unanswered(of, all);
  return all;
}

}  // namespace stretto::mobiles
