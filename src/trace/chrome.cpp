#include "trace/chrome.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <stretto/error.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "base/code_location.hpp"
#include "base/whole_file.hpp"
#include "base/write_access.hpp"
#include "trace/arrows.hpp"
#include "trace/deferred_line.hpp"
#include "trace/json_text.hpp"
#include "trace/line_writer.hpp"
#include "trace/timeline_rows.hpp"

namespace stretto::trace {
namespace {

// The argument name of `amount` for each kind; empty: not written.
std::string_view amount_name(kind k) noexcept {
  switch (k) {
    case kind::copy:
    case kind::fill:
    case kind::reduce:
    case kind::message: return ",\"bytes\":";
    case kind::kernel:
    case kind::user_span:
    case kind::instant: return ",\"value\":";
    default: return {};
  }
}

bool is_waiting(kind k) noexcept { return k == kind::suspended || k == kind::wait; }

// Caches the escaped text of names.
class escaped_names {
 public:
  explicit escaped_names(const name_table* table) : table_(table), known_(table ? table->size() : 0) {}

  std::string_view name(name_id id, kind k) {
    if (id == no_name || id >= known_.size()) return trace::name(k);
    return of(id).name;
  }
  /// `,"at":"wave.cpp:41"` or nothing.
  std::string_view where(name_id id) {
    return id == no_name || id >= known_.size() ? std::string_view() : std::string_view(of(id).where);
  }

 private:
  struct texts {
    bool made = false;
    std::string name, where;
  };
  const texts& of(name_id id) {
    texts& t = known_[id];
    if (t.made) return t;
    t.made = true;
    const name_entry& e = (*table_)[id];
    append_json(t.name, e.name);
    const std::string line = line_of(e);
    if (!line.empty()) {
      t.where = ",\"at\":\"";
      append_json(t.where, line);
      t.where += "\"";
    }
    if (t.name.empty()) append_json(t.name, line.empty() ? "(no name)" : line);
    return t;
  }
  static std::string line_of(const name_entry& e) {
    if (const void* const call = deferred_call(e.file)) return base::location_of_call(call);
    std::string_view file = e.file;
    if (const auto slash = file.rfind('/'); slash != file.npos) file.remove_prefix(slash + 1);
    return file.empty() ? std::string() : std::string(file) + ":" + std::to_string(e.line);
  }

  const name_table* table_;
  std::vector<texts> known_;
};

class chrome_file {
 public:
  chrome_file(std::ostream& to, std::span<const snapshot> nodes) : to_(to), out_(to), nodes_(nodes) {
    for (const snapshot& s : nodes) first_ns_ = std::min(first_ns_, origin_ns(s));
  }

  void write() {
    head();
    for (const snapshot& s : nodes_) node(s);
    arrows();
    out_ << "\n]}\n";
    out_.flush();
    to_.flush();
  }

 private:
  static std::int64_t origin_ns(const snapshot& s) noexcept {
    return s.calibration.steady_origin_ns + s.clock_offset_ns;
  }
  std::int64_t time_ns(const snapshot& s, ticks at) const noexcept {
    return s.calibration.nanoseconds(at) + (origin_ns(s) - first_ns_);
  }

  void head() {
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"stretto trace 1\",\"nodes\":[";
    std::string_view comma;
    for (const snapshot& s : nodes_) {
      std::uint64_t dropped = 0;
      for (const track& t : s.tracks) dropped += t.dropped;
      char rate[32];
      const auto rate_end =
          std::to_chars(rate, rate + sizeof rate, s.calibration.ns_per_tick, std::chars_format::fixed, 9).ptr;
      out_ << comma << "{\"node\":";
      out_.number(std::uint64_t{s.node});
      if (s.job_nodes > 1) (out_ << ",\"job_nodes\":").number(std::uint64_t{s.job_nodes});
      out_ << ",\"level\":\"" << name(s.level) << "\",\"clock\":\"" << s.clock_source
           << "\",\"ns_per_tick\":" << std::string_view(rate, static_cast<std::size_t>(rate_end - rate))
           << ",\"steady_origin_ns\":";
      out_.number(s.calibration.steady_origin_ns) << ",\"system_origin_ns\":";
      out_.number(s.calibration.system_origin_ns) << ",\"clock_offset_ns\":";
      out_.number(s.clock_offset_ns) << ",\"memory_limit_bytes\":";
      out_.number(std::uint64_t{s.memory_limit}) << ",\"dropped_records\":";
      out_.number(dropped) << "}";
      comma = ",";
    }
    out_ << "]},\"traceEvents\":[";
  }

