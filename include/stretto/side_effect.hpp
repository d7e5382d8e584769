// side_effect.hpp - orders host tasks on buffers that change other things: a file, a connection, a library's state, a
// variable.
//
//     void log_energies(const buffer<double>& energy, int steps, std::FILE* file) {
//       side_effect log("log");  // on every node, at the same point of the program
//       for (int s = 0; s < steps; ++s) {
//         host_task(affects(log), on_one_node, [=](view<const double> e) { std::fprintf(file, "%g\n", e(0)); },
//                   energy.in(all));
//       }
//       const long written = fence(log, [=] { return std::ftell(file); }).get();  // after all of these tasks
//       std::printf("%ld bytes\n", written);
//     }
//
// Host tasks that affect a side effect run one after another on each node, in program order. Tasks that only use it run
// between these, in any order and at the same time. Nodes do not wait for one another.
//
// Threads     handles, copied as values. One task at a time makes them, as buffers.
// Memory      a host task sees the writes of the tasks before it, on its node, that affect the same side effect.
// Cost        of a task: a step for each of its side effects. Horizons bound the memory for their history.
// Value       fence(effect, f) of host_task.hpp returns f() after all tasks that affect it.
// Source      Celerity's side effects on host objects. Ours also have tasks that only use one, and hold no value.
#pragma once

#include <stretto/compiler.hpp>

#include <concepts>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

STRETTO_API_BEGIN

namespace stretto {

namespace buffers {
struct side_effect_record;
}

/// A handle that stands for something other than buffers that host tasks change. Tasks that affect the same one run in
/// program order on each node.
class side_effect {
 public:
  /// An empty handle; host_task throws B26 for it.
  side_effect() noexcept = default;
  /// A side effect with this name in graphs and errors. Throws B20 on a thread of no runtime.
  explicit side_effect(std::string_view name);

  /// Whether the handle names a side effect.
  explicit operator bool() const noexcept { return handle_ != nullptr; }
  friend bool operator==(const side_effect&, const side_effect&) = default;
  /// The untyped handle, for Stretto itself.
  const std::shared_ptr<const buffers::side_effect_record>& handle() const noexcept { return handle_; }

 private:
  std::shared_ptr<const buffers::side_effect_record> handle_;
};

namespace detail {

struct used_side_effect {
  side_effect which;
  bool is_affected = true;
};
struct side_effects_tag {
  std::vector<used_side_effect> all;
};

}  // namespace detail

/// The tag `affects(a, b, ...)` of a host task: on each node, the task runs after all earlier tasks that name one of
/// these side effects, and before all later ones. Its pieces (in_pieces) also run one after another. Throws
/// std::bad_alloc only.
template <std::same_as<side_effect>... More>
detail::side_effects_tag affects(const side_effect& first, const More&... more) {
  return {{{first, true}, {more, true}...}};
}
/// The tag `uses(a, b, ...)` of a host task: on each node, the task runs after earlier tasks that affect one of these
/// side effects, and before later ones that do. Throws std::bad_alloc only.
template <std::same_as<side_effect>... More>
detail::side_effects_tag uses(const side_effect& first, const More&... more) {
  return {{{first, false}, {more, false}...}};
}

}  // namespace stretto

STRETTO_API_END
