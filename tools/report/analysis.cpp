#include "report/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <future>
#include <nlohmann/json.hpp>

#include "trace/json_text.hpp"

namespace stretto::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t rows_of_text = 8;

template <class Rows, class F>
json rows(const Rows& all, std::size_t most, F&& row) {
  json table = json::array();
  for (std::size_t i = 0; i < std::min(all.size(), most); ++i) table.push_back(row(all[i]));
  return table;
}

json totals(const std::vector<name_total>& all, std::size_t most) {
  return rows(all, most, [](const name_total& t) {
    json row{{"kind", name(t.kind)}, {"name", t.name},         {"at", t.at},          {"count", t.count},
             {"total", t.total},     {"shortest", t.shortest}, {"longest", t.longest}};
    if (t.bytes != 0) row["bytes"] = t.bytes;
    return row;
  });
}

json shares(const std::vector<path_share>& all, std::size_t most) {
  return rows(all, most, [](const path_share& s) {
    json row{{"piece", name(s.piece)}, {"kind", name(s.kind)}};
    if (!s.name.empty()) row["name"] = s.name;
    row["count"] = s.count;
    row["time"] = s.time;
    return row;
  });
}

json path(const critical_path& p, std::size_t most) {
  return {{"work", p.work},
          {"longest_chain", p.longest_chain},
          {"pieces", p.pieces.size()},
          {"by_kind", shares(p.kinds, most)},
          {"by_name", shares(p.shares, most)}};
}

json used(const std::vector<utilisation>& all, std::size_t most) {
  return rows(all, most, [](const utilisation& u) {
    return json{{"name", u.name}, {"count", u.count}, {"busy", u.busy}, {"asleep", u.asleep}};
  });
}

json idle(const idle_time& i, std::size_t most) {
  return {{"time", i.time},
          {"workers", i.tracks},
          {"overhead_per_task", i.overhead},
          {"by_cause", rows(i.totals, most, [](const idle_total& t) {
             json row{{"cause", name(t.cause)}};
             if (!t.what.empty()) row["kind"] = name(t.kind), row["on"] = t.what, row["at"] = t.at;
             row["count"] = t.count;
             row["time"] = t.time;
             return row;
           })}};
}

json ranks(const rank_findings& f, std::size_t most) {
  std::uint64_t bytes = 0;
  for (const rank_message& m : f.messages) bytes += m.bytes;
  return {
      {"messages", f.messages.size()},
      {"bytes", bytes},
      {"times", rows(f.ranks, most,
                     [](const rank_time& t) {
                       return json{{"rank", t.rank},
                                   {"computing", t.computing},
                                   {"accesses", t.accesses},
                                   {"message_waits", t.message_waits},
                                   {"receive_waits", t.receive_waits},
                                   {"collective_waits", t.collective_waits},
                                   {"other_waits", t.other_waits},
                                   {"on_path", t.on_path}};
                     })},
      {"late", rows(f.late, most,
                    [](const late_total& t) {
                      return json{{"what", name(t.kind)}, {"late", t.late},   {"waiting", t.waiting}, {"call", t.call},
                                  {"at", t.at},           {"count", t.count}, {"time", t.time}};
                    })},
      {"path",
       {{"steps", rows(f.steps, most,
                       [](const path_step& s) { return json{{"rank", s.rank}, {"start", s.start}, {"end", s.end}}; })},
        {"calls", rows(f.calls, most, [](const path_call& c) {
           return json{{"what", c.is_wait ? "wait in" : "until"},
                       {"call", c.call},
                       {"at", c.at},
                       {"count", c.count},
                       {"time", c.time}};
         })}}}};
}

json lengths(const length_histogram& h) {
  return {{"count", h.count},
          {"median", h.median},
          {"shorter_than_ten_overheads", h.too_fine},
          {"bins", rows(h.bins, h.bins.size(), [](const length_bin& b) {
             return json{{"from", b.from}, {"below", b.below}, {"count", b.count}, {"time", b.time}};
           })}};
}

json suggestions(const advice& a) {
  return {{"recorded", a.recorded},
          {"replayed", a.replayed},
          {"operations", a.operations},
          {"error", a.error()},
          {"tried", rows(a.suggestions, a.suggestions.size(), [](const suggestion& s) {
             return json{{"change", s.change}, {"predicted", s.predicted}, {"gain", s.gain}};
           })}};
}

// A heading and its rows; nothing if there are none.
class section {
 public:
  section(std::string& to, std::string heading) : to_(to), heading_(std::move(heading)) {}
  void row(std::string text) {
    if (rows_++ == 0) to_ += "\n" + heading_ + "\n";
    to_ += "  " + std::move(text) + "\n";
  }

 private:
  std::string& to_;
  std::string heading_;
  std::size_t rows_ = 0;
};