  // Begins a line; every event but the first ends the line before it with a comma.
  line_writer& event(std::string_view text) {
    out_ << (any_event_ ? ",\n" : "\n") << text;
    any_event_ = true;
    return out_;
  }

  void metadata(std::string_view what, const snapshot& s, std::uint32_t row, std::string_view text) {
    std::string escaped;
    append_json(escaped, text);
    event("{\"ph\":\"M\",\"pid\":").number(std::uint64_t{s.node}) << ",\"tid\":";
    out_.number(std::uint64_t{row}) << ",\"name\":\"" << what << "\",\"args\":{\"name\":\"" << escaped << "\"}}";
  }
  void sort_index(std::string_view what, const snapshot& s, std::uint32_t row, std::uint64_t index) {
    event("{\"ph\":\"M\",\"pid\":").number(std::uint64_t{s.node}) << ",\"tid\":";
    out_.number(std::uint64_t{row}) << ",\"name\":\"" << what << "\",\"args\":{\"sort_index\":";
    out_.number(index) << "}}";
  }

  void node(const snapshot& s) {
    metadata("process_name", s, 0, s.node_name);
    sort_index("process_sort_index", s, 0, s.node);
    escaped_names names(s.names.get());
    owners_ = &s.modules;
    std::vector<std::string> places;
    for (const std::string& p : s.places) append_json(places.emplace_back(), p);
    std::uint32_t row = 1;
    for (const track* t : grouped_tracks(s.tracks)) row += write_track(s, *t, row, names, places);
  }

  // Tracks whose names begin with the same word, such as a device's streams, are grouped at the first of them,
  // ordered by their numbers.
  static std::vector<const track*> grouped_tracks(const std::vector<track>& tracks) {
    std::map<std::string_view, std::size_t> place;
    std::vector<std::pair<std::size_t, const track*>> all;
    for (const track& t : tracks) {
      const std::string_view word = std::string_view(t.name).substr(0, t.name.find(' '));
      all.emplace_back(place.try_emplace(word, all.size()).first->second, &t);
    }
    std::ranges::stable_sort(all, [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first < b.first : strverscmp(a.second->name.c_str(), b.second->name.c_str()) < 0;
    });
    std::vector<const track*> sorted;
    for (const auto& [_, t] : all) sorted.push_back(t);
    return sorted;
  }

  // Returns the number of rows of the track.
  unsigned write_track(const snapshot& s, const track& t, std::uint32_t first_row, escaped_names& names,
                       const std::vector<std::string>& places) {
    const timeline_layout layout = lay_out_spans(t.records);
    const unsigned rows = std::max(1u, layout.rows);
    for (unsigned i = 0; i < rows; ++i) {
      metadata("thread_name", s, first_row + i, i == 0 ? t.name : t.name + " (" + std::to_string(i + 1) + ")");
      sort_index("thread_sort_index", s, first_row + i, first_row + i);
    }
    if (t.dropped != 0) {
      event("{\"ph\":\"i\",\"s\":\"t\",\"pid\":").number(std::uint64_t{s.node}) << ",\"tid\":";
      out_.number(std::uint64_t{first_row}) << ",\"ts\":";
      out_.microseconds(t.records.empty() ? 0 : time_ns(s, t.records.front().end))
          << ",\"name\":\"older records dropped\",\"args\":{\"dropped\":";
      out_.number(t.dropped) << "}}";
    }
    for (std::size_t i = 0; i < layout.order.size(); ++i) {
      const record& r = t.records[layout.order[i]];
      if (layout.row[i] == timeline_layout::no_row) asynchronous(s, r, first_row, names, places);
      else span(s, r, first_row + layout.row[i], names, places);
    }
    for (const record& r : t.records) {
      if (is_stacked(r.kind)) continue;
      if (is_span(r.kind)) asynchronous(s, r, first_row, names, places);
      else if (r.kind == kind::edge) effects_.push_back({r.cause, r.id, time_ns(s, r.end)});
      else moment(s, r, first_row, names, places);
    }
    return rows;
  }

