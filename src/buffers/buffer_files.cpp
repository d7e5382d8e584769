// buffer_files.cpp - buffers in files: host tasks on all nodes, each for its share, between tasks on node 0 that begin and end the files.
#include <stretto/buffer_files.hpp>
#include <stretto/error.hpp>
#include <stretto/forasync.hpp>
#include <stretto/progress.hpp>

#include <errno.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>

#include "buffers/buffers_state.hpp"
#include "buffers/file_elements.hpp"
#include "buffers/said_calls.hpp"
#include "data/data_state.hpp"
#include "data/other_nodes.hpp"
#include "files/zarr_array.hpp"

namespace stretto::buffers {
namespace {

namespace fs = std::filesystem;
using detail::buffer_handle, detail::host_elements, detail::nodes_of_task;
using files::descriptor;

constexpr std::uint64_t most_at_once = std::uint64_t{4} << 20;          // bytes of a chunk, or of a piece of a file
constexpr std::uint64_t long_work = std::uint64_t{256} << 20;           // bytes from which on progress is shown
constexpr std::uint64_t most_description = std::uint64_t{64} << 10;     // bytes of a zarr.json

error file_cannot_be_written(const fs::path& what, int number) {
  return error("F01", what.string() + " cannot be written: " + std::strerror(number))
      .because("what was there before stays as it is")
      .remedy(files::remedy_for(number, "make room there: what is new is written beside what is old",
                                "name a file in a folder that exists and can be written, on every node"));
}

error file_is_damaged(const fs::path& file, const std::string& expected, const std::string& found) {
  return error("F04", "the file " + file.string() + " of an array is damaged")
      .fact("expected", expected)
      .fact("found", found)
      .because("it is not what was written")
      .remedy("take another copy of the array");
}

error file_cannot_be_read(const fs::path& file, const std::string& why) {
  return error("F02", file.string() + " cannot be read: " + why).remedy("name what every node of the job can read");
}

constexpr files::complaints words_of_buffers{file_cannot_be_written, file_is_damaged};

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

/// Each node for its share.
detail::range_mapper shared(std::vector<box> shares) {
  const auto by = [shares = std::move(shares)](const box& chunk, const box&) {
    std::vector<box> used;
    for (coordinate n = chunk.min()[0]; n < chunk.max()[0]; ++n)
      if (const box& b = shares[static_cast<std::size_t>(n)]; !b.is_empty()) used.push_back(b);
    return used;
  };
  return {.is = detail::range_mapper::kind::custom, .custom = std::make_shared<const detail::range_mapper::function>(by)};
}

/// Waits, and throws the failure that all began with.
void wait_for_all(event e, const std::source_location& where) {
  try {
    wait(e, where);
  } catch (const poisoned& p) {
    if (p.root()) std::rethrow_exception(p.root());
    throw;
  }
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

using share_function = std::function<void(const box& share, const host_elements&)>;
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
  return shared(std::move(all));
}

struct file_work {
  std::shared_ptr<buffers_state> state;
  std::uint32_t nodes = 1, self = 0;
  event before;  // of what has been done with files

  explicit file_work(const char* verb) {
    base::thread_context& context = base::require_current(verb);
    state = state_of(*context.runtime);
    if (const data::other_nodes* const others = data::state_of(context).others) nodes = others->nodes(), self = others->self();
    if (state->dry) nodes = state->dry->nodes(), self = state->dry->self();
    const holding held(*state);
    before = state->files;
  }
  void then(event e, const std::source_location& where) {
    const event ended = ignore_failure(e, where);
    const holding held(*state);
    state->files = ended;
  }
};

std::unique_ptr<progress> progress_of(const char* what, std::uint64_t bytes, std::uint32_t self) {
  if (self != 0 || bytes < long_work) return {};
  return std::make_unique<progress>(what, bytes >> 20, progress_options{.unit = "MiB"});
}

struct writing {
  std::function<void()> begin;                                     // on node 0
  share_function share;
  std::function<void()> end;                                       // on node 0
  std::vector<box> shares;
  fs::path to;
};

future<void> write_by_all(const buffer_handle& h, writing w, const char* verb, const std::source_location& where) {
  file_work work(verb);
  if (work.state->programs) {
    const holding held(*work.state);
    buffer_call c{.what = buffer_call::verb::save, .name = w.to.string(), .uses = {{.buffer = h->id.number}}};
    note(*work.state, std::make_shared<const known_call>(std::move(c)), where, false);
  }
  const buffer_handle begun = make_note(1, where), written = make_note(work.nodes * bytes_of_failure, where), done = make_note(1, where);
  on_node_0("begin a file", {{begun, access::out}}, [begin = w.begin](const box&, auto) { begin(); }, work.before, where);
  run_task("write a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::in, shared(w.shares)}, {begun, access::in}, {written, access::out, notes_of_nodes(work.nodes)}},
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
      if (ended.is_poisoned()) fs::remove_all(files::beside(to), ignored);
    }, where);
    known = merge(known, tidy, where);
  }
  work.then(known, where);
  const event known_or_not = ignore_failure(known, where);
  return async(after(known_or_not), name(verb), [known, where] { wait_for_all(known, where); }, where);
}

