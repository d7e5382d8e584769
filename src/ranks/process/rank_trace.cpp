#include "ranks/process/rank_trace.hpp"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "ranks/messages/request.hpp"
#include "ranks/thread_identity.hpp"
#include "sched/task_spans.hpp"
#include "trace/deferred_line.hpp"

namespace stretto::ranks {
namespace {

/// Where the code of a call is in its file, and what is there: the same in all copies of a program.
using code_key = std::pair<std::uintptr_t, std::array<char, 16>>;

code_key key_of(const void* return_address) {
  code_key key;
  Dl_info found{};
  const link_map* map = nullptr;
  if (!::dladdr1(return_address, &found, const_cast<void**>(reinterpret_cast<const void**>(&map)), RTLD_DL_LINKMAP))
    return key;
  key.first = reinterpret_cast<std::uintptr_t>(return_address) - map->l_addr;
  std::memcpy(key.second.data(), static_cast<const char*>(return_address) - key.second.size(), key.second.size());
  return key;
}

/// The address of that code in the copy that was the first to call it: its line is found once.
const void* first_copy_of(const void* return_address) {
  static std::mutex lock;
  static std::map<code_key, const void*> known;
  const std::scoped_lock one_at_a_time(lock);
  return known.try_emplace(key_of(return_address), return_address).first->second;
}

std::uint16_t place_of(const sched::thread_state& on) {
  return on.as_worker ? on.as_worker->paths.pop->front() : trace::no_place;
}

}  // namespace

rank_trace* rank_trace::of_thread() {
  if (!sched::this_thread() && identity_of_thread()) context_of_thread();  // joins the runtime
  const auto* const here = sched::this_thread();
  return here ? static_cast<rank_trace*>(sched::own_track_of(here->companion, here->current)) : nullptr;
}

rank_trace::rank_trace(const traced_rank& of, trace::recorder& into)
    : state_(of.state), blocked_call_(of.blocked_call), into_(into), ring_(into.add_ring(of.name)) {
  is_recording_.store(true, std::memory_order_relaxed);
}

void rank_trace::begin() {
  record_span(*sched::this_thread(), trace::clock::now(), into_.names().intern("until main"));
}

const std::string& rank_trace::line_of(const void* return_address) {
  const auto [at, is_new] = lines_.try_emplace(return_address);
  if (is_new && return_address) at->second = trace::deferred_line(first_copy_of(return_address));
  return at->second;
}

trace::name_id rank_trace::name_of(const call_record* call, std::string_view before) {
  std::string name(before);
  if (!call) return into_.names().intern(name += "a wait outside of MPI");
  name += call->name;
  call_text text;
  if (call->details.describe) call->details.describe(call->details.arguments, state_, text);
  if (!text.arguments.empty()) name += "(" + text.arguments + ")";
  return into_.names().intern(name, line_of(own_return_address(*call)), 0);
}

trace::name_id rank_trace::name_of_call() { return name_of(innermost_call, {}); }

void rank_trace::add(const trace::record& r) noexcept {
  const std::scoped_lock lock(pushing_);
  ring_.push(r);
}

void rank_trace::record_span(sched::thread_state& on, trace::ticks until, trace::name_id name) {
  last_ = sched::new_id(on);
  add({.start = on.span_start,
       .end = until,
       .id = last_,
       .cause = std::exchange(cause_, 0),
       .name = name,
       .place = place_of(on),
       .kind = trace::kind::task});
  on.current_id = last_;
  on.span_start = until;
}

std::uint64_t rank_trace::end_span() {
  const trace::ticks until = trace::clock::now();
  ended_by_ = innermost_call ? innermost_call->name : nullptr;
  record_span(*sched::this_thread(), until, name_of(innermost_call, "until "));
  return last_;
}

void rank_trace::end() {
  sched::thread_state& here = *sched::this_thread();
  record_span(here, trace::clock::now(), into_.names().intern("until the end"));
  here.span_start = 0;
}

void rank_trace::record_access(std::int64_t bytes) {
  sched::thread_state& on = *sched::this_thread();
  const trace::ticks start = on.span_start, end = trace::clock::now();
  last_ = on.current_id = sched::new_id(on);
  add({.start = start,
       .end = end,
       .id = last_,
       .cause = std::exchange(cause_, 0),
       .amount = static_cast<std::uint64_t>(bytes),
       .name = name_of_call(),
       .place = place_of(on),
       .kind = trace::kind::copy});
  ended_by_ = nullptr;
  on.span_start = trace::clock::now();
}

void rank_trace::ran(sched::thread_state& on, trace::ticks since) noexcept {
  // The call of a suspended task has left the thread with it; that of a blocked thread stays.
  const call_record* const call = innermost_call ? innermost_call : blocked_call_.load(std::memory_order_relaxed);
  // A call that has ended a span, as by a receive, and then waits has waited since.
  const bool is_one_call = ended_by_ && call && call->name == ended_by_;
  if (!is_one_call) record_span(on, since, name_of(call, "until "));
  wait_start_ = on.span_start;
  wait_name_ = name_of(call, {});
  ended_by_ = nullptr;
}

void rank_trace::waited(sched::thread_state& on, std::uint64_t made_ready_by) noexcept {
  cause_ = made_ready_by;
  add({.start = wait_start_,
       .end = trace::clock::now(),
       .cause = cause_,
       .name = wait_name_,
       .place = place_of(on),
       .kind = trace::kind::wait});
  on.current_id = last_;
}

}  // namespace stretto::ranks
