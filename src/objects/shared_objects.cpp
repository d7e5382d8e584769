#include "objects/shared_objects.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include "base/node_numbers.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "event/event_floor.hpp"
#include "objects/object_checks.hpp"
#include "objects/object_serialization.hpp"
#include "objects/task_lifecycle.hpp"

namespace stretto::objects {

namespace {

/// Whether no operation reads or writes that part, so that a write to it need not wait.
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

std::uint32_t execution_place_of(object_record& o, const box& part, const incoming_source& what) {
  const execution_place& at = main_execution_place(o, part);
  if (o.valid_for(at, part) > 0) return at.view.index;
  return execution_place_for(*o.state, what.backend, what.index, part.volume() * o.element_bytes);
}

/// Elements that are exported once. An importer that comes before they are exported waits.
class exported_part final : public data::attached_array {
 public:
  void export_elements(const box&, const std::source_location&, on_exported then,
                       base::thread_context& context) override {
    {
      const std::scoped_lock lock(lock_);
      if (!is_there_) {
        then_ = std::move(then);
        return;
      }
    }
    then(in_, std::move(lease_), cause_, context);
  }
  void set_exported(const detail::instance_handle& in, std::shared_ptr<const void> lease, const failure_ref& cause,
                    base::thread_context& context) {
    on_exported then;
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
  on_exported then_;
  bool is_there_ = false;
  detail::instance_handle in_;
  std::shared_ptr<const void> lease_;
  failure_ref cause_;
};

/// An export that has failed.
class refused_part final : public data::attached_array {
 public:
  explicit refused_part(failure_ref why) noexcept : why_(std::move(why)) {}
  void export_elements(const box&, const std::source_location&, on_exported then,
                       base::thread_context& context) override {
    then({}, {}, why_, context);
  }

 private:
  const failure_ref why_;
};

}  // namespace

event write_incoming(object_record& to, const box& part, const incoming_source& what, event gate,
                     const std::source_location& where, base::thread_context& context) {
  objects_state& s = *to.state;
  const objects_lock in(s, context);
  object_transfer fetch{
      .is = object_transfer::kind::fetch, .from = what.from, .place_index = execution_place_of(to, part, what)};
  if (has_passed(gate, context) && is_free(to, part, context))
    return submit_for(new_transfer(s, std::move(fetch), to, part, access::out), event(), where, context);
  const detail::object_handle buffered =
      detail::make_object({part, to.dimensions, to.element_bytes, to.alignment, to.name, nullptr}, where);
  submit(new_transfer(s, std::move(fetch), *buffered.get(), part, access::out).release(), {}, {}, context);
  task_pointer t = new_transfer(s, {.is = object_transfer::kind::copy}, *buffered.get(), part, access::in);
  t->uses.push_back({used_object(to), part, usage_of(access::out)});
  return submit_for(std::move(t), gate, where, context);
}

event write_incoming(object_record& to, const box& part, std::vector<std::byte>&& bytes, event gate,
                     const std::source_location& where, base::thread_context& context) {
  const objects_lock in(*to.state, context);
  object_transfer store{.is = object_transfer::kind::store,
                        .bytes = std::make_shared<const std::vector<std::byte>>(std::move(bytes))};
  return submit_for(new_transfer(*to.state, std::move(store), to, part, access::out), gate, where, context);
}

std::shared_ptr<data::attached_array> export_current(object_record& o, const box& part,
                                                     const std::source_location& where, base::thread_context& context) {
  const auto made = std::make_shared<exported_part>();
  const objects_lock in(*o.state, context);
  task_pointer t =
      new_transfer(*o.state,
                   {.is = object_transfer::kind::export_elements,
                    .on_exported =
                        [to = std::weak_ptr(made)](const detail::instance_handle& in, std::shared_ptr<const void> lease,
                                                   const failure_ref& cause, base::thread_context& on) {
                          if (const auto here = to.lock()) here->set_exported(in, std::move(lease), cause, on);
                        }},
                   o, part, access::in);
  t->where = where;
  submit(t.release(), {}, {}, context);
  return made;
}

std::shared_ptr<data::attached_array> shared_objects::export_elements(std::uint64_t shared, const box& part,
                                                                      const std::source_location& where,
                                                                      base::thread_context& context) {
  try {
    const detail::object_handle h = use(shared, where);
    end_use(shared);
    require_inside(*h.get(), part, "get", where);
    return export_current(*h.get(), part, where, context);
  } catch (...) {
    return std::make_shared<refused_part>(detail::make_failure(std::current_exception(), "get", where));
  }
}

data::shared_arrays::placed shared_objects::place(std::span<const std::byte> what, event gate,
                                                  const std::source_location& where, base::thread_context& context) {
  field_reader in(what);
  request_kind is{};
  std::uint64_t number = 0;
  in(is);
  if (is == request_kind::buffer || is == request_kind::buffer_bytes)
    return buffers.place(in, is == request_kind::buffer_bytes, gate, where, context);
  in(number);
  if (is == request_kind::unshare) return end(number, where), placed{gate};
  const detail::object_handle h = use(number, where);
  const std::shared_ptr<const void> kept(this,
                                         [all = shared_from_this(), number](const void*) { all->end_use(number); });
  box part;
  in(part);
  require_inside(*h.get(), part, "put", where);
  if (is == request_kind::put_bytes) {
    const std::uint64_t size = part.volume() * h.get()->element_bytes;
    in.expect(size, 1);
    std::vector<std::byte> bytes(size);
    if (size) in.bytes(bytes.data(), size);
    return {write_incoming(*h.get(), part, std::move(bytes), gate, where, context), kept};
  }
  data::attachment_name name;
  point shift;
  std::string backend;
  std::uint32_t index = 0;
  in(name.node, name.number, shift, backend, index);
  const auto from = std::make_shared<incoming_data>(state_, *data::attachments_of(context), name, 1, shift);
  return {write_incoming(*h.get(), part, {from, backend, index}, gate, where, context), kept};
}

void shared_objects::refuse(const std::source_location& where) const {
  throw error("G07", "a global pointer names no shared object of node " + base::node_name(state_.runtime.load()->node))
      .fact("submitted", where)
      .because("share creates a global pointer, and unshare ends it")
      .remedy("call unshare only after the futures of all operations that use the pointer");
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
