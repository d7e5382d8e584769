// Objects arrive: what comes is read, by a task where parts of it have to be waited for, and settles.
#include <stretto/error.hpp>

#include <new>

#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "mobile/mobile_objects.hpp"
#include "sched/counted_task.hpp"

namespace stretto::mobiles {

using sched::thread_state;

failure_ref mobile_objects::settle_in(object_id id, entry& e, std::unique_ptr<resident> o, errands& out) {
  e.here = std::move(o);
  ++shard_of(id).counted.objects;
  join_others(*e.here);
  // They would wait for answers that this node cannot give.
  for (const auto& [sender, by] : e.here->others())
    if (is_lost(sender)) out.tell.push_back({home_of(id), say::again, dist::writer(id, sender)});
  failure_ref was_lost = std::exchange(e.lost, {});
  if (was_lost) {  // for this node, some of whose letters it has not had, and will not
    correspondent& own = e.here->own();
    own.drop_held();
    own.next = e.sent;
  }
  release_parked(e, out);
  return was_lost;
}

/// One that is being read.
struct mobile_objects::coming_object {
  coming_object(rank r, const object_head& h) : from(r), head(h) {}
  coming_object(const coming_object&) = delete;
  ~coming_object() {
    if (!what) return;
    if (what->object) what->type->destroy(what->object);
    what->drop_letters();
  }

  const rank from;
  const object_head head;
  std::unique_ptr<resident> what;
  dist::parts_ahead::parts parts;
  std::vector<std::uint64_t> behind;  // so many bytes comes each
  std::vector<std::byte> bytes;       // where there are parts
};

void mobile_objects::hear_object(rank from, dist::reader& c) {
  const std::uint64_t length = c.left();
  auto o = std::make_unique<coming_object>(from, object_head(c));
  const object_head& head = o->head;
  std::uint64_t apart = 0;
  if (head.parts) o->parts = parts_->take(from, head.parts);
  for (const auto& p : o->parts) apart += p.bytes();
  if (apart && !job_->has_room_for(length + apart)) {
    ++heard_;
    return refuse_object(from, head, job_->no_room_for(kinds_[static_cast<std::size_t>(say::object)], from, length + apart));
  }
  o->what = std::make_unique<resident>(head.id, mobile_type_at(head.type), head.name, head.epoch, self_);
  resident& is = *o->what;
  for (auto n = c.get<std::uint32_t>(); n && c.is_whole(); --n) o->behind.push_back(c.get<std::uint64_t>());
  is.load.workers.add(c.get<double>());
  is.load.devices.add(c.get<double>());
  is.load.hint = c.get<double>();
  const auto bytes = c.get_bytes(c.get<std::uint64_t>());
  is.load.bytes = bytes.size() + apart;
  for (auto n = c.get<std::uint32_t>(); n && c.is_whole(); --n) {
    correspondent& by = is.of(c.get<rank>());
    by.next = c.get<std::uint64_t>();
    for (auto stays = c.get<std::uint32_t>(); stays && c.is_whole(); --stays) {
      const auto end = c.get<std::uint64_t>();
      by.stays.push_back({end, c.get<rank>()});
    }
    for (auto refused = c.get<std::uint32_t>(); refused && c.is_whole(); --refused) {
      const auto number = c.get<std::uint64_t>();
      by.refused[number] = causes_->read(c, from);
    }
  }
  for (char mark = c.get<char>(); mark != '.' && c.is_whole(); mark = c.get<char>()) {
    if (mark == 's') {
      correspondent& by = is.of(c.get<rank>());
      by.held.try_emplace(c.get<std::uint64_t>(), nullptr);
      continue;
    }
    auto l = read_letter(c, job_->node_of(from));
    if (!l->object) continue;
    if (l->function) l->type = letter_type_at(l->function);
    if (mark == 'm') is.moves().push_back(l.release());
    else if (mark == 'w') is.waiting().push(*l.release());
    else if (correspondent& by = is.of(l->from); by.held.try_emplace(l->number, l.get()).second) l.release();
  }
  if (!head.parts) return read_object(std::move(o), bytes);
  // Its parts have to come, for which a task can wait. The node is not idle meanwhile.
  o->bytes.assign(bytes.begin(), bytes.end());
  thread_state& t = here();
  const sched::outside_of_finishes outside(t);
  sched::count_spawned(t);
  sched::spawn_counted(t, {.scope = t.owner->root, .where = {}, .name = head.name}, reading{this, o.release()});
}

void mobile_objects::reading::operator()() const {
  std::unique_ptr<coming_object> o(what);
  const std::span<const std::byte> bytes = o->bytes;
  all->read_object(std::move(o), bytes);
}

void mobile_objects::read_object(std::unique_ptr<coming_object> coming, std::span<const std::byte> bytes) {
  resident& o = *coming->what;
  const rank from = coming->from;
  const object_head& head = coming->head;
  failure_ref cause;
  bool has_room = true, has_come = true;
  try {
    if (!o.type)
      throw error("N13", "node " + job_->name_of(self_) + " does not know the type of an object that moves there")
          .because("the library that holds it is not loaded there, or is another one")
          .remedy("load the same libraries on every node before objects of theirs move");
    dist::parts_reader more(*job_, std::move(coming->parts), std::move(coming->behind), bytes);
    try {
      field_reader in(more.begin(), more);
      if (head.is_made) o.object = o.type->read(in);
    } catch (...) {
      has_come = !more.has_failed();
      throw;
    }
  } catch (const std::bad_alloc&) {
    has_room = !head.is_kept;
    cause = detail::make_failure(std::current_exception(), words_for(o.id, o.name), {});
  } catch (...) {
    cause = detail::make_failure(std::current_exception(), words_for(o.id, o.name), {});
  }
  if (has_come && !has_room) refuse_object(from, head, std::move(cause));
  else if (has_come) take_object(std::move(coming), std::move(cause));
  ++heard_;
}

void mobile_objects::take_object(std::unique_ptr<coming_object> coming, failure_ref cause) {
  const rank from = coming->from;
  const object_id id = coming->head.id;
  const std::uint32_t epoch = coming->head.epoch;
  if (coming->head.is_kept) tell(from, say::taken, dist::writer(id, epoch));
  data::acknowledge_message(from, coming->head.along, base::require_current("migrate"));
  errands out;
  failure_ref was_lost;
  {
    shard& s = shard_of(id);
    const std::scoped_lock lock(s.lock);
    // As if it had not come: others have been told, or are about to be, that it did not. Else it is here before they are.
    if (is_lost(from)) return;
    std::unique_ptr<resident> o = std::move(coming->what);
    entry& e = s.all[id];
    e.at = self_;
    e.epoch = epoch;
    e.was_sent = false;
    e.asked_about = nobody;
    if (e.name.empty()) e.name = o->name;
    if (cause) {
      e.lost = lost_by(id, o->name, *cause.get());
      empty(*o, e, e.lost, out);
      dist::writer w(id);
      causes_->write(w, *cause.get());
      if (home_of(id) != self_) out.tell.push_back({home_of(id), say::gone, std::move(w)});
    } else {
      ++s.counted.moved_in;
      was_lost = settle_in(id, e, std::move(o), out);
      if (!e.here->moves().empty()) end_move(*e.here, {}, out);
      out.tell.push_back({home_of(id), say::arrived, dist::writer(id, epoch)});
      advance(*e.here, out);
    }
  }
  if (was_lost) fail_unanswered(id, was_lost);
  run(out);
}

}  // namespace stretto::mobiles
