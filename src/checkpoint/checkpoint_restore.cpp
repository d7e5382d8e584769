// checkpoint_restore.cpp - restores a checkpoint on any number of nodes: values by name, and mobile objects with
// their messages.
#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "base/nearest_name.hpp"
#include "checkpoint/checkpoint_array.hpp"
#include "checkpoint/collective_calls.hpp"
#include "checkpoint/content_io.hpp"
#include "checkpoint/node_copy.hpp"
#include "dist/build_ids.hpp"

namespace stretto {

namespace checkpoints {
namespace {

using mobiles::object_id;
using mobiles::rank;

/// The data that one node is sent: the objects whose home it is, and the objects that it restores.
struct node_part {
  std::string directory;
  std::map<std::uint16_t, rank> homes;
  std::uint64_t names_made = 0;
  struct home_entry {
    object_id id = {};
    rank at = 0;
    std::string name;
    template <class Archive>
    friend void fields(Archive& a, archived<home_entry, Archive>& h) {
      a(h.id, h.at, h.name);
    }
  };
  std::vector<home_entry> home_objects;
  std::vector<listed_object> assigned_objects;

  template <class Archive>
  friend void fields(Archive& a, archived<node_part, Archive>& p) {
    a(p.directory, p.homes, p.names_made, p.home_objects, p.assigned_objects);
  }
};

/// The bytes of nodes' arrays, each read once. The restoring node has verified all files.
class node_bytes {
 public:
  explicit node_bytes(const std::string& directory) : from_(read_table(directory)) {}
  std::span<const std::byte> at(const place_of_bytes& p) {
    auto& all = all_.try_emplace(p.file).first->second;
    if (all.empty() && p.bytes) all = read_node_bytes(from_, p.file);
    return std::span(all).subspan(p.offset, p.bytes);
  }