  void span(const snapshot& s, const record& r, std::uint32_t row, escaped_names& names,
            const std::vector<std::string>& places) {
    const std::int64_t start = time_ns(s, std::min(r.start, r.end)), end = time_ns(s, r.end);
    event("{\"ph\":\"X\",\"pid\":").number(std::uint64_t{s.node}) << ",\"tid\":";
    out_.number(std::uint64_t{row}) << ",\"ts\":";
    out_.microseconds(start) << ",\"dur\":";
    out_.microseconds(end - start);
    what(r, names);
    arguments(r, names, places);
    if (r.id != 0) spans_.push_back({r.id, start, end, s.node, row});
    if (r.cause != 0 && !is_waiting(r.kind)) effects_.push_back({r.cause, 0, start, s.node, row});
  }

  // Spans that overlap others on their track: a pair of events with a common number.
  void asynchronous(const snapshot& s, const record& r, std::uint32_t row, escaped_names& names,
                    const std::vector<std::string>& places) {
    ++asynchronous_;
    for (const char* phase : {"{\"ph\":\"b\",\"pid\":", "{\"ph\":\"e\",\"pid\":"}) {
      const bool begins = phase[7] == 'b';
      event(phase).number(std::uint64_t{s.node}) << ",\"tid\":";
      out_.number(std::uint64_t{row}) << ",\"id\":\"";
      out_.hexadecimal(asynchronous_) << "\",\"ts\":";
      out_.microseconds(time_ns(s, begins ? std::min(r.start, r.end) : r.end));
      what(r, names);
      if (begins) arguments(r, names, places);
      else out_ << "}";
    }
  }

  void moment(const snapshot& s, const record& r, std::uint32_t row, escaped_names& names,
              const std::vector<std::string>& places) {
    event(r.kind == kind::counter ? "{\"ph\":\"C\",\"pid\":" : "{\"ph\":\"i\",\"s\":\"t\",\"pid\":")
            .number(std::uint64_t{s.node})
        << ",\"tid\":";
    out_.number(std::uint64_t{row}) << ",\"ts\":";
    out_.microseconds(time_ns(s, r.end));
    what(r, names);
    if (r.kind == kind::counter) {
      out_ << ",\"args\":{\"value\":";
      out_.number(static_cast<std::int64_t>(r.amount)) << "}}";
    } else {
      arguments(r, names, places);
    }
  }

  void what(const record& r, escaped_names& names) {
    out_ << ",\"cat\":\"" << name(r.kind) << "\",\"name\":\"" << names.name(r.name, r.kind) << "\"";
  }

  void arguments(const record& r, escaped_names& names, const std::vector<std::string>& places) {
    out_ << ",\"args\":{\"id\":\"0x";
    out_.hexadecimal(r.id) << "\"";
    if (r.cause != 0) {
      out_ << (is_waiting(r.kind) ? ",\"waits_for\":\"0x" : ",\"cause\":\"0x");
      out_.hexadecimal(r.cause) << "\"";
    }
    if (is_waiting(r.kind) && r.amount != 0) {
      out_ << ",\"asked_by\":\"0x";
      out_.hexadecimal(r.amount) << "\"";
    }
    const std::uint64_t amount = moves_data(r.kind) ? bytes_moved(r.amount) : r.amount;
    if (const auto key = amount_name(r.kind); !key.empty() && amount != 0) {
      out_ << key;
      out_.number(amount);
    }
    if (moves_data(r.kind)) place(",\"from\":", moved_from(r.amount), places);
    place(moves_data(r.kind) ? ",\"to\":" : ",\"place\":", r.place, places);
    if (const std::string_view owner = owners_->of(r); !owner.empty()) module(owner);
    out_ << names.where(r.name) << "}}";
  }

