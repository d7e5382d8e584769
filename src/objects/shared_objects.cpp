#include "objects/shared_objects.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "base/node_numbers.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "objects/asking.hpp"
#include "objects/running.hpp"
#include "objects/travelling.hpp"

namespace stretto::objects {

namespace {

/// Nothing is on its way to that part, or reads it: what is written there now waits for nothing.
bool is_free(object_record& o, const box& part, base::thread_context& context) {
  if (o.unissued > 0) return false;
  std::vector<data::token> tokens;
  for (data::memory_number m = 0; m < o.state->memories(); ++m)
    for (const auto& r : o.replicas.replicas(m)) o.replicas.waits_of(r.id, part, data::out_use, tokens);
  return std::ranges::all_of(tokens, [&](data::token t) {
    const dependency d(event::from_raw(t));
    return !t || detail::has_ended(d, context);
  });
}

bool has_passed(event e, base::thread_context& context) {
  return e == event() || (detail::has_ended(dependency(e), context) && !detail::cause_of(dependency(e), context));
}

event submit_for(task_pointer t, event gate, const std::source_location& where, base::thread_context& context) {
  t->where = where;
  const event done = t->done = detail::make_event(context, where);
  submit(t.release(), gate == event() ? std::span<const event>() : std::span(&gate, 1), {}, context);
  return done;
}

std::uint32_t site_of(object_record& o, const box& part, const coming& what) {
  const site& at = main_site(o, part);
  if (o.valid_for(at, part) > 0) return at.view.index;
  return site_for(*o.state, what.backend, what.index, part.volume() * o.element_bytes);
}

/// Lent as soon as it can be; whoever wants it then finds it so, or waits.
class lent_part final : public data::enclosed_array {
 public:
  void lend(const box&, const std::source_location&, lent then, base::thread_context& context) override {
    {
      const std::scoped_lock lock(lock_);
      if (!is_there_) {
        then_ = std::move(then);
        return;
      }
    }
    then(in_, std::move(lease_), cause_, context);
  }
  void is_lent(const detail::instance_handle& in, std::shared_ptr<const void> lease, const failure_ref& cause,
               base::thread_context& context) {
    lent then;
    {
      const std::scoped_lock lock(lock_);
      is_there_ = true;
      if (!then_) {
        in_ = in, lease_ = std::move(lease), cause_ = cause;
        return;
      }
      then = std::move(then_);
    }
    then(in, std::move(lease), cause, context);
  }

 private:
  std::mutex lock_;  // guards what follows
  lent then_;
  bool is_there_ = false;
  detail::instance_handle in_;
  std::shared_ptr<const void> lease_;
  failure_ref cause_;
};

/// Why there is nothing to lend.
class refused_part final : public data::enclosed_array {
 public:
  explicit refused_part(failure_ref why) noexcept : why_(std::move(why)) {}
  void lend(const box&, const std::source_location&, lent then, base::thread_context& context) override { then({}, {}, why_, context); }

