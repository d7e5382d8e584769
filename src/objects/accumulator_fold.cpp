#include "objects/accumulator_fold.hpp"

#include <stretto/copy.hpp>
#include <stretto/launch.hpp>

#include <algorithm>
#include <array>
#include <iterator>

#include "data/fold_kernels.hpp"
#include "objects/storage.hpp"
#include "objects/task_lifecycle.hpp"
#include "sched/scope_counting.hpp"

namespace stretto::objects {

namespace {

/// Folds `from` into `to`; both instances lie in one memory.
event fold_here(const object_record& o, const box& where, detail::instance_handle from, detail::instance_handle to,
                std::uint32_t reduction, const preconditions& behind, base::thread_context& context) {
  // The fold does not count in the finish of the task that caused it.
  const sched::outside_of_finishes here(static_cast<sched::thread_state&>(context));
  detail::task_request request;
  request.after = behind.dependencies;
  request.after_events = behind.events;
  const std::array items{detail::launch_item{.array = from, .part = nullptr},
                         detail::launch_item{.array = to, .part = nullptr}};
  return detail::launch_kernel(data::fold_kernel(reduction), {where, o.created}, items, request);
}

/// The two halves along the longest axis.
std::array<box, 2> halved(const box& b) {
  int longest = 0;
  for (int a = 1; a < max_axes; ++a)
    if (b.max()[a] - b.min()[a] > b.max()[longest] - b.min()[longest]) longest = a;
  point middle_min = b.min(), middle_max = b.max();
  middle_min[longest] = middle_max[longest] = (b.min()[longest] + b.max()[longest]) / 2;
  return {box::between(b.min(), middle_max), box::between(middle_min, b.max())};
}

/// Halves each piece; the largest piece comes first.
void halve(std::vector<box>& pieces) {
  std::vector<box> halves;
  for (const box& b : pieces)
    std::ranges::copy_if(halved(b), std::back_inserter(halves), [](const box& h) { return !h.is_empty(); });
  pieces = std::move(halves);
  std::ranges::sort(pieces, std::ranges::greater(), &box::volume);
}

/// The largest piece in the host buffer. The buffer holds two pieces and does not lie in the memory of objects.
constexpr std::uint64_t most_host_buffer_bytes = 64 << 10;

/// Memory for two pieces, freed when the last copy out of it has ended.
struct host_buffer final : signal {
  host_buffer(objects_state& s, std::uint64_t bytes) : signal(s, ended), bytes(bytes) {}
  static void ended(signal& self, failure_ref, base::thread_context&) { delete static_cast<host_buffer*>(&self); }
  std::vector<std::byte> bytes;
};

/// Copies accumulator and replica to the host buffer piece by piece, folds there and copies the result back.
event fold_in_host_buffer(object_record& o, const data::replica_set::fold& f, const preconditions& behind,
                          base::thread_context& context) {
  std::vector<box> pieces{f.where};
  while (pieces.front().volume() > 1 && pieces.front().volume() * o.element_bytes > most_host_buffer_bytes)
    halve(pieces);
  const std::uint64_t bytes = pieces.front().volume() * o.element_bytes;
  auto memory = std::make_unique<host_buffer>(*o.state, 2 * bytes);
  event back;
  for (const box& piece : pieces) {
    const detail::instance_handle from = external_instance(o, piece, memory->bytes.data(), o.created);
    const detail::instance_handle to = external_instance(o, piece, memory->bytes.data() + bytes, o.created);
    const auto once_free = after(back);
    const preconditions may_come = back == event() ? behind : preconditions(once_free);
    const event there =
        merge(detail::copy_boxes(from, o.storage[f.from].instance, {&piece, 1}, {}, may_come, o.created),
              detail::copy_boxes(to, o.storage[f.to].instance, {&piece, 1}, {}, may_come, o.created));
    const event folded = fold_here(o, piece, from, to, f.reduction, after(there), context);
    back = detail::copy_boxes(o.storage[f.to].instance, to, {&piece, 1}, {}, after(folded), o.created);
    detail::destroy_instance(from, after(folded), o.created);
    detail::destroy_instance(to, after(back), o.created);
  }
  post_when_ended(back, *memory.release(), context);
  return back;
}

/// Copies an accumulator of another memory to this one, in pieces if little memory is free, and folds each piece.
event fold_from_elsewhere(object_record& o, const data::replica_set::fold& f, const preconditions& behind,
                          base::thread_context& context) {
  execution_place& at = o.state->at(o.replicas.about(f.to).memory);
  std::vector<box> pieces{f.where};
  detail::instance_handle here;
  // If the first (largest) piece fits, all fit.
  while (here = try_allocate(o, pieces.front(), at), !here.record) {
    if (pieces.front().volume() == 1) return fold_in_host_buffer(o, f, behind, context);
    halve(pieces);
  }
  std::vector<event> folded;
  for (const box& piece : pieces) {
    // Only the first piece is allocated at once; each of the others waits for the memory of the one before.
    if (!folded.empty()) here = create(request_for(o, piece, at), o.created);
    const event there = detail::copy_boxes(here, o.storage[f.from].instance, {&piece, 1}, {}, behind, o.created);
    folded.push_back(fold_here(o, piece, here, o.storage[f.to].instance, f.reduction, after(there), context));
    release(o, here, piece, at, after(folded.back()), context);
    at.brought_bytes += piece.volume() * o.element_bytes;
  }
  return folded.size() == 1 ? folded.front() : merge(folded, o.created);
}

}  // namespace

event fold(object_record& o, const data::replica_set::fold& f, const preconditions& behind,
           base::thread_context& context) {
  if (o.replicas.about(f.from).memory != o.replicas.about(f.to).memory)
    return fold_from_elsewhere(o, f, behind, context);
  return fold_here(o, f.where, o.storage[f.from].instance, o.storage[f.to].instance, f.reduction, behind, context);
}

}  // namespace stretto::objects