struct reading {
  share_function share;
  std::vector<box> shares;
};

void read_by_all(const buffer_handle& h, const reading& r, file_work& work, const std::source_location& where) {
  const buffer_handle seen = make_note(work.nodes, where);
  run_task("read a file", nodes_of_task::chunks, box(0, work.nodes),
           {{h, access::out, shared(r.shares)}, {seen, access::out, {.is = detail::range_mapper::kind::one_to_one}}},
           [share = r.share, shares = r.shares](const box& chunk, std::span<const host_elements> given) {
             if (const box& b = shares[static_cast<std::size_t>(chunk.min()[0])]; !b.is_empty()) share(b, given[0]);
           },
           {}, where);
  // The elements of each node follow from what all have read.
  const event all = run_task("all have read a file", nodes_of_task::chunks, box(0, work.nodes),
                             {{h, access::inout, shared(r.shares)}, {seen, access::in}}, [](const box&, auto) {}, {}, where);
  work.then(all, where);
}

/// What node 0 finds, on all nodes.
std::string told_by_node_0(const char* name, std::function<std::string()> find, file_work& work, const std::source_location& where) {
  const buffer_handle note = make_note(most_description + sizeof(std::uint64_t), where);
  on_node_0(name, {{note, access::out}}, [find](const box&, std::span<const host_elements> given) {
    const std::string text = find();
    const std::uint64_t bytes = text.size();
    std::memcpy(given[0].first, &bytes, sizeof bytes);
    std::memcpy(given[0].first + sizeof bytes, text.data(), bytes);
  }, work.before, where);
  const detail::seen_later later = detail::see_elements(note, detail::elements_of(note, where), where);
  if (work.state->dry) return find();  // nobody does tell, and what is found decides what is asked next
  wait_for_all(later.ready, where);
  data::layout shape;
  const std::byte* const first = detail::first_of(*later.seen, shape);
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, first, sizeof bytes);
  return {reinterpret_cast<const char*>(first) + sizeof bytes, bytes};
}

std::int64_t chunks_along(const files::zarr_array& a, const box& part, std::size_t axis, const point& origin, std::int64_t& first) {
  const int at = static_cast<int>(axis);
  first = (part.min()[at] - origin[at]) / a.chunk[axis];
  return (part.max()[at] - 1 - origin[at]) / a.chunk[axis] + 1 - first;
}

/// Calls f(numbers of the chunk, its box) for each chunk that meets `part`, by several workers.
template <class F>
void for_each_chunk(const files::zarr_array& a, const box& part, const point& origin, F f) {
  const std::size_t axes = a.shape.size();
  std::array<std::int64_t, max_axes> first{}, count{1, 1, 1};
  for (std::size_t axis = 0; axis < axes; ++axis) count[axis] = chunks_along(a, part, axis, origin, first[axis]);
  forasync(box(0, count[0] * count[1] * count[2]), extent(1), [&](coordinate number) {
    std::array<std::int64_t, max_axes> at{};
    for (std::size_t axis = axes; axis-- > 0;) at[axis] = first[axis] + number % count[axis], number /= count[axis];
    point min, max(1, 1, 1);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      const int i = static_cast<int>(axis);
      min[i] = origin[i] + at[axis] * a.chunk[axis];
      max[i] = min[i] + a.chunk[axis];
    }
    f(std::span<const std::int64_t>(at.data(), axes), box::between(min, max));
  }).get();
}