 private:
  const failure_ref why_;
};

}  // namespace

event bring(object_record& to, const box& part, const coming& what, event gate, const std::source_location& where,
            base::thread_context& context) {
  objects_state& s = *to.state;
  const inside in(s, context);
  errand fetch{.is = errand::kind::fetch, .from = what.from, .site = site_of(to, part, what)};
  if (has_passed(gate, context) && is_free(to, part, context))
    return submit_for(new_errand(s, std::move(fetch), to, part, access::out), event(), where, context);
  const detail::object_handle beside =
      detail::make_object({part, to.dimensions, to.element_bytes, to.alignment, to.name, nullptr}, where);
  submit(new_errand(s, std::move(fetch), *beside.get(), part, access::out).release(), {}, {}, context);
  task_pointer t = new_errand(s, {.is = errand::kind::copy}, *beside.get(), part, access::in);
  t->uses.push_back({used_object(to), part, usage_of(access::out)});
  return submit_for(std::move(t), gate, where, context);
}

event bring(object_record& to, const box& part, std::vector<std::byte>&& bytes, event gate, const std::source_location& where,
            base::thread_context& context) {
  const inside in(*to.state, context);
  errand store{.is = errand::kind::store, .bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
  return submit_for(new_errand(*to.state, std::move(store), to, part, access::out), gate, where, context);
}

std::shared_ptr<data::enclosed_array> lend_now(object_record& o, const box& part, const std::source_location& where,
                                               base::thread_context& context) {
  const auto made = std::make_shared<lent_part>();
  const inside in(*o.state, context);
  task_pointer t = new_errand(*o.state,
                              {.is = errand::kind::lend,
                               .lent = [to = std::weak_ptr(made)](const detail::instance_handle& in, std::shared_ptr<const void> lease,
                                                                  const failure_ref& cause, base::thread_context& on) {
                                 if (const auto here = to.lock()) here->is_lent(in, std::move(lease), cause, on);
                               }},
                              o, part, access::in);
  t->where = where;
  submit(t.release(), {}, {}, context);
  return made;
}

std::shared_ptr<data::enclosed_array> shared_objects::lend(std::uint64_t shared, const box& part, const std::source_location& where,
                                                           base::thread_context& context) {
  try {
    const detail::object_handle h = use(shared, where);
    end_use(shared);
    require_inside(*h.get(), part, "get", where);
    return lend_now(*h.get(), part, where, context);
  } catch (...) {
    return std::make_shared<refused_part>(detail::make_failure(std::current_exception(), "get", where));
  }
}

data::shared_arrays::placed shared_objects::place(std::span<const std::byte> what, event gate, const std::source_location& where,
                                                  base::thread_context& context) {
  field_reader in(what);
  verb is{};
  std::uint64_t number = 0;
  in(is);
  if (is == verb::buffer || is == verb::buffer_bytes) return buffers.place(in, is == verb::buffer_bytes, gate, where, context);
  in(number);
  if (is == verb::unshare) return end(number, where), placed{gate};
  const detail::object_handle h = use(number, where);
  const std::shared_ptr<const void> kept(this, [all = shared_from_this(), number](const void*) { all->end_use(number); });
  box part;
  in(part);
  require_inside(*h.get(), part, "put", where);
  if (is == verb::put_bytes) {
    const std::uint64_t size = part.volume() * h.get()->element_bytes;
    in.expect(size, 1);
    std::vector<std::byte> bytes(size);
    if (size) in.bytes(bytes.data(), size);
    return {bring(*h.get(), part, std::move(bytes), gate, where, context), kept};
  }
  data::enclosure_name name;
  point shift;
  std::string backend;
  std::uint32_t index = 0;
  in(name.node, name.number, shift, backend, index);
  const auto from = std::make_shared<incoming>(state_, *data::enclosures_of(context), name, 1, shift);
  return {bring(*h.get(), part, {from, backend, index}, gate, where, context), kept};
}

void shared_objects::refuse(const std::source_location& where) const {
  throw error("G07", "no object of node " + base::node_name(state_.runtime.load()->node) + " is shared under this name")
      .fact("submitted", where)
      .because("a name is given by share, and ended by unshare")
      .remedy("end a name when all have said that they need it no more: unshare it after the futures of what uses it");
}

std::uint64_t shared_objects::add(const detail::object_handle& h) {
  const std::scoped_lock lock(lock_);
  all_.emplace(++last_, entry{h});
  return last_;
}

detail::object_handle shared_objects::find(std::uint64_t number, const std::source_location& where) const {
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(number);
  if (found == all_.end()) refuse(where);
  return found->second.is;
}

detail::object_handle shared_objects::use(std::uint64_t number, const std::source_location& where) {
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(number);
  if (found == all_.end() || found->second.is_over) refuse(where);
  ++found->second.uses;
  return found->second.is;
}

void shared_objects::end_use(std::uint64_t number) noexcept {
  detail::object_handle last;
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(number);
  if (found == all_.end() || --found->second.uses > 0 || !found->second.is_over) return;
  std::swap(last, found->second.is);
  all_.erase(found);
}

void shared_objects::end(std::uint64_t number, const std::source_location& where) {
  detail::object_handle last;
  const std::scoped_lock lock(lock_);
  const auto found = all_.find(number);
  if (found == all_.end() || std::exchange(found->second.is_over, true)) refuse(where);
  if (found->second.uses > 0) return;
  std::swap(last, found->second.is);
  all_.erase(found);
}

void shared_objects::clear() noexcept {
  std::unordered_map<std::uint64_t, entry> gone;
  const std::scoped_lock lock(lock_);
  gone.swap(all_);
}

}  // namespace stretto::objects
