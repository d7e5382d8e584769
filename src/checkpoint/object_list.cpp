#include "checkpoint/object_list.hpp"

#include <charconv>

#include <fmt/format.h>

#include "checkpoint/checkpoint_folder.hpp"
#include "checkpoint/json_values.hpp"
#include "files/json_depth.hpp"

namespace stretto::checkpoints {

namespace {

using json = nlohmann::ordered_json;

/// Bytes of one node: more would be more than 2^62 together.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 61;

std::string hex(std::uint64_t x) { return fmt::format("{:x}", x); }
std::uint64_t from_hex(const json& j) {
  const std::string text = j;
  std::uint64_t x = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), x, 16);
  require(fault == std::errc() && end == text.data() + text.size(), "hexadecimal digits that are none, or too many");
  return x;
}

place_of_bytes place_in(const json& j, std::uint32_t node) {
  const place_of_bytes p{node, number_in<std::uint64_t>(j.at("offset"), 0, most_bytes),
                         number_in<std::uint64_t>(j.at("bytes"), 0, most_bytes)};
  require(p.offset + p.bytes <= most_bytes, "bytes beyond every file");
  return p;
}

void put(json& to, const place_of_bytes& p) { to["offset"] = p.offset, to["bytes"] = p.bytes; }

json to_json(const listed_message& l) {
  json j{{"kind", static_cast<int>(l.what.action)},
         {"function", hex(l.what.function)},
         {"calls", l.what.handler},
         {"name", l.what.name},
         {"priority", l.what.priority},
         {"where", hex(l.what.where)}};
  put(j, l.arguments);
  return j;
}

listed_message message_from(const json& j, std::uint32_t node) {
  listed_message l;
  l.what.action =
      number_in<mobiles::message_action>(j.at("kind"), 0, static_cast<std::uint64_t>(mobiles::message_action::migrate));
  l.what.function = from_hex(j.at("function"));
  l.what.name = j.at("name");
  const json& priority = j.at("priority");
  require(priority.is_number_integer() && priority >= -128 && priority <= 127, "a priority out of range");
  l.what.priority = priority;
  l.what.where = from_hex(j.at("where"));
  l.arguments = place_in(j, node);
  return l;
}

listed_object object_in(const json& j, std::uint32_t node) {
  listed_object o;
  o.what.id = mobiles::object_id{from_hex(j.at("object"))};
  o.what.type = from_hex(j.at("type"));
  o.what.type_name = j.at("of");
  o.what.name = j.at("name");
  o.content = place_in(j, node);
  require(j.at("messages").is_array(), "messages that are not a list");
  for (const json& m : j["messages"]) o.messages.push_back(message_from(m, node));
  return o;
}

}  // namespace

std::string text_of(const std::vector<listed_object>& all) {
  std::string list = "[";
  for (const listed_object& o : all) {
    json j{{"object", hex(base::value_of(o.what.id))},
           {"type", hex(o.what.type)},
           {"of", o.what.type_name},
           {"name", o.what.name}};
    put(j, o.content);
    json messages = json::array();
    for (const listed_message& l : o.messages) messages.push_back(to_json(l));
    j["messages"] = std::move(messages);
    list += (list.size() > 1 ? ",\n" : "\n") + j.dump(-1, ' ', false, json::error_handler_t::replace);
  }
  return list + "\n]\n";
}

std::vector<listed_object> objects_in(std::string_view text, std::uint32_t node, const std::filesystem::path& file) {
  try {
    require(!files::is_nested_too_deeply(text), "values that are nested too deeply");
    const json list = json::parse(text);
    require(list.is_array(), "no list");
    std::vector<listed_object> all;
    for (const json& j : list) all.push_back(object_in(j, node));
    return all;
  } catch (const json::exception& wrong) {
    throw damaged(file, "a list of objects", wrong.what());
  } catch (const std::domain_error& wrong) {
    throw damaged(file, "a list of objects", wrong.what());
  }
}

}  // namespace stretto::checkpoints
