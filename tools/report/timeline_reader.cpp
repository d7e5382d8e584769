#include "report/timeline_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <stretto/error.hpp>
#include <unordered_map>

#include "report/arrows.hpp"
#include "report/json_scanner.hpp"
#include "report/node_files.hpp"
#include "report/node_merge.hpp"
#include "report/rank_messages.hpp"
#include "report/rank_wait_kinds.hpp"
#include "report/text_source.hpp"

namespace stretto::report {
namespace {

constexpr std::size_t most_records = 100'000'000;
constexpr std::uint64_t most_nodes = 0x8000;
constexpr std::size_t least_left =
    text_source::window_bytes / 4;  // of a window, before an event: ours have some hundred
constexpr std::string_view our_format = "stretto trace 1";

struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view s) const noexcept { return std::hash<std::string_view>()(s); }
};
template <class T>
using by_text = std::unordered_map<std::string, T, text_hash, std::equal_to<>>;

kind kind_named(std::string_view name) noexcept {
  for (unsigned k = 0; k < kind_count; ++k)
    if (name == report::name(static_cast<kind>(k))) return static_cast<kind>(k);
  return kind::other;
}

class reader {
 public:
  reader(std::string_view text, std::string title) : in_(text), expected_bytes_(text.size()) {
    run_.title = std::move(title);
  }
  /// Reads window by window.
  reader(text_source& from, std::string title) : reader(from.window(), std::move(title)) {
    from_ = &from;
    expected_bytes_ = from.file_bytes();
  }

  /// None if something in it is larger than a window.
  std::optional<run> read() {
    if (in_.peek() != '{') throw foreign("it is no JSON object");
    in_.object([&](std::string_view key) { top(key); });
    if (from_ && !from_->is_last() && in_.failed()) return std::nullopt;
    if (!ours_) throw foreign(fmt::format("it does not contain \"{}\"", our_format));
    if (in_.failed())
      run_.damage =
          in_.ended()
              ? fmt::format("the file ends in the middle, after {} bytes: what came later is missing", in_.offset())
              : fmt::format("the file is damaged from byte {} on: what stands there was not read", in_.offset());
    if (run_.records.empty())
      throw error("T12", "the timeline contains no records")
          .fact("file", run_.title)
          .because(run_.damage.empty() ? "no work ran during the recording, or the trace level was off" : run_.damage)
          .remedy("run the program with STRETTO_TRACE=run.json STRETTO_TRACE_LEVEL=full");
    finish();
    return std::move(run_);
  }

 private:
  struct event {
    char phase = 0;
    std::uint64_t node = 0, tid = 0, number = 0;
    nanoseconds start = 0, length = 0;
    std::string_view category, name, id, at, to, from, lane_name, module;
    std::uint64_t operation = 0, cause = 0, bytes = 0, value = 0;
  };

  error foreign(std::string why) const {
    return error("T11", "the file is not a timeline of Stretto")
        .fact("file", run_.title)
        .because(std::move(why))
        .remedy("run the program with STRETTO_TRACE=run.json, then stretto report run.json");
  }

  void top(std::string_view key) {
    if (key == "otherData") {
      in_.object([&](std::string_view member) { other(member); });
    } else if (key == "traceEvents") {
      if (!ours_) throw foreign(fmt::format("it holds events, but nothing before them says \"{}\"", our_format));
      in_.array([&] {
        if (from_ && in_.left() < least_left && !from_->is_last()) in_.go_on_in(from_->move_on(in_.left()));
        read_event();
      });
    } else {
      in_.skip();
    }
  }