 private:
  const checkpoint_content from_;
  std::map<std::uint32_t, std::vector<std::byte>> all_;
};

std::uint64_t names_here() { return objects_here("restore_objects").homes().ids_made(); }

int restore_here(const node_part& p) {
  auto& all = objects_here("restore_objects");
  all.homes().restore(p.homes, p.names_made);
  for (const node_part::home_entry& h : p.home_objects) all.creation().restore_home_record(h.id, h.name, h.at);
  node_bytes bytes(p.directory);
  for (const listed_object& o : p.assigned_objects) {
    const detail::mobile_type* const type = mobiles::mobile_type_at(o.what.type);
    if (!type)
      throw error("C03", "the checkpoint " + p.directory + " contains an object of an unknown type")
          .fact("object", o.what.name)
          .because("the library that defines the type is not loaded, or is a different one")
          .remedy("before the restore, load the libraries that were loaded when the checkpoint was taken");
    field_reader in(bytes.at(o.content));
    all.creation().restore_object(o.what.id, *type, o.what.name, type->read(in));
  }
  return 0;
}

int restore_messages_here(const node_part& p) {
  node_bytes bytes(p.directory);
  for (const listed_object& o : p.assigned_objects)
    for (const listed_message& listed : o.messages) {
      mobiles::saved_message m = listed.what;
      const auto arguments = bytes.at(listed.arguments);
      m.arguments.assign(arguments.begin(), arguments.end());
      objects_here().creation().restore_message(o.what.id, m);
    }
  return 0;
}

void check_build(const checkpoint_content& from, const std::source_location& where) {
  const std::string program = dist::program_build(), library = dist::library_build();
  if (from.program == program && from.library == library) return;
  throw error("C03",
              "the mobile objects of the checkpoint " + from.directory.string() + " were written by another build")
      .fact("called", where)
      .fact("written by", from.program + "; Stretto " + from.library)
      .fact("running", program + "; Stretto " + library)
      .because("types and handlers are stored as positions in the program, which differ between builds")
      .remedy(
          "restore it with the build that wrote it, or store by name what other builds are to read: value<T>(\"...\")");
}

std::string shape_text(const saved_shape& s) {
  if (!s.fields_of.empty()) return s.fields_of;
  std::string lengths;
  for (const auto n : s.lengths)
    lengths += (lengths.empty() ? "" : " x ") + (n < 0 ? std::string("any") : std::to_string(n));
  return s.lengths.empty() ? s.type : s.type + ", " + lengths;
}

}  // namespace

saved_shape shape_of_kept(const checkpoint_content& from, const saved_name& wanted, const saved_shape& like,
                          const std::source_location& where) {
  static const auto& nothing = *new const checkpoint_content::kept_map;
  const auto its = from.kept_by_nodes.find(wanted.node.value_or(0));
  const checkpoint_content::kept_map& all = !wanted.node                      ? from.kept
                                            : its == from.kept_by_nodes.end() ? nothing
                                                                              : its->second;
  const std::string name(wanted.name), of = wanted.node ? " of node " + std::to_string(*wanted.node) : "";
  const auto found = all.find(name);
  if (found == all.end()) {
    std::vector<std::string> names;
    std::string list;
    for (const auto& [n, shape] : all) names.push_back(n), list += (list.empty() ? "" : ", ") + n;
    error e("C04", "the checkpoint " + from.directory.string() + " contains nothing" + of + " under the name \"" +
                       name + "\"");
    e.fact("called", where).fact("contains", list.empty() ? "nothing" : list);
    if (wanted.node) e.fact("nodes", "0 to " + std::to_string(from.nodes - 1));
    if (const std::string hint = base::did_you_mean(name, names); !hint.empty()) e.remedy(hint);
    throw e;
  }
  saved_shape is = found->second;
  bool is_like = is.type == like.type && is.element_bytes == like.element_bytes && is.fields_of == like.fields_of &&
                 is.lengths.size() == like.lengths.size();
  for (std::size_t a = 0; is_like && a < is.lengths.size(); ++a)
    is_like = like.lengths[a] < 0 || like.lengths[a] == is.lengths[a];
  if (!is_like)
    throw error("C05", "\"" + name + "\"" + of + " of the checkpoint " + from.directory.string() + " has another type")
        .fact("called", where)
        .fact("requested", shape_text(like))
        .fact("stored", shape_text(is))
        .remedy("request the type that was stored");
  if (is.origin.empty()) is.origin.assign(is.lengths.size(), 0);
  return is;
}

}  // namespace checkpoints

namespace detail {

using namespace checkpoints;

void restore_mobile_objects(const checkpoint_content& from, const std::source_location& where) {
  base::require_current("restore_objects");
  check_build(from, where);
  std::uint64_t made = 0;
  for (const std::uint64_t n : checkpoints::run_on_all_nodes([](auto) { return call<&names_here>(); }, where))
    made += n;
  if (made)
    throw error("C07", "mobile objects cannot be restored into a job that already has some")
        .fact("called", where)
        .fact("existing", std::to_string(made))
        .because("restored and existing objects could have the same ids")
        .remedy("call restore_objects once, before any make_mobile and make_collection");
  const std::uint32_t nodes = job_nodes();
  std::vector<node_part> parts(nodes);
  for (node_part& p : parts) {
    p.directory = from.directory.string();
    p.names_made = from.names_made;
    for (const auto& [number, node] : from.homes) p.homes.emplace(number, static_cast<rank>(node % nodes));
  }
  std::vector<listed_object> all;
  for (std::uint32_t n = 0; n < from.nodes && from.objects; ++n)
    for (listed_object& o : read_list(from, n)) all.push_back(std::move(o));
  const bool as_before = nodes == from.nodes;
  auto& here = objects_here("restore_objects");
  here.homes().restore(parts[this_node()].homes, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    listed_object& o = all[i];
    o.at = static_cast<rank>(as_before ? o.content.file : i * nodes / all.size());
    const rank home = here.homes().home_of(o.what.id);
    if (home >= nodes)
      throw damaged(from.directory / (node_folder(o.content.file) + ".json"), "objects of nodes that have a home",
                    fmt::format("object {:x}", base::value_of(o.what.id)));
    parts[home].home_objects.push_back({o.what.id, o.at, o.what.name});
    parts[o.at].assigned_objects.push_back(std::move(o));
  }
  checkpoints::run_on_all_nodes([&](std::uint32_t n) { return call<&restore_here>(parts[n]); }, where);
  checkpoints::run_on_all_nodes([&](std::uint32_t n) { return call<&restore_messages_here>(parts[n]); }, where);
}

std::vector<std::byte> read_kept(const checkpoint_content& from, const saved_name& name, const saved_shape& like,
                                 saved_shape& is, const std::source_location& where) {
  is = shape_of_kept(from, name, like, where);
  return read_array(from.directory, array_of(name), is, [&](const std::string& file) { return from.entry_of(file); });
}

}  // namespace detail

std::vector<std::string> checkpoint::names() const {
  std::vector<std::string> all;
  for (const auto& [name, shape] : content_->kept) all.push_back(name);
  return all;
}

std::vector<std::string> checkpoint::names_of_node(std::uint32_t node) const {
  std::vector<std::string> all;
  if (const auto its = content_->kept_by_nodes.find(node); its != content_->kept_by_nodes.end())
    for (const auto& [name, shape] : its->second) all.push_back(name);
  return all;
}

std::vector<std::uint32_t> checkpoint::nodes_here() const {
  std::vector<std::uint32_t> all;
  for (std::uint32_t r = this_node(); r < content_->nodes; r += job_nodes()) all.push_back(r);
  return all;
}

std::uint32_t checkpoint::nodes() const noexcept { return content_->nodes; }

std::optional<checkpoint> try_open_checkpoint(std::string_view directory, verification wanted, std::source_location) {
  const auto there = checkpoints::find_complete(std::filesystem::path(directory));
  if (there.empty()) return {};
  checkpoint c;
  c.content_ = std::make_shared<const detail::checkpoint_content>(
      wanted == verification::all_files ? checkpoints::read_contents(there) : checkpoints::read_table(there));
  checkpoints::warn_of_old_format(*c.content_);
  return c;
}

checkpoint open_checkpoint(std::string_view directory, verification wanted, std::source_location where) {
  if (auto c = try_open_checkpoint(directory, wanted, where)) return *c;
  throw error("C06", std::string(directory) + " is not a checkpoint")
      .fact("called", where)
      .because("there is no such directory")
      .remedy("call try_open_checkpoint if the program can also begin anew");
}

}  // namespace stretto