void refuse_to_replace(const fs::path& to, bool by_folder) {
  std::error_code e;
  const auto is = fs::status(to, e);
  if (!fs::exists(is)) return;
  const bool is_alike = by_folder ? fs::is_directory(is) && (fs::exists(to / "zarr.json", e) || fs::is_empty(to, e)) : fs::is_regular_file(is);
  if (is_alike) return;
  throw error("F01", to.string() + " cannot be written: it is something else")
      .because(by_folder ? "it is there, and is no Zarr array" : "it is there, and is no file")
      .remedy("take another name, or remove it");
}

void read_exactly(int file, std::byte* to, std::uint64_t bytes, std::uint64_t offset, const fs::path& name) {
  for (std::uint64_t have = 0; have < bytes;) {
    const auto n = ::pread(file, to + have, bytes - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw file_cannot_be_read(name, std::strerror(errno));
    if (n == 0) throw file_is_damaged(name, fmt::format("{} bytes from byte {}", bytes, offset), fmt::format("{} bytes", have));
    have += static_cast<std::uint64_t>(n);
  }
}

void write_exactly(int file, const std::byte* from, std::uint64_t bytes, std::uint64_t offset, const fs::path& name) {
  for (std::uint64_t have = 0; have < bytes;) {
    const auto n = ::pwrite(file, from + have, bytes - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) throw file_cannot_be_written(name, errno);
    have += static_cast<std::uint64_t>(n);
  }
}

/// Calls f(number of the first element, count) for pieces of a share's elements, by several workers.
template <class F>
void for_each_piece(const box& share, std::uint32_t element_bytes, F f) {
  const std::uint64_t most = std::max<std::uint64_t>(1, most_at_once / element_bytes), all = share.volume();
  forasync(box(0, static_cast<coordinate>((all + most - 1) / most)), extent(1), [&](coordinate n) {
    const std::uint64_t first = static_cast<std::uint64_t>(n) * most;
    f(first, std::min(most, all - first));
  }).get();
}

/// Elements of a share follow one another in the file: it has all of every axis but one, before which there is nothing.
std::uint64_t offset_in_file(const box& share, const box& elements, std::uint32_t element_bytes) {
  const int axis = shared_axis(elements);
  std::uint64_t row = element_bytes;
  for (int a = axis + 1; a < max_axes; ++a) row *= static_cast<std::uint64_t>(elements.length(a));
  return static_cast<std::uint64_t>(share.min()[axis] - elements.min()[axis]) * row;
}

}  // namespace
}  // namespace stretto::buffers

