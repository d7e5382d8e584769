#include "buffers/file_tasks.hpp"

#include <stretto/error.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

#include "buffers/handing_over.hpp"
#include "buffers/said_calls.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "files/atomic_replacement.hpp"

namespace stretto::buffers {

namespace fs = std::filesystem;
using detail::buffer_handle, detail::host_elements, detail::nodes_of_task;

namespace {

constexpr std::uint64_t long_work = std::uint64_t{256} << 20;  // bytes from which on progress is shown

/// What has to be there for a while: an array of bytes that nodes tell one another by that they have done something, or what.
buffer_handle make_note(std::uint64_t bytes, const std::source_location& where) {
  return detail::make_buffer({box(0, static_cast<coordinate>(bytes)), 1, 1, 1, "note of files", nullptr}, where);
}

struct use {
  const buffer_handle& of;
  access how;
  detail::range_mapper by = {.is = detail::range_mapper::kind::all};
};

event run_task(const char* name, nodes_of_task which, const box& range, const std::vector<use>& uses, detail::host_function f, event first,
               const std::source_location& where) {
  std::vector<detail::host_use_item> items;
  for (const use& u : uses) items.push_back({&u.of, &u.by, u.how});
  detail::host_task_request request;
  request.name = name;
  request.after_events = {&first, 1};
  return detail::run_host_task(which, range, items, std::move(f), request, where);
}
event on_node_0(const char* name, const std::vector<use>& uses, detail::host_function f, event first, const std::source_location& where) {
  return run_task(name, nodes_of_task::one, box(0, 1), uses, std::move(f), first, where);
}

// What a node's share failed with goes to the others as text, not as poison: they are told of the first of all, and no other is left.
constexpr coordinate bytes_of_failure = 2048;

void write_failure(const error& e, std::byte* note) {
  std::string text = "!" + e.code() + '\0' + e.sentence() + '\0' + e.why() + '\0' + e.what_to_try() + '\0';
  const auto most = static_cast<std::size_t>(bytes_of_failure) - 2;
  for (const auto& [name, value] : e.facts())
    if (text.size() + name.size() + value.size() + 2 <= most) text += name + '\0' + value + '\0';
  text.resize(std::min(text.size(), most));
  text += std::string(2, '\0');
  std::memcpy(note, text.data(), text.size());
}

void throw_failure_in(const host_elements& notes, std::uint32_t nodes) {
  for (std::uint32_t n = 0; n < nodes; ++n) {
    const char* at = reinterpret_cast<const char*>(notes.first) + n * bytes_of_failure;
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

/// A host task of the elements and the notes.
detail::host_function each_its_share(share_function f, std::vector<box> shares) {
  return [f = std::move(f), shares = std::move(shares)](const box& chunk, std::span<const host_elements> given) {
    std::byte* const note = given.back().first + given.back().shape.offset_of(point(chunk.min()[0] * bytes_of_failure));
    *note = std::byte{0};
    try {
      if (const box& b = shares[static_cast<std::size_t>(chunk.min()[0])]; !b.is_empty()) f(b, given[0]);
    } catch (const error& e) {
      write_failure(e, note);
    }
  };
}
detail::range_mapper notes_of_nodes(std::uint32_t nodes) {
  std::vector<box> all;
  for (std::uint32_t n = 0; n < nodes; ++n) all.push_back(box(n * bytes_of_failure, (n + 1) * bytes_of_failure));
  return by_share(std::move(all));
}

}  // namespace

detail::range_mapper by_share(std::vector<box> shares) {
  const auto by = [shares = std::move(shares)](const box& chunk, const box&, const box&) {
    std::vector<box> used;
    for (coordinate n = chunk.min()[0]; n < chunk.max()[0]; ++n)
      if (const box& b = shares[static_cast<std::size_t>(n)]; !b.is_empty()) used.push_back(b);
    return used;
  };
  return {.is = detail::range_mapper::kind::custom, .custom = std::make_shared<const detail::range_mapper::function>(by)};
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
  if (const data::other_nodes* const others = data::state_of(context).others) nodes = others->nodes(), self = others->self();
  if (state->dry) nodes = state->dry->nodes(), self = state->dry->self();
  const holding held(*state);
  before = state->files;
}

void file_work::then(event e, const std::source_location& where) {
  const event ended = ignore_failure(e, where);
  const holding held(*state);
  state->files = ended;
}

std::unique_ptr<progress> progress_of(const char* what, std::uint64_t bytes, std::uint32_t self) {
  if (self != 0 || bytes < long_work) return {};
  return std::make_unique<progress>(what, bytes >> 20, progress_options{.unit = "MiB"});
}

future<void> write_by_all(const buffer_handle& h, writing w, const char* verb, const std::source_location& where) {
  file_work work(verb);
  if (work.state->programs) {
    const asked held(*work.state, where);
    buffer_call c{.what = buffer_call::verb::save, .name = w.to.string(), .uses = {{.buffer = h->id.number}}};
    note(*work.state, std::make_shared<const known_call>(std::move(c)), where, false);
  }
  const buffer_handle begun = make_note(1, where), written = make_note(work.nodes * bytes_of_failure, where), done = make_note(1, where);
  on_node_0("begin a file", {{begun, access::out}}, [begin = w.begin](const box&, auto) { begin(); }, work.before, where);
  run_task("write a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::in, by_share(w.shares)}, {begun, access::in}, {written, access::out, notes_of_nodes(work.nodes)}},
           each_its_share(w.share, w.shares), {}, where);
  const event ended = on_node_0("end a file", {{written, access::in}, {done, access::out}},
                                [end = w.end, nodes = work.nodes](const box&, std::span<const host_elements> given) {
                                  throw_failure_in(given[0], nodes);
                                  end();
                                },
                                {}, where);
  event known = run_task("see a file", nodes_of_task::each, box(0, 1), {{done, access::in}}, [](const box&, auto) {}, {}, where);
  if (work.self == 0) {
    // When this has ended, in whatever way, nobody writes any more.
    const event end_or_not = ignore_failure(ended, where);
    const event tidy = async(after(end_or_not), name("leave nothing of a file"), [ended, to = w.to] {
      std::error_code ignored;
      if (ended.is_poisoned()) fs::remove_all(files::temporary_path_of(to), ignored);
    }, where);
    known = merge(known, tidy, where);
  }
  work.then(known, where);
  const event known_or_not = ignore_failure(known, where);
  const detail::goes_on last{[known, where] { wait_for_cause(known, where); }};
  return async(after(known_or_not), name(verb), last, where);
}

void read_by_all(const buffer_handle& h, const reading& r, file_work& work, const std::source_location& where) {
  const buffer_handle seen = make_note(work.nodes, where);
  run_task("read a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::out, by_share(r.shares)}, {seen, access::out, {.is = detail::range_mapper::kind::one_to_one}}},
           [share = r.share, shares = r.shares](const box& chunk, std::span<const host_elements> given) {
             if (const box& b = shares[static_cast<std::size_t>(chunk.min()[0])]; !b.is_empty()) share(b, given[0]);
           },
           {}, where);
  // The elements of each node follow from what all have read.
  const event all = run_task("all have read a file", nodes_of_task::chunks, box(0, work.nodes),
                             {{h, access::inout, by_share(r.shares)}, {seen, access::in}}, [](const box&, auto) {}, {}, where);
  work.then(all, where);
}

namespace {

/// Behind a task of which each node has noted whether it failed.
void throw_what_failed(const buffer_handle& notes, const file_work& work, const std::source_location& where) {
  if (work.state->dry) return;
  const detail::seen_later later = detail::see_elements(notes, detail::elements_of(notes, where), where);
  wait_for_cause(later.ready, where);
  host_elements all;
  all.first = detail::first_of(*later.seen, all.shape);
  throw_failure_in(all, work.nodes);
}

}  // namespace

void read_now_by_all(const buffer_handle& h, const reading& r, const file_work& work, const std::source_location& where) {
  const buffer_handle notes = make_note(work.nodes * bytes_of_failure, where);
  run_task("read a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::out, by_share(r.shares)}, {notes, access::out, notes_of_nodes(work.nodes)}}, each_its_share(r.share, r.shares), work.before, where);
  throw_what_failed(notes, work, where);
}

void do_by_all(const char* name, std::function<void()> f, const file_work& work, const std::source_location& where) {
  const buffer_handle notes = make_note(work.nodes * bytes_of_failure, where);
  run_task(name, nodes_of_task::chunks, box(0, work.nodes), {{notes, access::out, notes_of_nodes(work.nodes)}},
           each_its_share([f = std::move(f)](const box&, const host_elements&) { f(); }, std::vector<box>(work.nodes, box(0, 1))), work.before, where);
  throw_what_failed(notes, work, where);
}

std::string told_by_node_0(const char* name, std::function<std::string()> find, file_work& work, const std::source_location& where) {
  const buffer_handle note = make_note(most_description_bytes + sizeof(std::uint64_t), where);
  on_node_0(name, {{note, access::out}}, [find](const box&, std::span<const host_elements> given) {
    const std::string text = find();
    const std::uint64_t bytes = text.size();
    std::memcpy(given[0].first, &bytes, sizeof bytes);
    std::memcpy(given[0].first + sizeof bytes, text.data(), bytes);
  }, work.before, where);
  const detail::seen_later later = detail::see_elements(note, detail::elements_of(note, where), where);
  if (work.state->dry) return find();  // nobody does tell, and what is found decides what is asked next
  wait_for_cause(later.ready, where);
  data::layout shape;
  const std::byte* const first = detail::first_of(*later.seen, shape);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, first, sizeof bytes);
  return {reinterpret_cast<const char*>(first) + sizeof bytes, bytes};
}

}  // namespace stretto::buffers