  void other(std::string_view member) {
    if (member == "format" && in_.peek() == '"') {
      ours_ = in_.text(store_[0]) == our_format;
    } else if (member == "nodes" && in_.peek() == '[') {
      in_.array([&] {
        if (in_.peek() != '{') return in_.skip();
        nanoseconds steady = 0, offset = 0;
        std::uint64_t node = 0, of = 1;
        in_.object([&](std::string_view key) {
          if (key == "level" && in_.peek() == '"') run_.level = in_.text(store_[0]);
          else if (key == "dropped_records") run_.dropped += in_.integer();
          else if (key == "node") node = in_.integer();
          else if (key == "job_nodes") of = in_.integer();
          else if (key == "steady_origin_ns") steady = in_.whole();
          else if (key == "clock_offset_ns") offset = in_.whole();
          else in_.skip();
        });
        // Times of the file count from the earliest of its nodes' origins.
        if (!has_node_ || steady + offset < run_.begin_ns) run_.begin_ns = steady + offset;
        if (has_node_) {
          ++run_.nodes;
        } else {
          has_node_ = true;
          run_.node = static_cast<std::uint32_t>(node);
          run_.job_nodes = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(of, 1, most_nodes));
        }
      });
    } else {
      in_.skip();
    }
  }

  void read_event() {
    if (in_.peek() != '{') return in_.skip();
    event e;
    if (!read_as_written(e)) {
      e = {};
      in_.object([&](std::string_view key) { member(e, key); });
    }
    if (in_.failed()) return;  // the last line, cut off
    switch (e.phase) {
      case 'X': add(e, e.start + e.length); break;
      case 'b': open_[fmt::format("{}:{}", e.node, e.id)] = add(e, e.start); break;
      case 'e':
        if (const auto found = open_.find(fmt::format("{}:{}", e.node, e.id)); found != open_.end()) {
          run_.records[found->second].end = std::max(e.start, run_.records[found->second].start);
          open_.erase(found);
        }
        break;
      case 's':
        if (tail_) tails_.insert_or_assign(tail_number_, *tail_);
        tail_number_ = e.number;
        tail_ = point(e);
        break;
      case 'f': head(e); break;
      case 'i': moment(e); break;
      case 'M': metadata(e); break;
      default: break;
    }
  }

  // Nearly all lines are spans and arrows as trace/chrome.cpp writes them: read so, they take a quarter of the
  // instructions. False, with nothing read, for all else.
  bool read_as_written(event& e) {
    const char* const begin = in_.mark();
    if (in_.take_exactly("{\"ph\":\"X\",\"pid\":") ? rest_of_span(e) : rest_of_arrow(e)) return true;
    in_.give_back_to(begin);
    return false;
  }
  bool rest_of_span(event& e) {
    e.phase = 'X';
    if (!in_.take_digits(e.node) || !in_.take_exactly(",\"tid\":") || !in_.take_digits(e.tid) ||
        !in_.take_exactly(",\"ts\":") || !in_.take_thousandths(e.start) || !in_.take_exactly(",\"dur\":") ||
        !in_.take_thousandths(e.length) || !in_.take_exactly(",\"cat\":\"") || !in_.take_to_quote(e.category) ||
        !in_.take_exactly(",\"name\":\"") || !in_.take_to_quote(e.name) ||
        !in_.take_exactly(",\"args\":{\"id\":\"0x") || !in_.take_hexadecimal(e.operation) || !in_.take_exactly("\""))
      return false;
    if (in_.take_exactly(",\"cause\":\"0x") && !(in_.take_hexadecimal(e.cause) && in_.take_exactly("\""))) return false;
    if (in_.take_exactly(",\"bytes\":") && !in_.take_digits(e.bytes)) return false;
    if (in_.take_exactly(",\"from\":\"") && !in_.take_to_quote(e.from)) return false;
    if ((in_.take_exactly(",\"place\":\"") || in_.take_exactly(",\"to\":\"")) && !in_.take_to_quote(e.to)) return false;
    if (in_.take_exactly(",\"at\":\"") && !in_.take_to_quote(e.at)) return false;
    return in_.take_exactly("}}");
  }
  bool rest_of_arrow(event& e) {
    if (in_.take_exactly("{\"ph\":\"s\",\"id\":")) e.phase = 's';
    else if (in_.take_exactly("{\"ph\":\"f\",\"bp\":\"e\",\"id\":")) e.phase = 'f';
    else return false;
    return in_.take_digits(e.number) && in_.take_exactly(",\"pid\":") && in_.take_digits(e.node) &&
           in_.take_exactly(",\"tid\":") && in_.take_digits(e.tid) && in_.take_exactly(",\"ts\":") &&
           in_.take_thousandths(e.start) && in_.take_exactly(",\"cat\":\"flow\",\"name\":\"cause\"}");
  }

  void member(event& e, std::string_view key) {
    const char next = in_.peek();
    if (next == '"') {
      if (key == "ph") {
        const auto phase = in_.text(store_[0]);
        e.phase = phase.size() == 1 ? phase[0] : '\0';
      } else if (key == "cat") {
        e.category = in_.text(store_[1]);
      } else if (key == "name") {
        e.name = in_.text(store_[2]);
      } else if (key == "id") {
        e.id = in_.text(store_[3]);
      } else {
        in_.skip();
      }
    } else if (next == '{' && key == "args") {
      in_.object([&](std::string_view argument) { read_argument(e, argument); });
    } else if (next == '{' || next == '[') {
      in_.skip();
    } else if (key == "ts") e.start = in_.thousandths();
    else if (key == "dur") e.length = std::max<nanoseconds>(0, in_.thousandths());
    else if (key == "tid") e.tid = in_.integer();
    else if (key == "pid") e.node = in_.integer();
    else if (key == "id") e.number = in_.integer();
    else in_.skip();
  }

  void read_argument(event& e, std::string_view key) {
    if (in_.peek() != '"') {
      const bool is_number = in_.peek() != '{' && in_.peek() != '[';
      if (key == "bytes" && is_number) e.bytes = in_.integer();
      else if (key == "value" && is_number) e.value = in_.integer();
      else in_.skip();
    } else if (key == "id") e.operation = number_in(in_.text(store_[4]));
    else if (key == "cause" || key == "waits_for") e.cause = number_in(in_.text(store_[4]));
    else if (key == "at") e.at = in_.text(store_[5]);
    else if (key == "to" || key == "place") e.to = in_.text(store_[6]);
    else if (key == "from") e.from = in_.text(store_[7]);
    else if (key == "name") e.lane_name = in_.text(store_[8]);
    else if (key == "module") e.module = in_.text(store_[9]);
    else in_.skip();
  }

  std::uint32_t add(const event& e, nanoseconds end) {
    if (run_.records.size() >= most_records)
      throw error("T13", "the timeline is too large for a report")
          .fact("file", run_.title)
          .fact("at most", fmt::format("{} records", most_records))
          .remedy("record a shorter part of the run, or with STRETTO_TRACE_LEVEL=sampled");
    const kind k = kind_named(e.category);
    record r{.start = e.start, .end = end, .id = e.operation, .cause = e.cause, .amount = e.bytes};
    r.label = label_of(e, k);
    r.lane = lane_of(e);
    r.place = place_of(e.to);
    r.from = place_of(e.from);
    r.module = module_of(e.module);
    r.kind = k;
    // Room for the rest of the file, if it goes on as it began: what is not used takes no memory.
    if (run_.records.size() == run_.records.capacity() && run_.records.size() > 10'000)
      run_.records.reserve(run_.records.size() * (2 + expected_bytes_ / in_.offset()));
    run_.records.push_back(r);
    return static_cast<std::uint32_t>(run_.records.size() - 1);
  }

  // Neighbours are often alike: of each length of name the latest label is asked first.
  std::uint32_t label_of(const event& e, kind k) {
    std::uint32_t& latest = latest_label_[e.name.size() % latest_label_.size()];
    if (latest < run_.labels.size()) {
      const label& l = run_.labels[latest];
      if (l.kind == k && l.name == e.name && l.at == e.at) return latest;
    }
    key_.assign(1, static_cast<char>(k));
    key_.append(e.at).append(1, '\0').append(e.name);
    if (const auto known = labels_.find(key_); known != labels_.end()) return latest = known->second;
    run_.labels.push_back({std::string(e.name), std::string(e.at), k});
    return latest = labels_[key_] = static_cast<std::uint32_t>(run_.labels.size() - 1);
  }

  std::uint16_t place_of(std::string_view name) {
    if (name.empty()) return no_place;
    if (latest_place_ < run_.places.size() && run_.places[latest_place_] == name) return latest_place_;
    return latest_place_ = known_place(name);
  }
  std::uint16_t known_place(std::string_view name) {
    if (const auto known = places_.find(name); known != places_.end()) return known->second;
    if (run_.places.size() >= no_place) return no_place;
    run_.places.emplace_back(name);
    return places_[std::string(name)] = static_cast<std::uint16_t>(run_.places.size() - 1);
  }

  std::uint16_t module_of(std::string_view name) {
    if (name.empty()) return 0;
    const auto known = std::find(run_.modules.begin() + 1, run_.modules.end(), name);
    if (known != run_.modules.end()) return static_cast<std::uint16_t>(known - run_.modules.begin());
    constexpr std::size_t most_modules = 1000;
    if (run_.modules.size() > most_modules) return 0;
    run_.modules.emplace_back(name);
    return static_cast<std::uint16_t>(run_.modules.size() - 1);
  }

  std::uint32_t lane_of(const event& e) {
    if (!run_.lanes.empty() && e.node == last_node_ && e.tid == last_tid_) return last_lane_;
    last_node_ = e.node;
    last_tid_ = e.tid;
    const auto [found, is_new] = lanes_.try_emplace({e.node, e.tid}, static_cast<std::uint32_t>(run_.lanes.size()));
    if (is_new) {
      const auto node = static_cast<std::uint32_t>(std::min<std::uint64_t>(e.node, 0xffffffff));
      run_.lanes.push_back({fmt::format("thread {}", e.tid), 0, node});
    }
    return last_lane_ = found->second;
  }

  arrow_point point(const event& e) { return {lane_of(e), e.start}; }

  void head(const event& e) {
    if (tail_ && tail_number_ == e.number) {
      arrows_.push_back({*tail_, point(e)});
      tail_.reset();
    } else if (const auto found = tails_.find(e.number); found != tails_.end()) {
      arrows_.push_back({found->second, point(e)});
      tails_.erase(found);
    }
  }

  // Ranks record so which message a receive takes. Moments of others are not shown.
  void moment(const event& e) {
    if (e.operation == 0 || e.cause == 0) return;
    run_.deliveries.push_back({e.start, e.cause, e.operation, e.value, label_of(e, kind::other), lane_of(e)});
  }

  void metadata(const event& e) {
    if (e.name == "thread_name") run_.lanes[lane_of(e)].name = e.lane_name;
  }

  // "worker 0 (2)" behind "worker 0" is a further lane of the same track.
  void name_tracks() {
    bool many = false;
    for (const lane& l : run_.lanes) many |= l.node != run_.lanes.front().node;
    by_text<std::uint32_t> known;
    for (lane& l : run_.lanes) {
      const auto full = [&](std::string_view name) {
        return many ? fmt::format("node {} {}", l.node, name) : std::string(name);
      };
      std::string_view base = l.name;
      if (const auto open = base.rfind(" ("); base.ends_with(')') && open != base.npos) base = base.substr(0, open);
      auto found = known.find(full(base));
      if (found == known.end()) {
        found = known.emplace(full(l.name), run_.tracks.size()).first;
        if (found->second == run_.tracks.size()) run_.tracks.push_back(found->first);
      }
      l.track = found->second;
      l.name = full(l.name);
    }
  }

  void finish() {
    name_tracks();
    classify_rank_waits(run_);
    run_.edges = edges_of(run_, arrows_);
    arrows_ = {};
    if (!run_.damage.empty()) {
      const auto more = edges_of_causes(run_);
      run_.edges.insert(run_.edges.end(), more.begin(), more.end());
    }
    add_rank_edges(run_);
    put_in_order(run_);
  }

  scanner in_;
  text_source* from_ = nullptr;  // null: all text is there
  std::size_t expected_bytes_;
  run run_;
  bool ours_ = false, has_node_ = false;
  std::string store_[10], key_;
  by_text<std::uint32_t> labels_, open_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> lanes_;  // by node and thread: a few
  by_text<std::uint16_t> places_;
  std::uint64_t last_node_ = 0, last_tid_ = 0, tail_number_ = 0;
  std::uint32_t last_lane_ = 0;
  std::array<std::uint32_t, 16> latest_label_{};
  std::uint16_t latest_place_ = no_place;
  std::optional<arrow_point> tail_;
  std::unordered_map<std::uint64_t, arrow_point> tails_;
  std::vector<drawn_arrow> arrows_;
};

}  // namespace

run read_run(std::string_view text, std::string title) { return *reader(text, std::move(title)).read(); }

namespace {

run read_file(const std::filesystem::path& file) {
  text_source from(file);
  const std::string title = file.filename().string();
  if (auto found = reader(from, title).read()) return std::move(*found);
  return read_run(from.whole(), title);
}

}  // namespace

run read_run(const std::filesystem::path& file) {
  run first = read_file(file);
  if (first.job_nodes <= 1 || first.node != 0 || first.nodes > 1) return first;
  std::vector<run> all;
  all.push_back(std::move(first));
  const auto others = find_node_files(file, all.front().job_nodes);
  for (const auto& its : others.there) {
    try {
      all.push_back(read_file(its));
    } catch (const error& e) {
      if (e.code() != "T12") throw;  // it had nothing to do
    }
  }
  run whole = merge_nodes(std::move(all));
  if (!others.missing.empty()) whole.damage += (whole.damage.empty() ? "" : "; ") + others.missing_text();
  return whole;
}

}  // namespace stretto::report
