// side_effect.hpp - what host tasks on buffers change beside buffers: a file, a connection, a library's state, a
// variable of the program.
//
//     side_effect log("log");                           // on every node, in the same place of the program
//     for (int s = 0; s < steps; ++s) {
//       launch(step, ...);
//       host_task(affects(log), on_one_node, [&](view<const double> e) { file << e(0) << '\n'; }, energy.in(all));
//     }
//
// Host tasks that name it come one after the other on each node, in the order of the program, as if they wrote an
// element that nobody else sees; those that only use it, between the ones that affect it, in any order and side by
// side. Nodes do not wait for one another.
//
// Threads     handles, copied as values. Made like buffers, by one task at a time.
// Memory      a host task that affects it sees what the ones before wrote on its node.
// Cost        a number; of a task, a step for each that is in use. Horizons bound what is remembered.
// Value       fence(effect, f) of host_task.hpp gives what f() finds behind all that affects it.
// Source      Celerity's side effects on host objects; ours have tasks that only use one, and no value: the function
//             owns that.
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

/// Something beside buffers that host tasks change. Tasks that affect the same one run in the program's order.
class side_effect {
 public:
  /// Names nothing; using it is B26.
  side_effect() noexcept = default;
  /// Shown by this name in graphs and errors.
  explicit side_effect(std::string_view name);

  explicit operator bool() const noexcept { return handle_ != nullptr; }
  friend bool operator==(const side_effect&, const side_effect&) = default;
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

/// Tags of a host task. It affects these: on a node it runs behind all earlier tasks that name one of them, and before
/// all later ones. Its pieces (in_pieces), too, come one after the other.
template <std::same_as<side_effect>... More>
detail::side_effects_tag affects(const side_effect& first, const More&... more) {
  return {{{first, true}, {more, true}...}};
}
/// It uses these: it runs behind earlier tasks that affect one of them, and before later ones that do.
template <std::same_as<side_effect>... More>
detail::side_effects_tag uses(const side_effect& first, const More&... more) {
  return {{{first, false}, {more, false}...}};
}

}  // namespace stretto

STRETTO_API_END
