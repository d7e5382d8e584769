#include "report/merged_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <stretto/error.hpp>
#include <string_view>
#include <utility>

#include "report/json_scanner.hpp"
#include "report/node_files.hpp"
#include "report/text_source.hpp"
#include "trace/arrows.hpp"
#include "trace/line_writer.hpp"

namespace stretto::report {
namespace {

/// Whole lines of a file, without their ends.
class lines {
 public:
  explicit lines(const std::filesystem::path& file) : from_(file), left_(from_.window()) {}

  std::optional<std::string_view> next() {
    std::size_t end = left_.find('\n');
    if (end == left_.npos && !from_.is_last()) {
      left_ = from_.move_on(left_.size());
      end = left_.find('\n');
    }
    if (end == left_.npos) return std::nullopt;  // what a crash has cut off
    const std::string_view line = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return line;
  }

 private:
  text_source from_;
  std::string_view left_;
};

/// What stands behind `key` in a line as trace/chrome.cpp writes it: keys begin with a comma, which no text has before
/// a quote.
std::string_view behind(std::string_view line, std::string_view key) {
  const std::size_t at = line.find(key);
  return at == line.npos ? std::string_view() : line.substr(at + key.size());
}
std::uint64_t number_behind(std::string_view line, std::string_view key, int base = 10) {
  const std::string_view text = behind(line, key);
  std::uint64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n, base);
  return n;
}
/// "12.345" as 12345.
std::optional<std::int64_t> nanoseconds_at(std::string_view text) {
  scanner in(text);
  const bool is_negative = in.take('-');
  std::int64_t ns = 0;
  if (!in.take_thousandths(ns)) return std::nullopt;
  return is_negative ? -ns : ns;
}
char phase_of(std::string_view line) {
  constexpr std::string_view first = "{\"ph\":\"";
  return line.starts_with(first) && line.size() > first.size() ? line[first.size()] : '\0';
}

constexpr std::string_view time_key = ",\"ts\":";

/// A file, as the first look at it has found it.
struct part {
  std::filesystem::path file;
  std::string heads;  // of its nodes, as they stand there
  std::vector<std::uint32_t> nodes = {};
  std::uint32_t job_nodes = 1;
  std::int64_t origin = std::numeric_limits<std::int64_t>::max();
  std::uint64_t arrows = 0, pairs = 0;  // the highest numbers
  bool is_whole = false;
};

error foreign(const std::filesystem::path& file, const char* why) {
  return error("T11", "the file is not a timeline of Stretto")
      .fact("file", file.filename().string())
      .because(why)
      .remedy("run the program with STRETTO_TRACE=run.json, then stretto join run.json");
}

void read_node(scanner& in, part& p) {
  std::int64_t origin = 0;
  std::uint64_t job_nodes = 1;
  in.object([&](std::string_view key) {
    if (key == "node") p.nodes.push_back(static_cast<std::uint32_t>(in.integer()));
    else if (key == "job_nodes") job_nodes = in.integer();
    else if (key == "steady_origin_ns" || key == "clock_offset_ns") origin += in.whole();
    else in.skip();
  });
  // Times of the file count from the earliest of its nodes' origins.
  p.origin = std::min(p.origin, origin);
  p.job_nodes = std::max(p.job_nodes, static_cast<std::uint32_t>(std::min<std::uint64_t>(job_nodes, 0x8000)));
}

part read_head(const std::filesystem::path& file) {
  part p{.file = file, .heads = {}};
  lines all(file);
  const auto first = all.next();
  if (!first) throw foreign(file, "it has no line");
  scanner in(*first);
  bool is_ours = false;
  std::string store;
  in.object([&](std::string_view key) {
    if (key != "otherData") return in.skip();
    in.object([&](std::string_view member) {
      if (member == "format") {
        is_ours = in.text(store) == "stretto trace 1";
      } else if (member == "nodes") {
        const char* const begin = in.mark();
        in.array([&] { read_node(in, p); });
        p.heads.assign(begin, in.mark());
      } else {
        in.skip();
      }
    });
  });
  if (!is_ours || p.nodes.empty() || p.heads.size() < 2) throw foreign(file, "it does not contain \"stretto trace 1\"");
  p.heads = p.heads.substr(p.heads.find('[') + 1);
  p.heads.pop_back();
  return p;
}

/// Spans of all nodes, and what was caused on other nodes.
struct causes {
  std::vector<trace::drawn_span> spans = {};
  std::vector<trace::effect> effects = {};
};

/// The first look: numbers, spans and causes. `later`: what its times are behind the first.
void look_at(part& p, std::int64_t later, causes& all) {
  std::vector<trace::effect> effects;
  const std::size_t first_span = all.spans.size();
  lines in(p.file);
  in.next();
  while (const auto line = in.next()) {
    const char phase = phase_of(*line);
    if (!phase) p.is_whole |= line->starts_with("]}");
    else if (phase == 's') p.arrows = std::max(p.arrows, number_behind(*line, ",\"id\":"));
    else if (phase == 'b') p.pairs = std::max(p.pairs, number_behind(*line, ",\"id\":\"", 16));
    if (phase != 'X') continue;
    const auto start = nanoseconds_at(behind(*line, time_key)), length = nanoseconds_at(behind(*line, ",\"dur\":"));
    if (!start || !length) continue;
    const auto node = static_cast<std::uint32_t>(number_behind(*line, ",\"pid\":"));
    const auto lane = static_cast<std::uint32_t>(number_behind(*line, ",\"tid\":"));
    const std::string_view arguments = behind(*line, ",\"args\":{");
    const std::uint64_t id = number_behind(arguments, "\"id\":\"0x", 16),
                        cause = number_behind(arguments, ",\"cause\":\"0x", 16);
    if (id) all.spans.push_back({id, *start + later, *start + *length + later, node, lane});
    if (cause) effects.push_back({cause, 0, *start + later, node, lane});
  }
  // What has its cause in the same file has its arrow there.
  std::vector<std::uint64_t> here;
  for (std::size_t i = first_span; i < all.spans.size(); ++i) here.push_back(all.spans[i].id);
  std::ranges::sort(here);
  std::ranges::copy_if(effects, std::back_inserter(all.effects),
                       [&](const trace::effect& e) { return !std::ranges::binary_search(here, e.cause); });
}

class one_file_writer {
 public:
  explicit one_file_writer(std::ostream& to) : out_(to) {}