  void module(std::string_view name) {
    std::string escaped;
    append_json(escaped, name);
    out_ << ",\"module\":\"" << escaped << "\"";
  }

  void place(std::string_view key, std::uint16_t number, const std::vector<std::string>& places) {
    if (number < places.size()) out_ << key << "\"" << places[number] << "\"";
    else if (number == program_memory) out_ << key << "\"program memory\"";
    else if (number != no_place) (out_ << key).number(std::uint64_t{number});
  }

  void arrows() {
    std::uint64_t id = 0;
    for (const arrow& a : find_arrows(std::move(spans_), std::move(effects_))) {
      ++id;
      arrow_event("{\"ph\":\"s\",\"id\":", id, a.from);
      arrow_event("{\"ph\":\"f\",\"bp\":\"e\",\"id\":", id, a.to);
    }
  }
  void arrow_event(std::string_view text, std::uint64_t id, const arrow_end& end) {
    event(text).number(id) << ",\"pid\":";
    out_.number(std::uint64_t{end.node}) << ",\"tid\":";
    out_.number(std::uint64_t{end.row}) << ",\"ts\":";
    out_.microseconds(end.at_ns) << ",\"cat\":\"flow\",\"name\":\"cause\"}";
  }

  std::ostream& to_;
  line_writer out_;
  std::span<const snapshot> nodes_;
  const module_owners* owners_ = nullptr;  // of the current node
  std::int64_t first_ns_ = std::numeric_limits<std::int64_t>::max();
  bool any_event_ = false;
  std::uint64_t asynchronous_ = 0;
  std::vector<drawn_span> spans_;
  std::vector<effect> effects_;
};

error not_written(std::string file, int reason) {
  auto e = error("T01", "the trace could not be written");
  if (!file.empty()) e.fact("file", std::move(file));
  if (reason != 0) e.because(std::strerror(reason));
  return std::move(e.remedy("name a file in a folder that exists, is writable and has free space"));
}

}  // namespace

void write_chrome(std::ostream& to, std::span<const snapshot> nodes) {
  chrome_file(to, nodes).write();
  if (!to) throw not_written({}, 0);
}

namespace {

// Returns 0 or an errno.
int write_in_place(const std::filesystem::path& file, std::span<const snapshot> nodes) {
  errno = 0;
  std::ofstream to(file, std::ios::binary | std::ios::trunc);
  if (to) {
    chrome_file(to, nodes).write();
    to.close();
  }
  return to ? 0 : errno ? errno : EIO;
}

}  // namespace

// Writes to a temporary file and renames it: of two processes that write the same file one wins, and its file is
// complete.
void write_chrome(const std::filesystem::path& file, std::span<const snapshot> nodes) {
  std::error_code fault;
  const auto there = std::filesystem::status(file, fault);
  if (!std::filesystem::exists(there) || std::filesystem::is_regular_file(there)) {
    const auto place = std::filesystem::is_symlink(file, fault) ? std::filesystem::canonical(file, fault) : file;
    base::new_file part(place, 0666);
    if (!part.error()) {
      base::file_output to(part.number());
      chrome_file(to, nodes).write();
      int reason = to.finish();
      if (!reason) reason = part.put_in_place();
      if (reason) throw not_written(file.string(), reason);
      return;
    }
  }
  // Not a regular file, or in a folder where no file can be created.
  if (const int reason = write_in_place(file, nodes)) throw not_written(file.string(), reason);
}

void check_writable(const std::filesystem::path& file) {
  if (const int reason = base::write_access_error(file)) throw not_written(file.string(), reason);
}

std::filesystem::path file_of_node(std::filesystem::path first, std::uint32_t node) {
  if (node == 0) return first;
  return first.replace_extension(".N" + std::to_string(node) + first.extension().string());
}

}  // namespace stretto::trace
