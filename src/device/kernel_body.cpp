#include "device/kernel_body.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace stretto::device {

std::string as_plain_name(const std::string& word) {
  static const std::set<std::string_view>& taken = *new const std::set<std::string_view>{
      "half",      "kernel",   "global",   "constant",  "private", "generic",  "read_only", "write_only", "read_write",
      "pipe",      "uniform",  "uchar",    "ushort",    "uint",    "ulong",    "quad",      "complex",    "imaginary",
      "event_t",   "restrict", "blockIdx", "threadIdx", "gridDim", "blockDim", "warpSize",  "dim3",       "int2",
      "int4",      "float2",   "float4",   "double2",   "double4", "barrier",  "select",    "vec_step",   "fract",
      "uint2",     "uint4",    "long2",    "ulong2",    "mix",     "clamp",    "cross",     "dot",        "length",
      "normalize", "distance", "step",     "sign"};
  return taken.contains(word) ? "stretto_" + word : word;
}

std::string joined(const tokens& all) {
  std::string text;
  for (const token& t : all)
    text += (text.empty() ? "" : " ") + (t.is == token::what::name ? as_plain_name(t.spelling) : t.spelling);
  return text;
}

namespace {

token name(std::string s, unsigned line) { return {token::what::name, std::move(s), line}; }

/// Rewrites one body.
class rewriter {
 public:
  rewriter(dialect d, const body_of& whose)
      : dialect_(d), kernel_(whose.kernel), in_groups_(whose.in_groups), checked_(whose.checked) {
    for (const written_parameter& p : whose.parameters) {
      if (p.is_array()) arrays_.emplace(p.name, p);
      if (p.mode == access::reduce && p.fold == fold_operator::none && p.by.empty())
        refuse(p.type.empty() ? 0 : p.type.front().line, fmt::format("\"{}\" does not name its operator", p.name),
               fmt::format("write reduce<sum<int>> {}, without another name for sum<int>; or, of an operator of "
                           "STRETTO_DEVICE_OPERATOR, that "
                           "name",
                           p.name));
    }
  }

  kernel_body body(const tokens& in) {
    in_ = &in;
    find_declarations();
    tokens text = part(0, in.size());
    return {std::move(text), std::move(local_arrays_), std::move(atomics_)};
  }

 private:
  const token& at(std::size_t i) const {
    static const token& none = *new const token;
    return i < in_->size() ? (*in_)[i] : none;
  }
  bool follows(std::size_t i, std::initializer_list<std::string_view> spellings) const {
    return std::all_of(spellings.begin(), spellings.end(), [&](std::string_view s) { return at(i++) == s; });
  }
  [[noreturn]] void refuse(unsigned line, std::string why, std::string remedy) const {
    throw error("K10", fmt::format("kernel \"{}\" cannot be translated for devices", kernel_))
        .fact("line", fmt::format("{}", line))
        .because(std::move(why))
        .remedy(std::move(remedy));
  }

  // auto NAME = per_item<T>();    auto NAME = local_array<T, N, M>();
  void find_declarations() {
    for (std::size_t i = 0; i + 4 < in_->size(); ++i) {
      if (!(at(i) == "auto" && at(i + 2) == "=" && at(i + 4) == "<")) continue;
      const bool per_item = at(i + 3) == "per_item";
      if (!per_item && !(at(i + 3) == "local_array")) continue;
      std::size_t close = i + 5;
      while (close < in_->size() && !(at(close) == ">")) ++close;
      std::vector<tokens> parts = split_at_commas(*in_, i + 5, close);
      if (parts.empty()) continue;
      declared d{parts.front(), {parts.begin() + 1, parts.end()}};
      (per_item ? per_item_ : local_arrays_).emplace(at(i + 1).spelling, std::move(d));
    }
  }

  tokens part(std::size_t first, std::size_t last) {
    tokens out;
    for (std::size_t i = first; i < last;) i = one(i, out);
    return out;
  }

  void append(tokens& out, const tokens& more) { out.insert(out.end(), more.begin(), more.end()); }
  void append(tokens& out, std::string_view text, unsigned line) {
    for (token& t : tokens_of(text)) t.line = line, out.push_back(std::move(t));
  }

