#include "buffers/file_tasks.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "buffers/call_signatures.hpp"
#include "buffers/launch_pipeline.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "files/atomic_replacement.hpp"

namespace stretto::buffers {

namespace fs = std::filesystem;
using detail::buffer_handle, detail::host_elements, detail::nodes_of_task;

namespace {

constexpr std::uint64_t long_work = std::uint64_t{256} << 20;  // from this size on progress is shown

/// A status buffer: an array of bytes through which nodes report progress or results to each other.
buffer_handle make_status_buffer(std::uint64_t bytes, const std::source_location& where) {
  return detail::make_buffer({box(0, static_cast<coordinate>(bytes)), 1, 1, 1, "file status", nullptr}, where);
}

struct use {
  const buffer_handle& of;
  access how;
  detail::range_mapper by = {.is = detail::range_mapper::kind::all};
};

event run_task(const char* name, nodes_of_task which, const box& range, const std::vector<use>& uses,
               detail::host_function f, event first, const std::source_location& where) {
  std::vector<detail::host_use_item> items;
  for (const use& u : uses) items.push_back({&u.of, &u.by, u.how});
  detail::host_task_request request;
  request.name = name;
  request.after_events = {&first, 1};
  return detail::run_host_task(which, range, items, std::move(f), request, where);
}
event run_on_node_0(const char* name, const std::vector<use>& uses, detail::host_function f, event first,
                    const std::source_location& where) {
  return run_task(name, nodes_of_task::one, box(0, 1), uses, std::move(f), first, where);
}

// I/O failures of a node are sent to the others as text, not as poison, so that all nodes report the same first failure
// and none stays unobserved.
constexpr coordinate status_bytes = 2048;

/// Code, sentence, reason, remedy and facts, each with a null byte after it. The end, an empty name of a fact, is there
/// even if the text is cut in its first part: then the four parts after it are empty.
void write_failure(const error& e, std::byte* status) {
  std::string text = "!" + e.code() + '\0' + e.sentence() + '\0' + e.why() + '\0' + e.what_to_try() + '\0';
  const std::string end(5, '\0');
  const auto most = static_cast<std::size_t>(status_bytes) - end.size();
  for (const auto& [name, value] : e.facts())
    if (text.size() + name.size() + value.size() + 2 <= most) text += name + '\0' + value + '\0';
  text.resize(std::min(text.size(), most));
  text += end;
  std::memcpy(status, text.data(), text.size());
}

void throw_first_failure(const host_elements& statuses, std::uint32_t nodes) {
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const char* at = reinterpret_cast<const char*>(statuses.first) + n * status_bytes;
    if (*at++ != '!') continue;
    const auto next = [&at] {
      const std::string s = at;
      at += s.size() + 1;
      return s;
    };
    const std::string code = next(), sentence = next(), why = next(), what_to_try = next();
    error e(code, sentence);
    for (std::string name = next(); !name.empty(); name = next()) e.fact(name, next());
    if (nodes > 1) e.fact("node", "N" + std::to_string(n));
    if (!why.empty()) e.because(why);
    if (!what_to_try.empty()) e.remedy(what_to_try);
    throw e;
  }
}

/// A host task that runs f on the share of its node and writes a failure to the status buffer, its last argument.
detail::host_function task_of_shares(share_function f, std::vector<box> shares) {
  return [f = std::move(f), shares = std::move(shares)](const box& chunk, std::span<const host_elements> given) {
    std::byte* const status = given.back().first + given.back().shape.offset_of(point(chunk.min()[0] * status_bytes));
    *status = std::byte{0};
    try {
      if (const box& b = shares[static_cast<std::size_t>(chunk.min()[0])]; !b.is_empty()) f(b, given[0]);
    } catch (const error& e) {
      write_failure(e, status);
    }
  };
}
detail::range_mapper mapper_of_statuses(std::uint32_t nodes) {
  std::vector<box> all;
  for (std::uint32_t n = 0; n < nodes; ++n) all.push_back(box(n * status_bytes, (n + 1) * status_bytes));
  return mapper_of_shares(std::move(all));
}

}  // namespace

detail::range_mapper mapper_of_shares(std::vector<box> shares) {
  const auto by = [shares = std::move(shares)](const box& chunk, const box&, const box&) {
    std::vector<box> used;
    for (coordinate n = chunk.min()[0]; n < chunk.max()[0]; ++n)
      if (const box& b = shares[static_cast<std::size_t>(n)]; !b.is_empty()) used.push_back(b);
    return used;
  };
  return {.is = detail::range_mapper::kind::custom,
          .custom = std::make_shared<const detail::range_mapper::function>(by)};
}

void wait_for_cause(event e, const std::source_location& where) {
  try {
    wait(e, where);
  } catch (const poisoned& p) {
    if (p.root()) std::rethrow_exception(p.root());
    throw;
  }
}

file_work::file_work(const char* verb) {
  base::thread_context& context = base::require_current(verb);
  state = state_of(*context.runtime);
  if (const data::other_nodes* const others = data::state_of(context).others)
    nodes = others->nodes(), self = others->self();
  if (state->dry) nodes = state->dry->nodes(), self = state->dry->self();
  const buffers_lock held(*state);
  before = state->files;
}

void file_work::then(event e, const std::source_location& where) {
  const event ended = ignore_failure(e, where);
  const buffers_lock held(*state);
  state->files = ended;
}

std::unique_ptr<progress> progress_of(const char* what, std::uint64_t bytes, std::uint32_t self) {
  if (self != 0 || bytes < long_work) return {};
  return std::make_unique<progress>(what, bytes >> 20, progress_options{.unit = "MiB"});
}

