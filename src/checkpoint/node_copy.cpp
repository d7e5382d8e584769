#include "checkpoint/node_copy.hpp"

#include <mutex>
#include <utility>

#include "checkpoint/checkpoint_array.hpp"
#include "checkpoint/collective_calls.hpp"

namespace stretto::checkpoints {

namespace {

saved_shape shape_of_bytes(std::uint64_t n) { return {"uint8", 1, {static_cast<std::int64_t>(n)}, {}, {}}; }

}  // namespace

void store_node_copy(node_copy all) {
  checkpoint_state& state = state_here("save_checkpoint");
  const std::scoped_lock lock(state.copy_lock);
  state.copy = std::move(all);
}

void copy_objects(std::vector<saved_value>& all) {
  std::vector<event> done;
  for (saved_value& k : all) {
    if (!k.object.get()) continue;
    k.bytes.resize(elements_of(k.shape) * k.shape.element_bytes);
    const box whole = detail::elements_of(k.object, k.where);
    if (!whole.is_empty()) done.push_back(detail::copy_elements(k.object, whole, access::in, k.bytes.data(), k.where));
  }
  for (const event e : done) wait(e);
  for (saved_value& k : all) k.object = {};
}

written_part write_copy(const std::string& root) {
  node_copy all;
  {
    checkpoint_state& state = state_here("save_checkpoint");
    const std::scoped_lock lock(state.copy_lock);
    all = std::exchange(state.copy, {});
  }
  written_part part;
  part.objects = all.objects.size();
  part.names_made = objects_here().homes().ids_made();
  std::vector<std::byte> content;
  const auto put = [&](std::vector<std::byte>& bytes) {
    const place_of_bytes there{this_node(), content.size(), bytes.size()};
    content.insert(content.end(), bytes.begin(), bytes.end());
    std::vector<std::byte>().swap(bytes);
    return there;
  };
  std::vector<listed_object> list;
  for (mobiles::saved_object& o : all.objects) {
    const place_of_bytes there = put(o.content);
    list.push_back({std::move(o), there, {}, 0});
    listed_object& is = list.back();
    for (mobiles::saved_message& m : is.what.messages) {
      const place_of_bytes arguments = put(m.arguments);
      is.messages.push_back({std::move(m), arguments});
    }
    is.what.messages.clear();
    part.messages += is.messages.size();
  }
  const std::string name = node_folder(this_node());
  part.files.push_back(write_text(root, name + ".json", text_of(list)));
  write_array(root, name, shape_of_bytes(content.size()), content, part.files);
  if (!all.per_node.empty())
    part.files.push_back(write_text(root, group_of_node(this_node()) + "/zarr.json", group_text()));
  for (const saved_value& k : all.per_node) {
    write_array(root, array_of({k.name, this_node()}), k.shape, k.bytes, part.files);
    part.per_node.emplace(k.name, k.shape);
  }
  return part;
}

std::vector<listed_object> read_list(const checkpoint_content& from, std::uint32_t node) {
  const std::string name = node_folder(node) + ".json";
  const auto bytes = read_file(from.directory, from.entry_of(name));
  return objects_in({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, node, from.directory / name);
}

std::vector<std::byte> read_node_bytes(const checkpoint_content& from, std::uint32_t node) {
  std::uint64_t bytes = 0;
  for (const listed_object& o : read_list(from, node)) {
    bytes = std::max(bytes, o.content.offset + o.content.bytes);
    for (const listed_message& m : o.messages) bytes = std::max(bytes, m.arguments.offset + m.arguments.bytes);
  }
  return read_array(from.directory, node_folder(node), shape_of_bytes(bytes),
                    [&](const std::string& file) { return from.entry_of(file); });
}

}  // namespace stretto::checkpoints