  /// Rewrites the construct at `i`; returns the index behind it.
  std::size_t one(std::size_t i, tokens& out) {
    const token& t = at(i);
    if (t.is == token::what::number) {
      token plain = t;
      std::erase(plain.spelling, '\'');
      out.push_back(std::move(plain));
      return i + 1;
    }
    if (t.is != token::what::name) {
      out.push_back(t);
      return i + 1;
    }
    const bool member = i > 0 && (at(i - 1) == "." || at(i - 1) == "->");
    if (!member) {
      if (t == "auto") return automatic(i, out);
      if (in_groups_ && t == "each_item") return region(i, out);
      if (const auto item = std::find(items_.begin(), items_.end(), t.spelling); item != items_.end())
        return member_of_item(i, out);
      if (per_item_.contains(t.spelling) && at(i + 1) == "(") {
        out.push_back(name(as_plain_name(t.spelling), t.line));
        return closing(*in_, i + 1) + 1;
      }
      if (arrays_.contains(t.spelling)) return array(i, out);
      if (local_arrays_.contains(t.spelling) && at(i + 1) == "(") {
        out.push_back(name("stretto_at_" + t.spelling, t.line));
        return i + 1;
      }
      if (t.spelling.starts_with("atomic_")) return atomic(i, out);
      if (needs_one_type(t) && at(i + 1) == "(") {
        out.push_back(name("stretto_" + t.spelling, t.line));
        return i + 1;
      }
      // float(x) and float4(x, y, z, w), which C does not know. In C++ brackets around a type take one value.
      const bool is_cast = is_scalar(t) || (dialect_ == dialect::opencl && is_short_vector(as_plain_name(t.spelling)));
      if (is_cast && at(i + 1) == "(" && !(at(i + 2) == "*")) {
        append(out, "(" + as_plain_name(t.spelling) + ")", t.line);
        return i + 1;
      }
      out.push_back(name(as_plain_name(t.spelling), t.line));
      return i + 1;
    }
    out.push_back(t);
    return i + 1;
  }

  /// Functions whose overload the host selects by the first argument, and devices by all. OpenCL's abs returns an
  /// unsigned number.
  static bool needs_one_type(const token& t) {
    static const std::set<std::string_view>& names = *new const std::set<std::string_view>{
        "abs", "min", "max", "fmin", "fmax", "pow", "atan2", "fmod", "hypot", "fma"};
    return names.contains(t.spelling);
  }

  static bool is_scalar(const token& t) {
    static const std::set<std::string_view>& names = *new const std::set<std::string_view>{
        "float",   "double",  "int",      "unsigned", "long",     "int8_t", "int16_t", "int32_t",
        "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t", "short",  "char",    "bool"};
    return names.contains(t.spelling);
  }

  std::size_t automatic(std::size_t i, tokens& out) {
    const unsigned line = at(i).line;
    const std::string& called = at(i + 1).spelling;
    const bool per_item = at(i + 3) == "per_item" && per_item_.contains(called);
    const bool local = at(i + 3) == "local_array" && local_arrays_.contains(called);
    if (!per_item && !local) {
      out.push_back(name(dialect_ == dialect::opencl ? "__auto_type" : "auto", line));
      return i + 1;
    }
    if (in_groups_ && blocks_around(i) != 1)
      refuse(line,
             fmt::format("\"{}\" is declared within a block, and memory of a group lasts as long as the group", called),
             "declare it in the body itself, before loops and regions");
    const declared& d = (per_item ? per_item_ : local_arrays_).at(called);
    if (local) out.push_back(name("STRETTO_LOCAL", line));
    append(out, joined(d.type), line);
    out.push_back(name(as_plain_name(called), line));
    if (local)
      for (const tokens& length : d.lengths) append(out, fmt::format("[{}]", joined(length)), line);
    else if (dialect_ == dialect::opencl && is_short_vector(joined(d.type)))
      append(out, fmt::format("= ( {} ) ( 0 )", joined(d.type)), line);
    else append(out, dialect_ == dialect::opencl ? "= { 0 }" : "= { }", line);
    while (!(at(i) == ";") && i < in_->size()) ++i;
    return i;
  }

  /// The number of open braces at `i`; 1 in the body itself.
  int blocks_around(std::size_t i) const {
    int open = 0;
    for (std::size_t k = 0; k < i; ++k) open += at(k) == "{" ? 1 : at(k) == "}" ? -1 : 0;
    return open;
  }

  // each_item([&](item it) { ... });
  std::size_t region(std::size_t i, tokens& out) {
    const unsigned line = at(i).line;
    const std::size_t end = closing(*in_, i + 1);
    if (!follows(i + 1, {"(", "[", "&", "]", "(", "item"}) || !(at(i + 8) == ")") || !(at(i + 9) == "{") ||
        closing(*in_, i + 9) + 1 != end)
      refuse(line, "a region must be each_item with a lambda", "write each_item([&](item it) { ... });");
    items_.push_back(at(i + 7).spelling);
    append(out, "{", line);
    append(out, part(i + 9, end));
    items_.pop_back();
    const std::size_t next = end + 1 + (at(end + 1) == ";");
    const bool is_last = next + 1 == in_->size() && blocks_around(i) == 1;  // nothing is left to wait for
    append(out, is_last ? "}" : "STRETTO_BARRIER ; }", at(end).line);
    return next;
  }

  // it.local_id(0)   it.global_id(0)
  std::size_t member_of_item(std::size_t i, tokens& out) {
    const token& which = at(i + 2);
    if (!(at(i + 1) == ".") || !(which == "local_id" || which == "global_id"))
      refuse(at(i).line,
             fmt::format("\"{}\" is an item, which has only local_id(axis) and global_id(axis)", at(i).spelling),
             fmt::format("write {}.local_id(0)", at(i).spelling));
    out.push_back(name("stretto_item_" + which.spelling, which.line));
    return i + 3;
  }

