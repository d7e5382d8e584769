#include "checkpoint/checkpoint_json.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "base/utf8.hpp"
#include "checkpoint/json_values.hpp"
#include "files/crc32c.hpp"
#include "files/json_depth.hpp"

namespace stretto::checkpoints {

namespace {

using json = nlohmann::ordered_json;
using detail::checkpoint_content, detail::saved_shape;
using files::checksum_text, files::crc32c;

/// Format 2 stores the checksum of a chunk's payload. Format 1 stored that of the whole file, which ends in its own
/// checksum and therefore has a constant one.
constexpr int format_version = 2, oldest_format = 1;
/// Placeholder for the text's own checksum while that is computed.
constexpr std::string_view no_checksum = "--------";

constexpr std::uint64_t most_length = std::uint64_t{1} << 61;
constexpr std::uint32_t most_nodes = 65535;

constexpr const char* expected = "a table of contents with its checksum";

std::uint32_t checksum_in(const std::string& text) {
  std::uint32_t sum = 0;
  std::from_chars(text.data(), text.data() + text.size(), sum, 16);
  return sum;
}

json shape_to_json(const saved_shape& s) {
  json j{{"type", s.type}, {"element_bytes", s.element_bytes}, {"lengths", s.lengths}};
  if (!s.origin.empty()) j["origin"] = s.origin;
  if (!s.fields_of.empty()) j["fields_of"] = s.fields_of;
  if (s.rows) j["rows"] = s.rows;
  return j;
}

template <class T>
T number_named(const std::string& text, std::uint64_t most) {
  std::uint64_t n = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), n);
  require(fault == std::errc() && end == text.data() + text.size() && n <= most,
          "a name that is not a number, or out of range");
  return static_cast<T>(n);
}

std::vector<std::int64_t> lengths_from(const json& j) {
  require(j.is_array() && j.size() <= 64, "lengths that are not a list of at most 64 numbers");
  std::vector<std::int64_t> all;
  for (const json& n : j) {
    require(n.is_number_integer() && !(n.is_number_unsigned() && n.get<std::uint64_t>() > most_length),
            "a length that is not an integer up to 2^61");
    all.push_back(n.get<std::int64_t>());
    require(all.back() >= -static_cast<std::int64_t>(most_length), "a length below -2^61");
  }
  return all;
}

saved_shape shape_from(const json& j) {
  saved_shape s;
  s.type = j.at("type");
  s.element_bytes = number_in<std::uint32_t>(j.at("element_bytes"), 1, 1u << 30);
  s.lengths = lengths_from(j.at("lengths"));
  unsigned __int128 bytes = s.element_bytes;
  for (const std::int64_t n : s.lengths) {
    require(n >= 0, "a length below 0");
    if (n > 0) bytes *= static_cast<std::uint64_t>(n);
    require(bytes <= std::uint64_t{1} << 62, "lengths of more than 2^62 bytes");
  }
  if (j.contains("origin")) s.origin = lengths_from(j["origin"]);
  require(s.origin.empty() || s.origin.size() == s.lengths.size(),
          "an origin with another number of axes than the lengths");
  if (j.contains("fields_of")) s.fields_of = j["fields_of"];
  if (j.contains("rows")) s.rows = number_in<std::int64_t>(j["rows"], 0, most_length);
  return s;
}

/// Throws unless the file's path stays within the directory.
void require_inside(const std::string& file) {
  require(!file.empty() && file.size() <= 4096 && file.front() != '/' && file.find('\0') == file.npos,
          "a file name that is empty, absolute, or too long");
  for (std::size_t at = 0; at <= file.size();) {
    const std::size_t end = std::min(file.find('/', at), file.size());
    const std::string_view part(file.data() + at, end - at);
    require(!part.empty() && part != "." && part != "..", "a file outside of the directory");
    at = end + 1;
  }
}

file_entry entry_from(const std::string& name, const json& j, int format) {
  require_inside(name);
  const bool excludes_checksum = format >= 2 && j.contains("payload_crc32c");
  const std::string sum = j.at(excludes_checksum ? "payload_crc32c" : "crc32c");
  require(sum.size() == no_checksum.size(), "a checksum that has not 8 digits");
  return {name, number_in<std::uint64_t>(j.at("bytes"), 0, std::uint64_t{1} << 62), checksum_in(sum),
          excludes_checksum};
}

/// The members of a JSON object; throws for other values.
auto members_of(const json& j) {
  require(j.is_object(), "a list or a plain value instead of a JSON object");
  return j.items();
}