future<void> write_from_all_nodes(const buffer_handle& h, write_plan w, const char* verb,
                                  const std::source_location& where) {
  file_work work(verb);
  if (work.state->guard) {
    const drained_submission_lock held(*work.state, where);
    buffer_call c{.what = buffer_call::verb::save, .name = w.to.string(), .uses = {{.buffer = h->id.number}}};
    record_call(*work.state, std::make_shared<const call_signature>(std::move(c)), where, false);
  }
  const buffer_handle begun = make_status_buffer(1, where),
                      written = make_status_buffer(work.nodes * status_bytes, where),
                      done = make_status_buffer(1, where);
  run_on_node_0(
      "begin a file", {{begun, access::out}}, [begin = w.begin](const box&, auto) { begin(); }, work.before, where);
  run_task("write a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::in, mapper_of_shares(w.shares)},
            {begun, access::in},
            {written, access::out, mapper_of_statuses(work.nodes)}},
           task_of_shares(w.share, w.shares), {}, where);
  const event ended = run_on_node_0(
      "end a file", {{written, access::in}, {done, access::out}},
      [end = w.end, nodes = work.nodes](const box&, std::span<const host_elements> given) {
        throw_first_failure(given[0], nodes);
        end();
      },
      {}, where);
  event all_notified = run_task(
      "await a file", nodes_of_task::each, box(0, 1), {{done, access::in}}, [](const box&, auto) {}, {}, where);
  if (work.self == 0) {
    // When `ended` has ended, successfully or not, no node writes to the file any more.
    const event end_or_not = ignore_failure(ended, where);
    const event cleanup = async(
        after(end_or_not), name("remove a partial file"),
        [ended, to = w.to] {
          std::error_code ignored;
          if (ended.is_poisoned()) fs::remove_all(files::temporary_path_of(to), ignored);
        },
        where);
    all_notified = merge(all_notified, cleanup, where);
  }
  work.then(all_notified, where);
  const event known_or_not = ignore_failure(all_notified, where);
  const detail::goes_on last{[all_notified, where] { wait_for_cause(all_notified, where); }};
  return async(after(known_or_not), name(verb), last, where);
}

void read_on_all_nodes(const buffer_handle& h, const read_plan& r, file_work& work, const std::source_location& where) {
  const buffer_handle seen = make_status_buffer(work.nodes, where);
  run_task(
      "read a file", nodes_of_task::chunks, box(0, work.nodes),
      {{h, access::out, mapper_of_shares(r.shares)},
       {seen, access::out, {.is = detail::range_mapper::kind::one_to_one}}},
      [share = r.share, shares = r.shares](const box& chunk, std::span<const host_elements> given) {
        if (const box& b = shares[static_cast<std::size_t>(chunk.min()[0])]; !b.is_empty()) share(b, given[0]);
      },
      {}, where);
  // Makes the elements of each node depend on the reads of all nodes.
  const event all = run_task(
      "all have read a file", nodes_of_task::chunks, box(0, work.nodes),
      {{h, access::inout, mapper_of_shares(r.shares)}, {seen, access::in}}, [](const box&, auto) {}, {}, where);
  work.then(all, where);
}

namespace {

/// Waits for a task of all nodes that writes the status buffer; throws the first failure in it.
void throw_failure_of_nodes(const buffer_handle& statuses, const file_work& work, const std::source_location& where) {
  if (work.state->dry) return;
  const detail::later_buffer_accessor later =
      detail::see_elements(statuses, detail::elements_of(statuses, where), where);
  wait_for_cause(later.ready, where);
  host_elements all;
  all.first = detail::first_of(*later.seen, all.shape);
  throw_first_failure(all, work.nodes);
}

}  // namespace

void read_now_on_all_nodes(const buffer_handle& h, const read_plan& r, const file_work& work,
                           const std::source_location& where) {
  const buffer_handle statuses = make_status_buffer(work.nodes * status_bytes, where);
  run_task("read a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::out, mapper_of_shares(r.shares)}, {statuses, access::out, mapper_of_statuses(work.nodes)}},
           task_of_shares(r.share, r.shares), work.before, where);
  throw_failure_of_nodes(statuses, work, where);
}

void run_on_all_nodes(const char* name, std::function<void()> f, const file_work& work,
                      const std::source_location& where) {
  const buffer_handle statuses = make_status_buffer(work.nodes * status_bytes, where);
  run_task(name, nodes_of_task::chunks, box(0, work.nodes), {{statuses, access::out, mapper_of_statuses(work.nodes)}},
           task_of_shares([f = std::move(f)](const box&, const host_elements&) { f(); },
                          std::vector<box>(work.nodes, box(0, 1))),
           work.before, where);
  throw_failure_of_nodes(statuses, work, where);
}

std::string broadcast_from_node_0(const char* name, std::function<std::string()> find, file_work& work,
                                  const std::source_location& where) {
  const buffer_handle status = make_status_buffer(most_description_bytes + sizeof(std::uint64_t), where);
  run_on_node_0(
      name, {{status, access::out}},
      [find](const box&, std::span<const host_elements> given) {
        const std::string text = find();
        const std::uint64_t bytes = text.size();
        std::memcpy(given[0].first, &bytes, sizeof bytes);
        std::memcpy(given[0].first + sizeof bytes, text.data(), bytes);
      },
      work.before, where);
  const detail::later_buffer_accessor later = detail::see_elements(status, detail::elements_of(status, where), where);
  if (work.state->dry) return find();  // there is no node 0 to send the result, and later calls depend on it
  wait_for_cause(later.ready, where);
  data::layout shape;
  const std::byte* const first = detail::first_of(*later.seen, shape);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, first, sizeof bytes);
  return {reinterpret_cast<const char*>(first) + sizeof bytes, bytes};
}

}  // namespace stretto::buffers
