#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/overview.hpp"
#include "report/packed_column.hpp"
#include "report/page_parts.hpp"

namespace stretto::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 300;

json facts_of(const run& r, const analysis& a, const comparison* beside) {
  json facts = to_json(r, a, most_rows);
  facts["places_used"] = std::move(facts["places"]);
  facts["places"] = r.places;
  json labels = json::array(), lanes = json::array(), notes = json::array();
  for (const label& l : r.labels) labels.push_back({{"name", l.name}, {"at", l.at}, {"kind", name(l.kind)}});
  for (const lane& l : r.lanes) lanes.push_back(l.name);
  if (!r.damage.empty()) notes.push_back("This run is not whole: " + r.damage + ".");
  if (r.dropped != 0) notes.push_back(fmt::format("{} older records had no room and are missing.", r.dropped));
  if (r.level == "sampled") notes.push_back("Short tasks were sampled; STRETTO_TRACE_LEVEL=full records all of them.");
  if (const auto left_out = facts["rows_left_out"].get<std::size_t>(); left_out != 0)
    notes.push_back(fmt::format("The tables leave out {} rows; stretto report --json has more.", left_out));
  facts["labels"] = std::move(labels);
  facts["lanes"] = std::move(lanes);
  facts["notes"] = std::move(notes);
  if (beside) facts["comparison"] = to_json(*beside, most_rows);
  return facts;
}

// In a script element only < can begin markup.
std::string script_safe(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text)
    if (c == '<') out += "\\u003c";
    else out += c;
  return out;
}

constexpr std::uint64_t or_none(std::uint16_t place) { return place == no_place ? 0 : place + 1u; }

// The order of the columns is that of their use: what the timeline draws, then what a selected record shows.
column_packer packed(const run& r, const analysis& a) {
  column_packer p;
  const std::size_t n = r.records.size();
  nanoseconds before = 0;
  p.add_column("start", n,
               [&](std::size_t i) { return r.records[i].start - std::exchange(before, r.records[i].start); });
  p.add_column("length", n, [&](std::size_t i) { return r.records[i].length(); });
  p.add_column("nested", n, [&](std::size_t i) { return r.records[i].length() - r.records[i].self; });
  p.add_column("label", n, [&](std::size_t i) { return r.records[i].label; });
  p.add_column("lane", n, [&](std::size_t i) { return r.records[i].lane; });
  const auto& pieces = a.path.pieces;
  before = 0;
  p.add_column("path_start", pieces.size(),
               [&](std::size_t i) { return pieces[i].start - std::exchange(before, pieces[i].start); });
  p.add_column("path_length", pieces.size(), [&](std::size_t i) { return pieces[i].end - pieces[i].start; });
  p.add_column("path_record", pieces.size(), [&](std::size_t i) { return pieces[i].record; });
  const auto& messages = a.ranks.messages;
  before = 0;
  p.add_column("message_sent", messages.size(),
               [&](std::size_t i) { return messages[i].sent - std::exchange(before, messages[i].sent); });
  p.add_column("message_length", messages.size(),
               [&](std::size_t i) { return messages[i].arrived - messages[i].sent; });
  p.add_column("message_from", messages.size(), [&](std::size_t i) { return messages[i].from_lane; });
  p.add_column("message_to", messages.size(), [&](std::size_t i) { return messages[i].to_lane; });
  p.add_column("place", n, [&](std::size_t i) { return or_none(r.records[i].place); });
  p.add_column("from", n, [&](std::size_t i) { return or_none(r.records[i].from); });
  p.add_column("amount", n, [&](std::size_t i) { return r.records[i].amount; });
  std::vector<std::uint64_t> id(r.lanes.size());  // the latest of each lane
  p.begin("id_high");
  for (const record& one : r.records)
    p.add_signed(static_cast<std::int64_t>(one.id >> 32) -
                 static_cast<std::int64_t>(std::exchange(id[one.lane], one.id >> 32)));
  id.assign(r.lanes.size(), 0);
  p.begin("id_low");
  for (const record& one : r.records)
    p.add_signed(static_cast<std::int64_t>(one.id & 0xffffffff) -
                 static_cast<std::int64_t>(std::exchange(id[one.lane], one.id & 0xffffffff)));
  p.add_column("edges", n, [&](std::size_t i) { return r.first_edge[i + 1] - r.first_edge[i]; });
  p.add_column("edge_back", r.edges.size(), [&](std::size_t i) { return r.edges[i].to - r.edges[i].from; });
  return p;
}

json layout_of(const column_packer& p) {
  json all = json::object();
  for (const column_packer::column& c : p.columns())
    all[c.name] = {{"at", c.at}, {"count", c.count}, {"wide", c.most > 0xffffffff}};
  return all;
}

json to_json(const overview& o) {
  std::string busy;
  json labels = json::array();
  for (const overview_cell& c : o.cells) {
    busy += static_cast<char>(c.busy);
    labels.push_back(c.label);
  }
  return {{"slices", o.slices}, {"busy", base64(busy)}, {"labels", std::move(labels)}};
}

std::string bytes_of_hex(std::string_view hex) {
  std::string bytes(hex.size() / 2, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    unsigned value = 0;
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, value, 16);
    bytes[i] = static_cast<char>(value);
  }
  return bytes;
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : plain_name(text, text.size() + 1)) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string to_page(const run& r, const analysis& a, const comparison* beside) {
  const page_parts& parts = shipped_page();
  std::string page;
  const column_packer records = packed(r, a);
  // One pass over the template, so that what is put in is not looked at again.
  for (std::string_view rest = parts.html; !rest.empty();) {
    const auto mark = rest.find('@');
    page += rest.substr(0, mark);
    if (mark == rest.npos) break;
    rest.remove_prefix(mark);
    const auto end = rest.find('@', 1);
    const auto name = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    if (name == "TITLE") page += html_text(r.title);
    else if (name == "STYLE") page += parts.style;
    else if (name == "HASH") page += base64(bytes_of_hex(parts.script_sha256));
    else if (name == "SCRIPT") page += parts.script.substr(1);  // its first line break stands in the template
    else if (name == "DATA") {
      json facts = facts_of(r, a, beside);
      facts["columns"] = layout_of(records);
      facts["overview"] = to_json(find_overview(r));
      page += "<script type=\"application/json\" id=\"facts\">" +
              script_safe(facts.dump(-1, ' ', false, json::error_handler_t::replace)) + "</script>\n";
    } else if (name == "RECORDS") {
      page += "<script type=\"text/plain\" id=\"records\">" + base64(compressed(records.bytes())) + "</script>\n";
    }
  }
  return page;
}

}  // namespace stretto::report
