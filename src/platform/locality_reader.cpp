#include "platform/locality_reader.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <stretto/error.hpp>
#include <unordered_map>

#include "base/nearest_name.hpp"
#include "platform/default_paths.hpp"
#include "platform/json_reader.hpp"
#include "platform/locality_names.hpp"
#include "platform/path_expression.hpp"

namespace stretto::places {
namespace {

using type = json_value::type;

/// The user's text in a message: quoted, control characters escaped, shortened.
std::string shown(std::string_view text) {
  if (text.size() <= 60) return json_quoted(text);
  std::size_t end = 57;
  while ((static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return json_quoted(std::string(text.substr(0, end)) + "...");
}

constexpr std::string_view climb_word = "climb", nearest_word = "nearest";

class locality_reader {
 public:
  locality_reader(std::string_view text, std::string_view name) : source_{text, name} {}

  std::shared_ptr<const graph> run() {
    const json_value root = read_json(source_);
    if (root.is != type::object) throw wrong_type("a locality graph", "an object", root);
    static constexpr std::array<std::string_view, 5> keys{"nworkers", "declarations", "reachability", "pop_paths",
                                                          "steal_paths"};
    const auto found = members<5>(root, keys, "a locality graph");
    for (int required : {0, 1})
      if (!found[required])
        throw fault("P09", "a locality graph needs the key \"" + std::string(keys[required]) + '"', root.offset);
    read_workers(found[0]->value);
    read_places(found[1]->value);
    if (found[2]) read_links(found[2]->value);
    const auto paths = [&](const json_member* m, const char* table, std::string_view rule, auto& into, auto& offsets) {
      if (m) read_paths(m->value, table, into, offsets);
      else into = by_rule(rule), offsets.assign(workers_, root.offset);
    };
    paths(found[3], "pop", climb_word, description_.pop_paths, pop_offsets_);
    paths(found[4], "steal", nearest_word, description_.steal_paths, steal_offsets_);
    const auto at = [this](const std::vector<std::size_t>& offsets) {
      return [this, &offsets](std::size_t i) { return i < offsets.size() ? source_.at(offsets[i]) : std::string(); };
    };
    return checked(std::move(description_), {.of_place = at(place_offsets_),
                                             .of_link = at(link_offsets_),
                                             .of_workers = [this] { return source_.at(workers_offset_); },
                                             .of_pop_path = at(pop_offsets_),
                                             .of_steal_path = at(steal_offsets_)});
  }

 private:
  error fault(const char* code, std::string sentence, std::size_t offset) const {
    return error(code, std::move(sentence)).fact("file", source_.at(offset));
  }
  error wrong_type(const std::string& what, const std::string& wanted, const json_value& v) const {
    return fault("P02", what + " must be " + wanted + ", but is " + v.described(), v.offset);
  }
  const json_value& must_be(type wanted, const std::string& what, const char* words, const json_value& v) const {
    if (v.is != wanted) throw wrong_type(what, words, v);
    return v;
  }

  /// The members of an object by the order of `keys`; throws P08 for keys not listed and P04 for repeated ones.
  template <std::size_t N>
  std::array<const json_member*, N> members(const json_value& v, const std::array<std::string_view, N>& keys,
                                            const std::string& of) const {
    std::array<const json_member*, N> found{};
    for (const auto& m : v.members) {
      std::size_t i = 0;
      while (i < N && keys[i] != m.key) ++i;
      if (i == N) {
        const std::vector<std::string> known(keys.begin(), keys.end());
        auto remedy = base::did_you_mean(m.key, known);
        if (remedy.empty()) {
          remedy = "use";
          for (const auto& k : known) remedy += (&k == &known.front() ? " \"" : ", \"") + k + '"';
        }
        throw fault("P08", of + " has no key " + shown(m.key), m.offset).remedy(remedy);
      }
      if (found[i])
        throw fault("P04", "the key \"" + m.key + "\" is given twice", m.offset)
            .fact("first", source_.at(found[i]->offset));
      found[i] = &m;
    }
    return found;
  }

  /// A whole number from 0 to most.
  std::uint64_t whole_number(const std::string& what, const json_value& v,
                             std::uint64_t most = ~std::uint64_t{0}) const {
    must_be(type::number, what, "a whole number", v);
    std::uint64_t n = 0;
    const auto [end, failed] = std::from_chars(v.text.data(), v.text.data() + v.text.size(), n);
    const bool digits = v.text.find_first_not_of("0123456789") == v.text.npos;
    if (!digits) {  // 16e9 is a whole number too, as long as a double holds it exactly
      if (!(v.number >= 0 && v.number <= 9007199254740992.0 &&
            v.number == static_cast<double>(static_cast<std::uint64_t>(v.number))))
        throw wrong_type(what, "a whole number, zero or more", v);
      n = static_cast<std::uint64_t>(v.number);
    }
    if ((digits && failed != std::errc()) || n > most)
      throw fault("P12", what + " is larger than " + std::to_string(most), v.offset);
    return n;
  }

  std::optional<double> figure(const std::string& what, const json_member* m) const {
    if (!m) return std::nullopt;
    return must_be(type::number, what, "a number", m->value).number;
  }

  void read_workers(const json_value& v) {
    workers_offset_ = v.offset;
    const auto n = whole_number("\"nworkers\"", v);
    check_worker_count(n, source_.at(v.offset));
    workers_ = static_cast<std::uint32_t>(n);
  }

  void read_places(const json_value& v) {
    must_be(type::list, "\"declarations\"", "a list of places", v);
    description_.places.reserve(v.items.size());
    for (const auto& item : v.items) {
      place_offsets_.push_back(item.offset);
      description_.places.push_back(item.is == type::object ? declared(item) : declared_by_name(item));
    }
    for (std::uint32_t i = 0; i < description_.places.size(); ++i)
      by_name_.emplace(description_.places[i].name, place{i});
  }

  place_description declared_by_name(const json_value& v) const {
    place_description p;
    p.name = must_be(type::string, "a place", "a name or an object", v).text;
    p.kind = kind_implied_by(p.name);
    return p;
  }

  place_description declared(const json_value& v) const {
    static constexpr std::array<std::string_view, 7> keys{
        "name", "kind", "capacity_bytes", "cpus", "device_index", "bandwidth_bytes_per_second", "latency_seconds"};
    const auto found = members<7>(v, keys, "a place");
    if (!found[0]) throw fault("P09", "this place has no \"name\"", v.offset);
    must_be(type::string, "the name of a place", "a text", found[0]->value);
    place_description p = declared_by_name(found[0]->value);
    const auto of = [&](const char* what) { return std::string(what) + " of place " + shown(p.name); };
    if (found[1]) p.kind = kind_from(found[1]->value, of("the kind"));
    if (found[2]) p.capacity_bytes = whole_number(of("the capacity"), found[2]->value);
    if (found[3]) p.cpus = cpus_from(found[3]->value, of("the CPU list"));
    if (found[4])
      p.device_index = static_cast<std::uint32_t>(whole_number(of("the device index"), found[4]->value, 0xffffffffu));
    p.bandwidth_bytes_per_second = figure(of("the bandwidth"), found[5]);
    p.latency_seconds = figure(of("the latency"), found[6]);
    return p;
  }

  place_kind kind_from(const json_value& v, const std::string& what) const {
    must_be(type::string, what, "a text", v);
    if (const auto kind = place_kind_named(v.text)) return *kind;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < place_kind_count; ++i) words.emplace_back(to_string(static_cast<place_kind>(i)));
    auto remedy = base::did_you_mean(v.text, words);
    if (remedy.empty()) {
      remedy = "use";
      for (const auto& w : words) remedy += (&w == &words.front() ? " " : ", ") + w;
    }
    throw fault("P12", "there is no kind of place called " + shown(v.text), v.offset).remedy(remedy);
  }

  std::vector<std::uint32_t> cpus_from(const json_value& v, const std::string& what) const {
    must_be(type::string, what, "a text such as \"0-3,8\"", v);
    if (auto cpus = read_cpu_list(v.text)) return *std::move(cpus);
    throw fault("P12", what + " cannot be read: " + shown(v.text), v.offset)
        .remedy("write numbers and ranges, such as \"0-3,8\"");
  }

  void read_links(const json_value& v) {
    must_be(type::list, "\"reachability\"", "a list of links", v);
    description_.links.reserve(v.items.size());
    for (const auto& item : v.items) {
      link_offsets_.push_back(item.offset);
      place_link l;
      if (item.is == type::object) {
        static constexpr std::array<std::string_view, 3> keys{"between", "bandwidth_bytes_per_second",
                                                              "latency_seconds"};
        const auto found = members<3>(item, keys, "a link");
        if (!found[0]) throw fault("P09", "this link has no \"between\" with its two places", item.offset);
        ends(found[0]->value, l);
        l.bandwidth_bytes_per_second = figure("the bandwidth of a link", found[1]);
        l.latency_seconds = figure("the latency of a link", found[2]);
      } else {
        ends(must_be(type::list, "a link", "a pair of places or an object", item), l);
      }
      description_.links.push_back(l);
    }
  }

  void ends(const json_value& v, place_link& l) const {
    must_be(type::list, "what a link joins", "a pair of places", v);
    if (v.items.size() != 2)
      throw fault("P02", "a link joins two places, but this one names " + std::to_string(v.items.size()), v.offset);
    const auto end = [&](const json_value& name) {
      must_be(type::string, "the end of a link", "the name of a place", name);
      const auto at = by_name_.find(name.text);
      if (at == by_name_.end())
        throw unknown(name.text, "place " + shown(name.text) + " of a link is not declared", name.offset);
      return at->second;
    };
    l.a = end(v.items[0]);
    l.b = end(v.items[1]);
  }

  error unknown(const std::string& name, std::string sentence, std::size_t offset) const {
    std::vector<std::string> names;
    for (const auto& p : description_.places) names.push_back(p.name);
    auto remedy = name.size() <= 255 ? base::did_you_mean(name, names) : std::string();
    if (remedy.empty()) remedy = "declare it, or name a declared place";
    return fault("P03", std::move(sentence), offset).remedy(std::move(remedy));
  }

  std::vector<std::vector<place>> by_rule(std::string_view rule) const {
    try {
      return rule == climb_word ? climbing_paths(description_, workers_) : nearest_paths(description_, workers_);
    } catch (const error& e) {
      throw error(e).fact("file", source_.at(workers_offset_));
    }
  }

  void read_paths(const json_value& v, const char* table, std::vector<std::vector<place>>& paths,
                  std::vector<std::size_t>& offsets) {
    const auto key = '"' + std::string(table) + "_paths\"";
    must_be(type::object, key, "an object with a \"default\" path", v);
    std::vector<const json_member*> chosen(workers_, nullptr);
    const json_member* fallback = nullptr;
    for (const auto& m : v.members) {
      const json_member** slot = &fallback;
      if (m.key != "default" || m.bare) slot = &chosen[worker_named(m, key)];
      if (*slot)
        throw fault("P04",
                    key + " gives a path for " + (m.key == "default" ? "\"default\"" : "worker " + m.key) + " twice",
                    m.offset)
            .fact("first", source_.at((*slot)->offset));
      *slot = &m;
    }
    paths.resize(workers_);
    offsets.resize(workers_);
    for (std::uint32_t w = 0; w < workers_; ++w) {
      if (chosen[w]) continue;
      if (!fallback)
        throw fault("P09", key + " has no path for worker " + std::to_string(w), v.offset)
            .remedy("add a \"default\" path");
      offsets[w] = fallback->value.offset;
    }
    if (fallback) path_for(fallback->value, table, paths, [&](std::uint32_t w) { return !chosen[w]; }, true);
    for (std::uint32_t w = 0; w < workers_; ++w) {
      if (!chosen[w]) continue;
      offsets[w] = chosen[w]->value.offset;
      path_for(chosen[w]->value, table, paths, [&](std::uint32_t other) { return other == w; }, false);
    }
  }

  std::uint32_t worker_named(const json_member& m, const std::string& key) const {
    std::uint32_t w = 0;
    const auto [end, failed] = std::from_chars(m.key.data(), m.key.data() + m.key.size(), w);
    if (m.key.empty() || end != m.key.data() + m.key.size() ||
        (failed != std::errc() && failed != std::errc::result_out_of_range))
      throw fault("P08", key + " has no key " + shown(m.key), m.offset).remedy("use \"default\" or a worker's number");
    if (failed != std::errc() || w >= workers_)
      throw fault("P12", key + " gives a path for worker " + m.key.substr(0, 60) + ", which does not exist", m.offset)
          .because("\"nworkers\" is " + std::to_string(workers_) + ", so workers are 0 to " +
                   std::to_string(workers_ - 1));
    return w;
  }

  template <typename Wanted>
  void path_for(const json_value& v, const char* table, std::vector<std::vector<place>>& paths, Wanted wanted,
                bool is_default) {
    if (v.is == type::string && (v.text == climb_word || v.text == nearest_word)) {
      auto& rule = v.text == climb_word ? climb_ : nearest_;
      if (rule.empty()) rule = by_rule(v.text);
      for (std::uint32_t w = 0; w < workers_; ++w)
        if (wanted(w)) paths[w] = rule[w];
      return;
    }
    must_be(type::list, "a path", "a list of places, \"climb\" or \"nearest\"", v);
    std::vector<std::optional<path_expression>> names;
    for (const auto& item : v.items) {
      must_be(type::string, "a step of a path", "the name of a place", item);
      try {
        names.emplace_back(path_expression(item.text));
      } catch (const bad_expression& bad) {
        throw bad_path(bad, item);
      }
    }
    for (std::uint32_t w = 0; w < workers_; ++w) {
      if (!wanted(w)) continue;
      if ((entries_ += names.size()) > max_path_entries)
        throw fault("P10",
                    "the paths of all workers together visit more than " + std::to_string(max_path_entries) + " places",
                    v.offset)
            .remedy("give shorter paths, or fewer workers");
      paths[w].reserve(names.size());
      for (std::size_t i = 0; i < names.size(); ++i)
        paths[w].push_back(step(*names[i], v.items[i], w, table, is_default));
    }
  }

  place step(const path_expression& name, const json_value& item, std::uint32_t w, const char* table,
             bool is_default) const {
    std::string text;
    try {
      text = name.expand(w);
    } catch (const bad_expression& bad) {
      throw bad_path(bad, item).fact("worker", std::to_string(w));
    }
    if (const auto at = by_name_.find(text); at != by_name_.end()) return at->second;
    auto e = unknown(text,
                     "place " + shown(text) + " on the " + (is_default ? "default " : "") + table + " path of worker " +
                         std::to_string(w) + " is not declared",
                     item.offset);
    if (name.depends_on_worker()) e.fact("written", shown(item.text));
    throw std::move(e).because("paths may name declared places only");
  }

  error bad_path(const bad_expression& bad, const json_value& item) const {
    return fault("P05", "the expression in " + shown(item.text) + " " + bad.why,
                 item.plain ? item.offset + 1 + bad.offset : item.offset)
        .remedy("write numbers, id, + - * / % and parentheses, as in \"L2_$(id / 6)_$(id % 6)\"");
  }

  source_text source_;
  std::uint32_t workers_ = 0;
  std::size_t workers_offset_ = 0, entries_ = 0;
  platform_description description_;
  std::unordered_map<std::string, place> by_name_;
  std::vector<std::size_t> place_offsets_, link_offsets_, pop_offsets_, steal_offsets_;
  std::vector<std::vector<place>> climb_, nearest_;
};

}  // namespace

std::shared_ptr<const graph> read_locality_graph(std::string_view text, std::string_view file_name) {
  return locality_reader(text, file_name).run();
}

}  // namespace stretto::places
