#include "dist/remote_queues.hpp"

#include <stretto/completion_queue.hpp>
#include <stretto/remote.hpp>

#include <array>
#include <vector>

namespace stretto::dist {
namespace {

void add_here(const completion_queue& to, event e) { to.add(e); }
std::vector<event> pop_here(const completion_queue& from, std::uint64_t at_most) {
  std::vector<event> ended;
  for (const completion_queue::entry& one : from.pop(at_most)) ended.push_back(one.which);
  return ended;
}
event nonempty_here(const completion_queue& of) { return of.nonempty(); }
std::array<std::uint64_t, 2> size_here(const completion_queue& of) {
  const auto [ended, pending] = of.size();
  return {ended, pending};
}
void destroy_here(const completion_queue& that) { that.destroy(); }

}  // namespace

template <auto f, class... A>
auto remote_queues::done_at(std::uint16_t node, const std::source_location& where, const A&... arguments) {
  return async(at_node(*job_.rank_of(node)), name("completion queue"), call<f>(arguments...), where).get(where);
}

void remote_queues::add(std::uint16_t node, const completion_queue& to, event e, const std::source_location& where) {
  done_at<&add_here>(node, where, to, e);
}

std::vector<event> remote_queues::pop(std::uint16_t node, const completion_queue& from, std::size_t at_most,
                                      const std::source_location& where) {
  std::vector<event> ended = done_at<&pop_here>(node, where, from, std::uint64_t{at_most});
  wait(ignore_failure(merge(ended, where), where), where);  // they have ended; wait until this node knows
  return ended;
}

event remote_queues::nonempty(std::uint16_t node, const completion_queue& of, const std::source_location& where) {
  return done_at<&nonempty_here>(node, where, of);
}

std::pair<std::size_t, std::size_t> remote_queues::size(std::uint16_t node, const completion_queue& of,
                                                        const std::source_location& where) {
  const auto [ended, pending] = done_at<&size_here>(node, where, of);
  return {ended, pending};
}

void remote_queues::destroy(std::uint16_t node, const completion_queue& that, const std::source_location& where) {
  done_at<&destroy_here>(node, where, that);
}

}  // namespace stretto::dist
