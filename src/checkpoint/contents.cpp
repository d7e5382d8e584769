#include "checkpoint/contents.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include <stretto/job.hpp>

#include "dist/builds.hpp"
#include "files/crc32c.hpp"

namespace stretto::checkpoints {

namespace {

using json = nlohmann::ordered_json;
using files::checksum_text, files::crc32c;

constexpr const char* contents_name = "checkpoint.json";
constexpr int format_version = 1;
/// Its own checksum is that of its text with these in its place.
constexpr std::string_view no_checksum = "--------";

constexpr const char* expected = "a table of contents with its checksum";

std::uint32_t checksum_in(const std::string& text) {
  std::uint32_t sum = 0;
  std::from_chars(text.data(), text.data() + text.size(), sum, 16);
  return sum;
}

json shape_to_json(const kept_shape& s) {
  json j{{"type", s.type}, {"element_bytes", s.element_bytes}, {"lengths", s.lengths}};
  if (!s.origin.empty()) j["origin"] = s.origin;
  if (!s.fields_of.empty()) j["fields_of"] = s.fields_of;
  if (s.rows) j["rows"] = s.rows;
  return j;
}
kept_shape shape_from(const json& j) {
  kept_shape s;
  s.type = j.at("type");
  s.element_bytes = j.at("element_bytes");
  s.lengths = j.at("lengths").get<std::vector<std::int64_t>>();
  if (j.contains("origin")) s.origin = j["origin"].get<std::vector<std::int64_t>>();
  if (j.contains("fields_of")) s.fields_of = j["fields_of"];
  s.rows = j.value("rows", std::int64_t{0});
  return s;
}

}  // namespace

checkpoint_content content_of_this_job() {
  checkpoint_content c;
  c.program = dist::program_build();
  c.library = dist::library_build();
  c.nodes = job_nodes();
  return c;
}

void write_contents(const std::filesystem::path& root, const checkpoint_content& c) {
  json kept = json::object(), homes = json::object(), files = json::object();
  for (const auto& [name, shape] : c.kept) kept[name] = shape_to_json(shape);
  json by_nodes = json::object();
  for (const auto& [node, its] : c.kept_by_nodes)
    for (const auto& [name, shape] : its) by_nodes[std::to_string(node)][name] = shape_to_json(shape);
  for (const auto& [number, node] : c.homes) homes[std::to_string(number)] = node;
  for (const auto& [name, f] : c.files) files[name] = {{"bytes", f.bytes}, {"crc32c", checksum_text(f.checksum)}};
  json all{{"stretto_checkpoint", format_version}, {"crc32c", no_checksum}, {"program", c.program}, {"library", c.library},
                 {"nodes", c.nodes},                     {"kept", kept},          {"objects", c.objects}, {"messages", c.letters},
                 {"names_made", c.names_made},           {"homes", homes},        {"files", files}};
  if (!by_nodes.empty()) all["kept_by_nodes"] = by_nodes;
  std::string text = all.dump(1) + '\n';
  const std::string sum = checksum_text(crc32c(std::as_bytes(std::span(text))));
  text.replace(text.find(no_checksum), no_checksum.size(), sum);
  write_text(root, contents_name, text);
}

checkpoint_content read_table(const std::filesystem::path& directory) {
  const auto file = directory / contents_name;
  std::error_code e;
  if (!std::filesystem::is_directory(directory, e) || !std::filesystem::exists(file, e))
    throw error("C06", directory.string() + " is no checkpoint")
        .because(std::filesystem::is_directory(directory, e) ? "it has no file checkpoint.json" : "there is no such directory")
        .remedy("name the directory that save_checkpoint was given");
  const auto bytes = read_any(file);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  checkpoint_content c;
  c.directory = directory;
  try {
    const json all = json::parse(text);
    const std::string sum = all.at("crc32c");
    const auto at = text.find("\"crc32c\": \"" + sum);
    if (sum.size() != no_checksum.size() || at == text.npos) throw damaged(file, expected, "no checksum");
    text.replace(at + 11, sum.size(), no_checksum);
    const std::uint32_t is = crc32c(std::as_bytes(std::span(text)));
    if (is != checksum_in(sum)) throw damaged(file, expected, "checksum " + checksum_text(is) + " in place of " + sum);
    if (all.at("stretto_checkpoint") != format_version)
      throw error("C06", directory.string() + " is no checkpoint that this version of Stretto reads")
          .fact("format", all.at("stretto_checkpoint").dump() + "; this version reads " + std::to_string(format_version))
          .remedy("read it with the version that has written it: " + all.at("library").get<std::string>());
    c.program = all.at("program");
    c.library = all.at("library");
    c.nodes = all.at("nodes");
    c.names_made = all.at("names_made");
    c.objects = all.at("objects");
    c.letters = all.at("messages");
    for (const auto& [name, shape] : all.at("kept").items()) c.kept.emplace(name, shape_from(shape));
    const json by_nodes = all.value("kept_by_nodes", json::object());
    for (const auto& [node, its] : by_nodes.items())
      for (const auto& [name, shape] : its.items())
        c.kept_by_nodes[static_cast<std::uint32_t>(std::stoul(node))].emplace(name, shape_from(shape));
    for (const auto& [number, node] : all.at("homes").items())
      c.homes.emplace(static_cast<std::uint16_t>(std::stoul(number)), node.get<std::uint16_t>());
    for (const auto& [name, f] : all.at("files").items())
      c.files.emplace(name, file_entry{name, f.at("bytes"), checksum_in(f.at("crc32c"))});
  } catch (const json::exception& wrong) {
    throw damaged(file, expected, wrong.what());
  }
  return c;
}

void refuse_bad_name(const std::string& name, const std::source_location& where) {
  const bool is_good = !name.empty() && name.size() <= 200 && !name.starts_with("__") && name.front() != '.' &&
                       std::ranges::none_of(name, [](char c) { return c == '/' || static_cast<unsigned char>(c) < ' '; });
  if (is_good) return;
  throw error("C08", "nothing can be kept in a checkpoint under the name \"" + name + "\"")
      .fact("called", where)
      .because("it becomes the name of an array, and of a directory")
      .remedy("take a name without '/', of 1 to 200 characters, that begins neither with '.' nor with \"__\"");
}

checkpoint_content read_contents(const std::filesystem::path& directory) {
  checkpoint_content c = read_table(directory);
  for (const auto& [name, f] : c.files) read_file(directory, f);
  return c;
}

}  // namespace stretto::checkpoints

namespace stretto::detail {

const checkpoints::file_entry& checkpoint_content::entry_of(const std::string& file) const {
  const auto found = files.find(file);
  if (found != files.end()) return found->second;
  throw error("C02", "the checkpoint " + directory.string() + " is damaged")
      .because("its table of contents does not name the file " + file)
      .remedy("take another copy of the whole checkpoint");
}

}  // namespace stretto::detail