template <class Rows, class F>
void table(std::string& to, std::string heading, const Rows& all, F&& text) {
  section s(to, std::move(heading));
  for (std::size_t i = 0; i < std::min(all.size(), rows_of_text); ++i) s.row(text(all[i]));
  if (all.size() > rows_of_text) s.row(fmt::format("... and {} more", all.size() - rows_of_text));
}

void rank_tables(std::string& to, const rank_findings& f, nanoseconds whole) {
  table(to, "late ranks", f.late, [&](const late_total& t) {
    return fmt::format("{:>7}  {:>9}  {} {}: {} waits in {}  {} ({})", share_text(t.time, whole), time_text(t.time),
                       name(t.kind), t.late, t.waiting, plain_name(t.call), plain_name(t.at), t.count);
  });
  std::vector<rank_time> by_path;
  for (const rank_time& t : f.ranks)
    if (t.on_path > 0) by_path.push_back(t);
  std::stable_sort(by_path.begin(), by_path.end(), [](const auto& a, const auto& b) { return a.on_path > b.on_path; });
  table(to, "critical path by rank", by_path, [&](const rank_time& t) {
    return fmt::format("{:>7}  {:>9}  {}", share_text(t.on_path, whole), time_text(t.on_path), t.rank);
  });
  table(to, "critical path by call", f.calls, [&](const path_call& c) {
    return fmt::format("{:>7}  {:>9}  {} {}  {} ({})", share_text(c.time, whole), time_text(c.time),
                       c.is_wait ? "wait in" : "until", plain_name(c.call), plain_name(c.at), c.count);
  });
}

}  // namespace

analysis analyse(const run& r) {
  analysis a;
  auto advised = std::async(std::launch::async, [&] { return find_advice(r); });  // the longest, beside the others
  a.path = find_critical_path(r);
  a.ranks = find_late_ranks(r, a.path);
  a.used = find_utilisation(r);
  a.names = totals_by_name(r);
  a.kinds = totals_by_kind(r);
  a.modules = totals_by_module(r);
  a.copies = copies_by_cause(r);
  a.idle = find_idle(r);
  a.lengths = find_lengths(r, a.idle.overhead);
  a.advice = advised.get();
  return a;
}

json to_json(const run& r, const analysis& a, std::size_t most) {
  json all{{"file", r.title},      {"length", r.length}, {"records", r.records.size()}, {"edges", r.edges.size()},
           {"dropped", r.dropped}, {"level", r.level},   {"damage", r.damage}};
  all["critical_path"] = path(a.path, most);
  if (!a.ranks.ranks.empty()) all["ranks"] = ranks(a.ranks, most);
  all["workers"] = used(a.used.tracks, most);
  all["places"] = used(a.used.places, most);
  all["names"] = totals(a.names, most);
  all["kinds"] = totals(a.kinds, most);
  all["modules"] = rows(a.modules, most, [](const module_total& m) {
    json row{{"module", m.module}, {"kind", name(m.kind)}, {"count", m.count}, {"time", m.time}};
    if (m.bytes != 0) row["bytes"] = m.bytes;
    return row;
  });
  all["copies"] = rows(a.copies, most, [](const copy_total& c) {
    return json{{"name", c.name},   {"from", c.from},   {"to", c.to},    {"at", c.at},
                {"count", c.count}, {"bytes", c.bytes}, {"time", c.time}};
  });
  all["idle"] = idle(a.idle, most);
  all["task_lengths"] = lengths(a.lengths);
  all["changes"] = suggestions(a.advice);
  std::size_t left_out = 0;
  for (const std::size_t size :
       {a.ranks.ranks.size(), a.ranks.late.size(), a.ranks.steps.size(), a.ranks.calls.size(), a.path.shares.size(),
        a.used.tracks.size(), a.used.places.size(), a.names.size(), a.copies.size(), a.idle.totals.size()})
    left_out += size - std::min(size, most);
  all["rows_left_out"] = left_out;
  return all;
}