  // u(i, j) is an element; u alone, passed to a function, is the array.
  std::size_t array(std::size_t i, tokens& out) {
    const token& t = at(i);
    if (arrays_.at(t.spelling).mode == access::reduce && at(i + 1) == "(") return contribution(i, out);
    if (at(i + 1) == "(") out.push_back(name("stretto_at_" + t.spelling, t.line));
    else if (arrays_.at(t.spelling).mode == access::local) append(out, "stretto_data_" + t.spelling, t.line);
    else
      append(out,
             fmt::format("stretto_data_{0} , stretto_layout_{0}{1}", t.spelling,
                         checked_ == index_checks::on ? " , stretto_look_" + t.spelling : ""),
             t.line);
    return i + 1;
  }

  /// The name of the function, whose definition must precede the kernel: C has no overloading.
  token atomic_named(std::string change, const tokens& of, bool is_global, unsigned line) {
    std::string type = joined(of);
    static const std::map<std::string_view, std::string_view>& of_one_word =
        *new const std::map<std::string_view, std::string_view>{
            {"int", "int32_t"},      {"unsigned", "uint32_t"},          {"unsigned int", "uint32_t"},
            {"long", "int64_t"},     {"unsigned long", "uint64_t"},     {"long unsigned", "uint64_t"},
            {"long int", "int64_t"}, {"unsigned long int", "uint64_t"}, {"long unsigned int", "uint64_t"}};
    if (const auto found = of_one_word.find(type); found != of_one_word.end()) type = found->second;
    return name(atomics_.insert({std::move(change), std::move(type), is_global}).first->name(), line);
  }

  // atomic_add(&v(i), x): the name depends on the element's type and memory.
  std::size_t atomic(std::size_t i, tokens& out) {
    const token& t = at(i);
    const std::string& target = at(i + 3).spelling;
    const auto array = arrays_.find(target);
    const auto local = local_arrays_.find(target);
    if (!follows(i + 1, {"(", "&"}) || !(at(i + 4) == "(") || (array == arrays_.end() && local == local_arrays_.end()))
      refuse(t.line, fmt::format("{} takes the address of an element of an array", t.spelling),
             fmt::format("write {}(&v(i), x)", t.spelling));
    if (const std::size_t behind = closing(*in_, i + 4) + 1; !(at(behind) == ","))
      refuse(t.line,
             fmt::format("{} takes an element of 32 or 64 bits, and not a part of one of \"{}\"", t.spelling, target),
             "keep the changed values in an array of their own");
    const bool global = array != arrays_.end() && array->second.mode != access::local;
    out.push_back(atomic_named(t.spelling.substr(std::string_view("atomic_").size()),
                               array != arrays_.end() ? array->second.type : local->second.type, global, t.line));
    return i + 1;
  }

  // h(i, j) << x: the host's compiler has seen that x ends with the statement, or at a comma, a colon or a bracket.
  std::size_t contribution(std::size_t i, tokens& out) {
    static constexpr const char* changes[] = {"", "add", "multiply", "min", "max", "and", "or", "xor"};
    const token& t = at(i);
    const written_parameter& p = arrays_.at(t.spelling);
    const std::size_t shift = closing(*in_, i + 1) + 1;
    if (!(at(shift) == "<<"))
      refuse(t.line,
             fmt::format("\"{}\" is a reduction, so the kernel may only contribute to its elements", t.spelling),
             fmt::format("write {}(i) << x;", t.spelling));
    std::size_t end = shift + 1;
    while (end < in_->size() && !(at(end) == ";" || at(end) == "," || at(end) == ":" || is_closing(at(end))))
      end = is_opening(at(end)) ? closing(*in_, end) + 1 : end + 1;
    if (p.by.empty()) out.push_back(atomic_named(changes[static_cast<std::size_t>(p.fold)], p.type, true, t.line));
    else out.push_back(name(locked_fold{.by = p.by}.name(), t.line));
    append(out, "( & stretto_at_" + t.spelling, t.line);
    append(out, part(i + 1, shift));
    append(out, ",", t.line);
    append(out, part(shift + 1, end));
    append(out, p.by.empty() ? ")" : ", stretto_locks )", at(end - 1).line);
    return end;
  }
  static bool is_opening(const token& t) { return t == "(" || t == "[" || t == "{"; }
  static bool is_closing(const token& t) { return t == ")" || t == "]" || t == "}"; }

  const dialect dialect_;
  const std::string_view kernel_;
  const bool in_groups_;
  const index_checks checked_;
  std::map<std::string, written_parameter> arrays_;
  std::map<std::string, declared> local_arrays_, per_item_;
  std::vector<std::string> items_;
  const tokens* in_ = nullptr;
  std::set<atomic_function> atomics_;
};

}  // namespace

kernel_body body_for(dialect d, const body_of& whose, const tokens& body) { return rewriter(d, whose).body(body); }

}  // namespace stretto::device
