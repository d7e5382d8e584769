#include "report/reader.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <stretto/error.hpp>
#include <unordered_map>

#include "report/arrows.hpp"
#include "report/scanner.hpp"

namespace stretto::report {
namespace {

constexpr std::size_t most_records = 100'000'000;
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
  reader(std::string_view text, std::string title) : in_(text), size_(text.size()) { run_.title = std::move(title); }

  run read() {
    if (in_.peek() != '{') throw foreign("it is no JSON object");
    in_.object([&](std::string_view key) { top(key); });
    if (!ours_) throw foreign(fmt::format("nothing in it says \"{}\"", our_format));
    if (in_.failed())
      run_.damage =
          in_.ended()
              ? fmt::format(
                    "the file ends in the middle, after {} bytes: what came later is missing",
                    size_)
              : fmt::format("the file is damaged from byte {} on: what stands there was not read",
                            in_.offset());
    if (run_.records.empty())
      throw error("T12", "the timeline holds no record of any work")
          .fact("file", run_.title)
          .because(run_.damage.empty() ? "nothing ran while it was recorded, or the trace level was off" : run_.damage)
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
    std::uint64_t operation = 0, cause = 0, bytes = 0;
  };

  error foreign(std::string why) const {
    return error("T11", "the file is no timeline of Stretto")
        .fact("file", run_.title)
        .because(std::move(why))
        .remedy("run the program with STRETTO_TRACE=run.json, then stretto report run.json");
  }

  void top(std::string_view key) {
    if (key == "otherData") {
      in_.object([&](std::string_view member) { other(member); });
    } else if (key == "traceEvents") {
      if (!ours_) throw foreign(fmt::format("it holds events, but nothing before them says \"{}\"", our_format));
      in_.array([&] { read_event(); });
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
        in_.object([&](std::string_view key) {
          if (key == "level" && in_.peek() == '"') run_.level = in_.text(store_[0]);
          else if (key == "dropped_records") run_.dropped += in_.integer();
          else in_.skip();
        });
      });
    } else {
      in_.skip();
    }
  }

  void read_event() {
    if (in_.peek() != '{') return in_.skip();
    event e;
    in_.object([&](std::string_view key) { member(e, key); });
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
      case 'M': metadata(e); break;
      default: break;
    }
  }

  void member(event& e, std::string_view key) {
    const char next = in_.peek();
    if (next == '"') {
      if (key == "ph") {
        const auto phase = in_.text(store_[0]);
        e.phase = phase.size() == 1 ? phase[0] : '\0';
      } else if (key == "cat") e.category = in_.text(store_[1]);
      else if (key == "name") e.name = in_.text(store_[2]);
      else if (key == "id") e.id = in_.text(store_[3]);
      else in_.skip();
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
      if (key == "bytes" && in_.peek() != '{' && in_.peek() != '[') e.bytes = in_.integer();
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
    run_.records.push_back(r);
    return static_cast<std::uint32_t>(run_.records.size() - 1);
  }

  std::uint32_t label_of(const event& e, kind k) {
    key_.assign(1, static_cast<char>(k));
    key_.append(e.at).append(1, '\0').append(e.name);
    if (const auto known = labels_.find(key_); known != labels_.end()) return known->second;
    run_.labels.push_back({std::string(e.name), std::string(e.at), k});
    return labels_[key_] = static_cast<std::uint32_t>(run_.labels.size() - 1);
  }

  std::uint16_t place_of(std::string_view name) {
    if (name.empty()) return no_place;
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
    const auto [found, is_new] = lanes_.try_emplace(fmt::format("{}:{}", e.node, e.tid), run_.lanes.size());
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
    run_.edges = edges_of(run_, arrows_);
    arrows_ = {};
    if (!run_.damage.empty()) {
      const auto more = edges_of_causes(run_);
      run_.edges.insert(run_.edges.end(), more.begin(), more.end());
    }
    put_in_order(run_);
  }

  scanner in_;
  std::size_t size_;
  run run_;
  bool ours_ = false;
  std::string store_[10], key_;
  by_text<std::uint32_t> labels_, lanes_, open_;
  by_text<std::uint16_t> places_;
  std::uint64_t last_node_ = 0, last_tid_ = 0, tail_number_ = 0;
  std::uint32_t last_lane_ = 0;
  std::optional<arrow_point> tail_;
  std::unordered_map<std::uint64_t, arrow_point> tails_;
  std::vector<drawn_arrow> arrows_;
};

error unreadable(const std::filesystem::path& file, int reason) {
  return error("T10", "the timeline cannot be read")
      .fact("file", file.string())
      .because(std::strerror(reason))
      .remedy("name the file that STRETTO_TRACE=FILE or save_trace wrote");
}

struct open_file {
  int number;
  ~open_file() { ::close(number); }
};

}  // namespace

run read_run(std::string_view text, std::string title) { return reader(text, std::move(title)).read(); }

run read_run(const std::filesystem::path& file) {
  const open_file from{::open(file.c_str(), O_RDONLY | O_CLOEXEC)};
  if (from.number < 0) throw unreadable(file, errno);
  struct stat about{};
  if (::fstat(from.number, &about) != 0) throw unreadable(file, errno);
  // Read, not mapped: a file that shrinks meanwhile must not kill us.
  std::size_t capacity = static_cast<std::size_t>(std::max<off_t>(about.st_size, 0)) + (1 << 16), size = 0;
  auto text = std::make_unique_for_overwrite<char[]>(capacity);
  for (;;) {
    if (size == capacity) {
      auto larger = std::make_unique_for_overwrite<char[]>(capacity * 2);
      std::memcpy(larger.get(), text.get(), size);
      text = std::move(larger);
      capacity *= 2;
    }
    const ssize_t got = ::read(from.number, text.get() + size, capacity - size);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) throw unreadable(file, errno);
    if (got > 0) size += static_cast<std::size_t>(got);
  }
  return read_run({text.get(), size}, file.filename().string());
}

}  // namespace stretto::report
