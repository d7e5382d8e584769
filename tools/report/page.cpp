#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

#include "report/page_parts.hpp"

namespace stretto::report {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t most_rows = 300;

template <class T, class F>
void append_as(std::string& page, std::size_t count, F&& value) {
  std::string bytes(count * sizeof(T), '\0');
  for (std::size_t i = 0; i < count; ++i) {
    const T one = static_cast<T>(value(i));
    std::memcpy(bytes.data() + i * sizeof(T), &one, sizeof one);  // little-endian, as are the machines that browsers run on
  }
  page += base64(bytes);
}

// A column of numbers in the narrowest type that holds them.
template <class F>
void column(std::string& page, std::string_view name, std::size_t count, F&& value) {
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < count; ++i) most = std::max(most, static_cast<std::uint64_t>(value(i)));
  const char* type = most <= 0xff ? "u8" : most <= 0xffff ? "u16" : most <= 0xffffffff ? "u32" : "f64";
  page += fmt::format("<script type=\"text/plain\" id=\"column-{}\" data-type=\"{}\">", name, type);
  if (most <= 0xff) append_as<std::uint8_t>(page, count, value);
  else if (most <= 0xffff) append_as<std::uint16_t>(page, count, value);
  else if (most <= 0xffffffff) append_as<std::uint32_t>(page, count, value);
  else append_as<double>(page, count, value);
  page += "</script>\n";
}

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

void columns(std::string& page, const run& r, const critical_path& path) {
  const std::size_t n = r.records.size();
  const auto place = [&](std::uint16_t p) { return p == no_place ? r.places.size() : p; };  // one behind the last: none
  column(page, "start", n, [&](std::size_t i) { return r.records[i].start; });
  column(page, "length", n, [&](std::size_t i) { return r.records[i].length(); });
  column(page, "self", n, [&](std::size_t i) { return r.records[i].self; });
  column(page, "label", n, [&](std::size_t i) { return r.records[i].label; });
  column(page, "lane", n, [&](std::size_t i) { return r.records[i].lane; });
  column(page, "place", n, [&](std::size_t i) { return place(r.records[i].place); });
  column(page, "from", n, [&](std::size_t i) { return place(r.records[i].from); });
  column(page, "amount", n, [&](std::size_t i) { return r.records[i].amount; });
  column(page, "id_high", n, [&](std::size_t i) { return r.records[i].id >> 32; });
  column(page, "id_low", n, [&](std::size_t i) { return r.records[i].id & 0xffffffff; });
  column(page, "edge_from", r.edges.size(), [&](std::size_t i) { return r.edges[i].from; });
  column(page, "edge_to", r.edges.size(), [&](std::size_t i) { return r.edges[i].to; });
  const auto& pieces = path.pieces;
  column(page, "path_start", pieces.size(), [&](std::size_t i) { return pieces[i].start; });
  column(page, "path_end", pieces.size(), [&](std::size_t i) { return pieces[i].end; });
  column(page, "path_record", pieces.size(), [&](std::size_t i) { return pieces[i].record; });
  column(page, "path_kind", pieces.size(), [&](std::size_t i) { return static_cast<std::uint8_t>(pieces[i].kind); });
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

std::string base64(std::string_view bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out((bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data();
  const auto at = [&](std::size_t i) { return i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0u; };
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const unsigned three = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
    const std::size_t known = std::min<std::size_t>(3, bytes.size() - i) + 1;
    for (std::size_t k = 0; k < known; ++k) to[k] = digits[three >> (18 - 6 * k) & 63];
    to += 4;
  }
  return out;
}

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
  page.reserve(r.records.size() * 48 + r.edges.size() * 12 + (1 << 16));
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
      const std::string facts = facts_of(r, a, beside).dump(-1, ' ', false, json::error_handler_t::replace);
      page += "<script type=\"application/json\" id=\"facts\">" + script_safe(facts) + "</script>\n";
      columns(page, r, a.path);
    }
  }
  return page;
}

}  // namespace stretto::report
