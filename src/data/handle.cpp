#include "data/handle.hpp"

#include <stretto/error.hpp>

#include "base/node_numbers.hpp"

namespace stretto::data {

detail::instance_record& usable(const detail::instance_handle& h, const char* verb, base::thread_context& context,
                                const std::source_location& where) {
  if (!h.record)
    throw error("D13", std::string(verb) + " was given an instance handle that is empty")
        .fact("submitted", where)
        .remedy("create the instance first: a default-constructed handle is empty");
  if (h.key >> 48 != context.runtime->node)
    throw error("D13", std::string(verb) + " was given an instance of another runtime")
        .fact("submitted", where)
        .fact("owner", base::node_name(static_cast<std::uint16_t>(h.key >> 48)))
        .fact("called on", base::node_name(context.runtime->node));
  if (h.record->live.load(std::memory_order_acquire) == h.key) [[likely]]
    return *h.record;
  refuse_destroyed(h, verb, where);
}

void refuse_destroyed(const detail::instance_handle& h, const char* verb, const std::source_location& where) {
  // The record may be reused by another instance; then nothing is known of this one.
  const bool is_own = h.record->key.load(std::memory_order_acquire) == 0;
  error e("D01", (is_own ? detail::describe(*h.record) : "an instance") + " was destroyed before this " + verb);
  e.fact("submitted", where);
  if (is_own) e.fact("destroyed", h.record->destroyed);
  throw std::move(e)
      .because("the destruction did not wait for it")
      .remedy("destroy the instance after everything that uses it: x.destroy(after(event))");
}

void refuse_outside(const char* verb, const box& part, const detail::instance_record& r,
                    const std::source_location& where) {
  throw error("D06", std::string(verb) + " uses elements outside of " + detail::describe(r))
      .fact("submitted", where)
      .fact("box", part.text())
      .fact("instance", r.shape.box.text());
}

}  // namespace stretto::data