std::string to_text(const run& r, const analysis& a) {
  std::string text = fmt::format("{}: {} records in {}, {} arrows\n", plain_name(r.title, 200), r.records.size(),
                                 time_text(r.length), r.edges.size());
  if (!r.damage.empty()) text += "  note  " + r.damage + "\n";
  if (r.dropped != 0)
    text += fmt::format("  note  {} older records had no room: what came before is missing\n", r.dropped);
  if (r.level == "sampled") text += "  note  short tasks were sampled; STRETTO_TRACE_LEVEL=full records all of them\n";
  const nanoseconds whole = std::max<nanoseconds>(r.length, 1);
  table(text,
        fmt::format("critical path ({} of work in all; longest chain {})", time_text(a.path.work),
                    time_text(a.path.longest_chain)),
        a.path.shares, [&](const path_share& s) {
          const char* how = s.piece == piece_kind::work    ? name(s.kind)
                            : s.piece == piece_kind::delay ? "delay before"
                                                           : "before";
          return fmt::format("{:>7}  {:>9}  {} {} ({})", share_text(s.time, whole), time_text(s.time), how,
                             plain_name(s.name), s.count);
        });
  rank_tables(text, a.ranks, whole);
  table(text, "busy", a.used.tracks, [&](const utilisation& u) {
    return fmt::format("{:>7}  {:>9}  {} ({} records)", share_text(u.busy, whole), time_text(u.busy),
                       plain_name(u.name), u.count);
  });
  table(text, "time by name", a.names, [](const name_total& t) {
    return fmt::format("{:>9}  {:>8} x  {} {}  {}", time_text(t.total), t.count, name(t.kind), plain_name(t.name),
                       plain_name(t.at));
  });
  if (r.modules.size() > 1)
    table(text, "time by module", a.modules, [](const module_total& m) {
      return fmt::format("{:>9}  {:>8} x  {} {}", time_text(m.time), m.count, plain_name(m.module), name(m.kind));
    });
  table(text, "copies", a.copies, [](const copy_total& c) {
    return fmt::format("{:>9}  {:>8} x  {} B  {}, {} to {}  {}", time_text(c.time), c.count, c.bytes,
                       plain_name(c.name), c.from.empty() ? "(unknown)" : plain_name(c.from),
                       c.to.empty() ? "(unknown)" : plain_name(c.to), plain_name(c.at));
  });
  const nanoseconds idle_whole = std::max<nanoseconds>(whole * a.idle.tracks, 1);
  table(text,
        fmt::format("idle ({} of {} on {} workers)", share_text(a.idle.time, idle_whole), time_text(idle_whole),
                    a.idle.tracks),
        a.idle.totals, [&](const idle_total& t) {
          return fmt::format("{:>7}  {:>9}  {}{}", share_text(t.time, idle_whole), time_text(t.time), name(t.cause),
                             t.what.empty()
                                 ? std::string()
                                 : fmt::format(": {} {}  {}", name(t.kind), plain_name(t.what), plain_name(t.at)));
        });
  if (a.lengths.count != 0)
    text += fmt::format("\ntasks\n  median {}; {} of {} shorter than ten times the overhead of {}\n",
                        time_text(a.lengths.median), a.lengths.too_fine, a.lengths.count, time_text(a.idle.overhead));
  std::vector<suggestion> best;
  for (const suggestion& s : a.advice.suggestions)
    if (best.size() < 3 && s.gain >= 0.001) best.push_back(s);
  table(text,
        fmt::format("worth trying (replayed unchanged: {}, recorded: {}, error {:+.1f} %)",
                    time_text(a.advice.replayed), time_text(a.advice.recorded), 100 * a.advice.error()),
        best, [](const suggestion& s) {
          return fmt::format("{:>+6.1f} %  {:>9}  {}", -100 * s.gain, time_text(s.predicted), plain_name(s.change, 80));
        });
  return text;
}

std::string time_text(nanoseconds t) {
  static constexpr std::array units{"ns", "us", "ms", "s"};
  double value = static_cast<double>(t);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) value /= 1000, ++unit;
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, units[unit]);
}

std::string share_text(nanoseconds part, nanoseconds whole) {
  return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

namespace {

// Characters that no terminal shows, and that turn round what stands beside them: U+061C, U+200E, U+200F, U+202A to
// U+202E, U+2066 to U+2069.
bool turns_text(std::string_view one) {
  if (one == "\xd8\x9c") return true;
  if (one.size() != 3 || one[0] != '\xe2') return false;
  const auto last = static_cast<unsigned char>(one[2]);
  if (one[1] == '\x80') return last == 0x8e || last == 0x8f || (last >= 0xaa && last <= 0xae);
  return one[1] == '\x81' && last >= 0xa6 && last <= 0xa9;
}

}  // namespace

std::string plain_name(std::string_view name, std::size_t most) {
  std::string valid;  // trace::append_json would also escape quotes, so only ill-formed bytes go through it
  for (std::size_t i = 0; i < name.size();) {
    std::size_t length = 1;
    while (i + length < name.size() && (static_cast<unsigned char>(name[i + length]) & 0xc0) == 0x80) ++length;
    std::string one;
    trace::append_json(one, name.substr(i, length));
    const auto first = static_cast<unsigned char>(name[i]);
    if (first < 0x20 || first == 0x7f ||
        (first == 0xc2 && length > 1 && static_cast<unsigned char>(name[i + 1]) < 0xa0) || turns_text(one))
      valid += "\xef\xbf\xbd";
    else if (first == '"' || first == '\\') valid += name[i];
    else valid += one;
    i += length;
    if (valid.size() >= most && i < name.size()) return valid + "...";
  }
  return valid;
}

}  // namespace stretto::report
