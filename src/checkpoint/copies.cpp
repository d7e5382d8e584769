#include "checkpoint/copies.hpp"

#include <fmt/format.h>

#include <mutex>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "checkpoint/all_nodes.hpp"
#include "checkpoint/zarr_array.hpp"
#include "files/json_depth.hpp"

namespace stretto::checkpoints {

namespace {

using json = nlohmann::ordered_json;

/// By the node's number, which no two runtimes of a process share.
std::mutex copies_lock;
std::map<std::uint16_t, node_copy>& copies() {
  static auto& all = *new std::map<std::uint16_t, node_copy>;
  return all;
}

std::uint16_t number_here() { return base::require_current("save_checkpoint").runtime->node; }

std::string hex(std::uint64_t x) { return fmt::format("{:x}", x); }
/// Bytes of one node: more would be more than 2^62 together.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 61;
std::uint64_t from_hex(const json& j) { return std::stoull(j.get<std::string>(), nullptr, 16); }

kept_shape shape_of_bytes(std::uint64_t n) { return {"uint8", 1, {static_cast<std::int64_t>(n)}, {}, {}}; }

place_of_bytes place_in(const json& j, std::uint32_t node) {
  const place_of_bytes p{node, j.at("offset"), j.at("bytes")};
  if (p.offset > most_bytes || p.bytes > most_bytes) throw std::domain_error("bytes beyond every file");
  return p;
}

std::vector<listed_object> objects_in(const json& list, std::uint32_t node) {
  std::vector<listed_object> all;
  for (const json& j : list) {
    listed_object o;
    o.what.id = from_hex(j.at("object"));
    o.what.type = from_hex(j.at("type"));
    o.what.type_name = j.at("of");
    o.what.name = j.at("name");
    o.content = place_in(j, node);
    for (const json& m : j.at("messages")) {
      listed_letter l;
      l.what.kind = static_cast<mobiles::letter_kind>(m.at("kind").get<int>());
      l.what.function = from_hex(m.at("function"));
      l.what.name = m.at("name");
      l.what.priority = m.at("priority");
      l.what.where = from_hex(m.at("where"));
      l.arguments = place_in(m, node);
      o.letters.push_back(std::move(l));
    }
    all.push_back(std::move(o));
  }
  return all;
}

}  // namespace

void keep_copy(node_copy all) {
  const std::scoped_lock lock(copies_lock);
  copies()[number_here()] = std::move(all);
}

void copy_objects(std::vector<kept>& all) {
  std::vector<event> done;
  for (kept& k : all) {
    if (!k.object.get()) continue;
    k.bytes.resize(elements_of(k.shape) * k.shape.element_bytes);
    const box whole = detail::elements_of(k.object, k.where);
    if (!whole.is_empty()) done.push_back(detail::copy_elements(k.object, whole, access::in, k.bytes.data(), k.where));
  }
  for (const event e : done) wait(e);
  for (kept& k : all) k.object = {};
}

written_part write_copy(const std::string& root) {
  node_copy all;
  {
    const std::scoped_lock lock(copies_lock);
    if (auto mine = copies().extract(number_here())) all = std::move(mine.mapped());
  }
  written_part part;
  part.objects = all.objects.size();
  part.names_made = objects_here().names_made();
  std::vector<std::byte> content;
  const auto put = [&](std::vector<std::byte>& bytes, json& to) {
    to["offset"] = content.size();
    to["bytes"] = bytes.size();
    content.insert(content.end(), bytes.begin(), bytes.end());
    std::vector<std::byte>().swap(bytes);
  };
  std::string list = "[";
  for (mobiles::kept_object& o : all.objects) {
    json j{{"object", hex(o.id)}, {"type", hex(o.type)}, {"of", o.type_name}, {"name", o.name}};
    put(o.content, j);
    json letters = json::array();
    for (mobiles::kept_letter& l : o.letters) {
      json m{{"kind", static_cast<int>(l.kind)}, {"function", hex(l.function)}, {"calls", l.handler}, {"name", l.name},
             {"priority", l.priority},           {"where", hex(l.where)}};
      put(l.arguments, m);
      letters.push_back(std::move(m));
    }
    part.letters += o.letters.size();
    j["messages"] = std::move(letters);
    list += (list.size() > 1 ? ",\n" : "\n") + j.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  list += "\n]\n";
  const std::string name = node_folder(this_node());
  part.files.push_back(write_text(root, name + ".json", list));
  write_array(root, name, shape_of_bytes(content.size()), content, part.files);
  if (!all.own.empty()) part.files.push_back(write_text(root, group_of_node(this_node()) + "/zarr.json", group_text()));
  for (const kept& k : all.own) {
    write_array(root, array_of({k.name, this_node()}), k.shape, k.bytes, part.files);
    part.own.emplace(k.name, k.shape);
  }
  return part;
}

std::vector<listed_object> read_list(const checkpoint_content& from, std::uint32_t node) {
  const std::string name = node_folder(node) + ".json";
  const auto bytes = read_file(from.directory, from.entry_of(name));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    if (files::is_nested_too_deeply(text)) throw std::domain_error("lists within lists");
    return objects_in(json::parse(text), node);
  } catch (const json::exception& wrong) {
    throw damaged(from.directory / name, "a list of objects", wrong.what());
  } catch (const std::logic_error& wrong) {  // a number that is none
    throw damaged(from.directory / name, "a list of objects", wrong.what());
  }
}

std::vector<std::byte> read_node_bytes(const checkpoint_content& from, std::uint32_t node) {
  std::uint64_t bytes = 0;
  for (const listed_object& o : read_list(from, node)) {
    bytes = std::max(bytes, o.content.offset + o.content.bytes);
    for (const listed_letter& l : o.letters) bytes = std::max(bytes, l.arguments.offset + l.arguments.bytes);
  }
  return read_array(from.directory, node_folder(node), shape_of_bytes(bytes), [&](const std::string& file) { return from.entry_of(file); });
}

}  // namespace stretto::checkpoints