checkpoint_content content_from(const json& all, const std::filesystem::path& directory) {
  checkpoint_content c;
  c.directory = directory;
  constexpr auto most = ~std::uint64_t{0};
  const auto format = number_in<std::uint64_t>(all.at("stretto_checkpoint"), 0, most);
  if (format < oldest_format || format > format_version)
    throw error("C06", directory.string() + " is not a checkpoint that this version of Stretto can read")
        .fact("format", std::to_string(format) + "; this version reads " + std::to_string(oldest_format) + " to " +
                            std::to_string(format_version))
        .remedy("read it with the version that wrote it: " + all.at("library").get<std::string>());
  c.program = all.at("program");
  c.library = all.at("library");
  c.has_old_format = format < format_version;
  c.nodes = number_in<std::uint32_t>(all.at("nodes"), 1, most_nodes);
  c.names_made = number_in<std::uint64_t>(all.at("names_made"), 0, most);
  c.objects = number_in<std::uint64_t>(all.at("objects"), 0, most);
  c.messages = number_in<std::uint64_t>(all.at("messages"), 0, most);
  const auto keep = [](checkpoint_content::kept_map& in, const std::string& name, const json& shape) {
    require(is_valid_name(name), "a name that no value can have");
    require(in.emplace(name, shape_from(shape)).second, "a name that occurs twice");
  };
  for (const auto& [name, shape] : members_of(all.at("kept"))) keep(c.kept, name, shape);
  const json by_nodes = all.value("kept_by_nodes", json::object());
  for (const auto& [node, its] : members_of(by_nodes))
    for (const auto& [name, shape] : members_of(its))
      keep(c.kept_by_nodes[number_named<std::uint32_t>(node, c.nodes - 1)], name, shape);
  for (const auto& [number, node] : members_of(all.at("homes")))
    require(
        c.homes.emplace(number_named<std::uint16_t>(number, most_nodes), number_in<std::uint16_t>(node, 0, c.nodes - 1))
            .second,
        "a node number that occurs twice");
  for (const auto& [name, f] : members_of(all.at("files")))
    require(c.files.emplace(name, entry_from(name, f, static_cast<int>(format))).second, "a file that occurs twice");
  return c;
}

/// The position of the eight digits of the text's checksum. Throws if there are none.
std::size_t checksum_position(const std::string& text, const json& all) {
  const std::string sum = all.at("crc32c");
  const auto key = text.find("\"crc32c\": \"" + sum);
  require(sum.size() == no_checksum.size() && key != text.npos, "no checksum");
  return key + 11;
}

}  // namespace

bool is_valid_name(const std::string& name) {
  return !name.empty() && name.size() <= 200 && !name.starts_with("__") && name.front() != '.' &&
         std::ranges::none_of(name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; }) &&
         base::first_bad_utf8(name) == name.size();
}

std::string text_of(const detail::checkpoint_content& c) {
  json kept = json::object(), homes = json::object(), files = json::object();
  for (const auto& [name, shape] : c.kept) kept[name] = shape_to_json(shape);
  json by_nodes = json::object();
  for (const auto& [node, its] : c.kept_by_nodes)
    for (const auto& [name, shape] : its) by_nodes[std::to_string(node)][name] = shape_to_json(shape);
  for (const auto& [number, node] : c.homes) homes[std::to_string(number)] = node;
  for (const auto& [name, f] : c.files)
    files[name] = {{"bytes", f.bytes}, {f.excludes_checksum ? "payload_crc32c" : "crc32c", checksum_text(f.checksum)}};
  json all{{"stretto_checkpoint", format_version},
           {"crc32c", no_checksum},
           {"program", c.program},
           {"library", c.library},
           {"nodes", c.nodes},
           {"kept", kept},
           {"objects", c.objects},
           {"messages", c.messages},
           {"names_made", c.names_made},
           {"homes", homes},
           {"files", files}};
  if (!by_nodes.empty()) all["kept_by_nodes"] = by_nodes;
  return with_checksum(all.dump(1) + '\n');
}

std::string with_checksum(std::string text) {
  const std::size_t at = checksum_position(text, json::parse(text));
  text.replace(at, no_checksum.size(), no_checksum);
  const std::string sum = checksum_text(crc32c(std::as_bytes(std::span(text))));
  return text.replace(at, no_checksum.size(), sum);
}

detail::checkpoint_content content_in(std::string text, const std::filesystem::path& directory) {
  const auto file = directory / contents_name;
  try {
    require(!files::is_nested_too_deeply(text), "values that are nested too deeply");
    const json all = json::parse(text);
    const std::size_t at = checksum_position(text, all);
    const std::string sum = text.substr(at, no_checksum.size());
    text.replace(at, no_checksum.size(), no_checksum);
    const std::uint32_t is = crc32c(std::as_bytes(std::span(text)));
    if (is != checksum_in(sum)) throw damaged(file, expected, "checksum " + checksum_text(is) + " in place of " + sum);
    return content_from(all, directory);
  } catch (const json::exception& wrong) {
    throw damaged(file, expected, wrong.what());
  } catch (const std::domain_error& wrong) {
    throw damaged(file, expected, wrong.what());
  }
}

}  // namespace stretto::checkpoints