  void head(const std::vector<part>& parts) {
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"stretto trace 1\",\"nodes\":[";
    for (const part& p : parts) out_ << (&p == &parts.front() ? "" : ",") << p.heads;
    out_ << "]},\"traceEvents\":[";
  }

  void copy(const part& p, std::int64_t later) {
    lines in(p.file);
    in.next();
    while (auto line = in.next()) {
      const char phase = phase_of(*line);
      if (!phase) continue;
      if (line->ends_with(',')) line->remove_suffix(1);
      event(*line, phase, later);
    }
    arrows_ += p.arrows;
    pairs_ += p.pairs;
  }

  void arrow(const trace::arrow& a) {
    ++arrows_;
    end("{\"ph\":\"s\",\"id\":", a.from);
    end("{\"ph\":\"f\",\"bp\":\"e\",\"id\":", a.to);
  }
  void close() {
    out_ << "\n]}\n";
    out_.flush();
  }
  std::uint64_t events() const noexcept { return events_; }

 private:
  void begin() { out_ << (events_++ ? ",\n" : "\n"); }

  void event(std::string_view line, char phase, std::int64_t later) {
    const std::size_t at = line.find(time_key);
    const auto time = at == line.npos ? std::nullopt : nanoseconds_at(line.substr(at + time_key.size()));
    begin();
    if (!time) {
      out_ << line;
      return;
    }
    std::string_view before = line.substr(0, at), after = line.substr(at + time_key.size());
    after.remove_prefix(std::min(after.find_first_of(",}"), after.size()));
    if (phase == 's' || phase == 'f') renumber(before, ",\"id\":", 10, arrows_);
    else if (phase == 'b' || phase == 'e') renumber(before, ",\"id\":\"", 16, pairs_);
    out_ << before << time_key;
    out_.microseconds(*time + later);
    out_ << after;
  }

  /// Writes up to the number and that, so much higher; leaves what is behind it.
  void renumber(std::string_view& text, std::string_view key, int base, std::uint64_t higher) {
    const std::size_t at = text.find(key);
    if (at == text.npos) return;
    out_ << text.substr(0, at + key.size());
    text.remove_prefix(at + key.size());
    std::uint64_t n = 0;
    const auto end = std::from_chars(text.data(), text.data() + text.size(), n, base).ptr;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    base == 16 ? out_.hexadecimal(n + higher) : out_.number(n + higher);
  }

  void end(std::string_view text, const trace::arrow_end& e) {
    begin();
    out_ << text;
    out_.number(arrows_) << ",\"pid\":";
    out_.number(std::uint64_t{e.node}) << ",\"tid\":";
    out_.number(std::uint64_t{e.row}) << ",\"ts\":";
    out_.microseconds(e.at_ns) << ",\"cat\":\"flow\",\"name\":\"cause\"}";
  }

  trace::line_writer out_;
  std::uint64_t events_ = 0, arrows_ = 0, pairs_ = 0;
};

error unwritable(const std::filesystem::path& file) {
  return error("T17", "the file could not be written").fact("file", file.string()).because(std::strerror(errno));
}

}  // namespace

merged_file write_merged_file(std::vector<std::filesystem::path> of_nodes, const std::filesystem::path& to) {
  merged_file found;
  std::vector<part> parts;
  for (const auto& file : of_nodes) parts.push_back(read_head(file));
  if (parts.size() == 1 && parts[0].job_nodes > 1 && parts[0].nodes == std::vector<std::uint32_t>{0}) {
    const auto others = find_node_files(of_nodes[0], parts[0].job_nodes);
    for (const auto& file : others.there) parts.push_back(read_head(file));
    found.damage = others.missing_text();
  }
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  for (const part& p : parts) {
    first = std::min(first, p.origin);
    for (const std::uint32_t n : p.nodes) {
      if (std::ranges::count(found.nodes, n))
        throw error("T18", fmt::format("two of the timelines belong to node {}", n))
            .fact("file", p.file.filename().string())
            .because("each node of a job writes one timeline")
            .remedy("name the files of one run, each once");
      found.nodes.push_back(n);
    }
  }
  causes all;
  for (part& p : parts) {
    look_at(p, p.origin - first, all);
    if (!p.is_whole)
      found.damage += fmt::format("{}{} ends in the middle: what came later is missing",
                                  found.damage.empty() ? "" : "; ", p.file.filename().string());
  }
  const auto between = find_arrows(std::move(all.spans), std::move(all.effects));
  found.arrows = between.size();

  const std::filesystem::path unready = to.string() + ".part";
  std::ofstream stream(unready, std::ios::binary);
  if (!stream) throw unwritable(to);
  one_file_writer out(stream);
  out.head(parts);
  for (const part& p : parts) out.copy(p, p.origin - first);
  found.events = out.events();
  for (const trace::arrow& a : between) out.arrow(a);
  out.close();
  stream.close();
  std::error_code fault;
  if (stream) std::filesystem::rename(unready, to, fault);
  if (!stream || fault) {
    const error told = unwritable(to);
    std::filesystem::remove(unready, fault);
    throw told;
  }
  return found;
}

}  // namespace stretto::report
