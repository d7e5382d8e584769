#include "buffers/usable.hpp"

#include <stretto/error.hpp>

#include "buffers/weights.hpp"

namespace stretto::buffers {

buffer_record& usable(const detail::buffer_handle& h, const char* verb, const base::thread_context& context, const std::source_location& where) {
  if (h && h->state->runtime == context.runtime) return *h;
  throw error("B07", std::string(verb) + (h ? " was given a buffer of another runtime" : " was given a buffer that names nothing"))
      .fact("submitted", where)
      .because(h ? "a buffer lives no longer than the runtime in which it was made"
                 : "it was made without elements, or its content has gone to another by std::move")
      .remedy("make it inside the runtime that uses it: buffer<float> u(box(0, 100))");
}

void go_on(buffers_state& s, event ahead, const std::source_location& where) {
  if (!ahead.has_triggered()) wait(ignore_failure(ahead, where), where);
  exchange_weights(s, where);
}

}  // namespace stretto::buffers