namespace stretto::detail {

using namespace buffers;

future<void> save_to_zarr(const buffer_handle& h, const file_elements& of, std::string_view folder, const zarr_options& options,
                          const std::source_location& where) {
  const box elements = elements_of(h, where);
  files::zarr_array a;
  a.type = of.type;
  a.element_bytes = of.bytes;
  a.codecs = {files::codec::little_endian};
  const point chosen = chunk_lengths(elements, of.dimensions, of.bytes, most_at_once);
  const bool is_empty = elements.is_empty();
  for (int axis = 0; axis < of.dimensions; ++axis) {
    if (options.chunk[axis] < 0)
      throw error("F07", fmt::format("an array is to be saved in chunks of {} elements along axis {}", options.chunk[axis], axis))
          .fact("submitted", where)
          .remedy("give lengths of at least 1, or 0 for what fits");
    a.shape.push_back(is_empty ? 0 : elements.length(axis));
    a.chunk.push_back(options.chunk[axis] ? std::min(options.chunk[axis], std::max<coordinate>(1, a.shape.back())) : chosen[axis]);
    a.origin.push_back(elements.min()[axis]);
  }
  if (options.compression == zarr_compression::zstd) a.codecs.push_back(files::codec::zstd);
  a.codecs.push_back(files::codec::crc32c);
  const fs::path to(folder);
  writing w;
  w.to = to;
  w.begin = [to] {
    refuse_to_replace(to, true);
    files::begin_folder_beside(to, words_of_buffers);
  };
  w.end = [to, a] {
    const std::string text = files::text_of(a);
    files::write_file(files::beside(to) / "zarr.json", std::as_bytes(std::span(text)), words_of_buffers);
    files::put_in_place(to, words_of_buffers);
  };
  const file_work work("save_zarr");
  const int axis = shared_axis(elements);
  w.shares = shares_of(elements, axis < of.dimensions ? a.chunk[static_cast<std::size_t>(axis)] : 1, work.nodes);
  w.share = [to, a, elements, of, self = work.self](const box& share, const host_elements& memory) {
    const auto shown = progress_of("saving", share.volume() * of.bytes, self);
    std::atomic<std::uint64_t> bytes = 0;
    for_each_chunk(a, share, elements.min(), [&](std::span<const std::int64_t> number, const box& chunk) {
      std::vector<std::byte> dense(files::bytes_of_chunk(a));
      copy_part_of_chunk(memory, intersection(chunk, elements), of.dimensions, chunk, dense.data(), direction::from_memory);
      files::write_file(files::beside(to) / files::chunk_name(a, number), files::encode(a, std::move(dense)), words_of_buffers);
      if (shown) shown->set((bytes += files::bytes_of_chunk(a)) >> 20);
    });
  };
  return write_by_all(h, std::move(w), "save_zarr", where);
}

future<void> save_to_raw(const buffer_handle& h, const file_elements& of, std::string_view file, const std::source_location& where) {
  const box elements = elements_of(h, where);
  const fs::path to(file);
  const std::uint64_t bytes = elements.volume() * of.bytes;
  writing w;
  w.to = to;
  w.begin = [to, bytes] {
    refuse_to_replace(to, false);
    const fs::path there = files::beside(to);
    std::error_code ignored;
    fs::remove_all(there, ignored);
    const descriptor d(::open(there.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
    if (d.number() < 0 || ::ftruncate(d.number(), static_cast<off_t>(bytes)) != 0) throw file_cannot_be_written(there, errno);
  };
  w.end = [to] { files::put_in_place(to, words_of_buffers); };
  const file_work work("save_raw");
  w.shares = shares_of(elements, 1, work.nodes);
  w.share = [to, elements, of, self = work.self](const box& share, const host_elements& memory) {
    const fs::path there = files::beside(to);
    const descriptor d(::open(there.c_str(), O_WRONLY | O_CLOEXEC));
    if (d.number() < 0) throw file_cannot_be_written(there, errno);
    const std::uint64_t offset = offset_in_file(share, elements, of.bytes);
    const auto shown = progress_of("saving", share.volume() * of.bytes, self);
    std::atomic<std::uint64_t> done = 0;
    for_each_piece(share, of.bytes, [&](std::uint64_t first, std::uint64_t count) {
      std::vector<std::byte> dense(count * of.bytes);
      copy_elements_in_order(memory, share, of.dimensions, first, count, dense.data(), direction::from_memory);
      write_exactly(d.number(), dense.data(), dense.size(), offset + first * of.bytes, there);
      if (shown) shown->set((done += dense.size()) >> 20);
    });
    if (::fsync(d.number()) != 0) throw file_cannot_be_written(there, errno);
  };
  return write_by_all(h, std::move(w), "save_raw", where);
}

buffer_handle load_from_zarr(const file_elements& as, std::string_view folder, std::string_view name, const std::source_location& where) {
  file_work work("load_zarr");
  const fs::path named(folder);
  // The folder, or what is left of it, and its description.
  const std::string told = told_by_node_0("find an array", [named] {
    const fs::path from = files::find_whole(named);
    if (from.empty()) throw file_cannot_be_read(named, "there is no such folder");
    std::error_code e;
    if (!fs::exists(from / "zarr.json", e)) throw file_cannot_be_read(named, "it has no zarr.json");
    const auto text = files::read_file(from / "zarr.json", {file_cannot_be_written, [](const fs::path& f, const std::string&, const std::string& found) {
                                                              return file_cannot_be_read(f, found);
                                                            }});
    const std::string both = from.string() + '\n' + std::string(reinterpret_cast<const char*>(text.data()), text.size());
    if (both.size() > most_description) throw file_cannot_be_read(from / "zarr.json", fmt::format("it has more than {} bytes", most_description));
    return both;
  }, work, where);
  const fs::path from = told.substr(0, told.find('\n'));
  const files::zarr_array a = files::array_in(std::string_view(told).substr(told.find('\n') + 1), (from / "zarr.json").string());
  std::string wanted = as.type + ", 1 axis";
  if (as.dimensions != 1) wanted = fmt::format("{}, {} axes", as.type, as.dimensions);
  if (a.type != as.type || a.element_bytes != as.bytes || a.shape.size() != as.dimensions)
    throw error("F03", "the array " + from.string() + " is of another type")
        .fact("submitted", where)
        .fact("asked for", wanted)
        .fact("is", fmt::format("{}, {}", a.type, a.shape.size() == 1 ? "1 axis" : fmt::format("{} axes", a.shape.size())))
        .remedy("load it as what it is");
  point min, max(1, 1, 1);
  for (std::size_t axis = 0; axis < a.shape.size(); ++axis) {
    min[static_cast<int>(axis)] = a.origin.empty() ? 0 : a.origin[axis];
    max[static_cast<int>(axis)] = min[static_cast<int>(axis)] + a.shape[axis];
  }
  const box elements = box::between(min, max);
  const buffer_handle h = make_buffer({elements, as.dimensions, as.bytes, as.alignment, name, nullptr}, where);
  if (elements.is_empty()) return h;
  reading r;
  r.shares = shares_of(elements, 1, work.nodes);
  r.share = [from, a, min, dimensions = as.dimensions, self = work.self](const box& share, const host_elements& memory) {
    const auto shown = progress_of("loading", share.volume() * a.element_bytes, self);
    std::atomic<std::uint64_t> bytes = 0;
    for_each_chunk(a, share, min, [&](std::span<const std::int64_t> number, const box& chunk) {
      const fs::path file = from / files::chunk_name(a, number);
      std::vector<std::byte> dense;
      std::error_code e;
      if (fs::exists(file, e)) {
        dense = files::decode(a, files::read_file(file, words_of_buffers), file, words_of_buffers);
      } else if (e) {
        throw file_cannot_be_read(file, e.message());
      } else {
        dense.resize(files::bytes_of_chunk(a));
        if (!a.fill.empty())
          for (std::size_t at = 0; at < dense.size(); at += a.element_bytes) std::memcpy(dense.data() + at, a.fill.data(), a.element_bytes);
      }
      copy_part_of_chunk(memory, intersection(chunk, share), dimensions, chunk, dense.data(), direction::to_memory);
      if (shown) shown->set((bytes += dense.size()) >> 20);
    });
  };
  read_by_all(h, r, work, where);
  return h;
}

buffer_handle load_from_raw(const file_elements& as, std::string_view file, const box& elements, std::string_view name,
                            const std::source_location& where) {
  file_work work("load_raw");
  const fs::path named(file);
  const std::uint64_t bytes = elements.volume() * as.bytes;
  const fs::path from = told_by_node_0("find a file", [named, bytes, elements] {
    const fs::path there = files::find_whole(named);
    struct stat is {};
    if (there.empty() || ::stat(there.c_str(), &is) != 0) throw file_cannot_be_read(named, "there is no such file");
    if (!S_ISREG(is.st_mode)) throw file_cannot_be_read(named, "it is no file");
    if (static_cast<std::uint64_t>(is.st_size) != bytes)
      throw error("F05", "the file " + named.string() + " has another length than the elements to be loaded from it")
          .fact("elements", fmt::format("{}, {} bytes", elements.text(), bytes))
          .fact("file", fmt::format("{} bytes", is.st_size))
          .remedy("name the elements that were saved, and their type");
    return there.string();
  }, work, where);
  const buffer_handle h = make_buffer({elements, as.dimensions, as.bytes, as.alignment, name, nullptr}, where);
  if (elements.is_empty()) return h;
  reading r;
  r.shares = shares_of(elements, 1, work.nodes);
  r.share = [from, elements, as, self = work.self](const box& share, const host_elements& memory) {
    const descriptor d(::open(from.c_str(), O_RDONLY | O_CLOEXEC));
    if (d.number() < 0) throw file_cannot_be_read(from, std::strerror(errno));
    const std::uint64_t offset = offset_in_file(share, elements, as.bytes);
    const auto shown = progress_of("loading", share.volume() * as.bytes, self);
    std::atomic<std::uint64_t> done = 0;
    for_each_piece(share, as.bytes, [&](std::uint64_t first, std::uint64_t count) {
      std::vector<std::byte> dense(count * as.bytes);
      read_exactly(d.number(), dense.data(), dense.size(), offset + first * as.bytes, from);
      copy_elements_in_order(memory, share, as.dimensions, first, count, dense.data(), direction::to_memory);
      if (shown) shown->set((done += dense.size()) >> 20);
    });
  };
  read_by_all(h, r, work, where);
  return h;
}

}  // namespace stretto::detail
