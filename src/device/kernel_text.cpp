#include "device/kernel_text.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "device/device_texts.hpp"
#include "device/kernel_names.hpp"
#include "device/kernel_preludes.hpp"
#include "device/kernel_signature.hpp"
#include "device/kernel_tokens.hpp"

namespace stretto::device {

namespace {

token name(std::string s, unsigned line) { return {token::what::name, std::move(s), line}; }

/// The user's file, or nothing. Compilers write names relative to where they ran: mostly a folder above the program.
std::string source_of(std::string_view file) {
  std::error_code ignored;
  std::ifstream in{std::string(file)};
  std::filesystem::path from = std::filesystem::read_symlink("/proc/self/exe", ignored);
  while (!in && from.has_relative_path()) {
    from = from.parent_path();
    in.clear();
    in.open(from / file);
  }
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// A name that the body may use for its own, though OpenCL C or CUDA have another use for the word.
std::string as_plain_name(const std::string& word) {
  static const std::set<std::string_view> taken{
      "half",     "kernel",   "global",   "constant",  "private", "generic",   "read_only", "write_only", "read_write",
      "pipe",     "uniform",  "uchar",    "ushort",    "uint",    "ulong",     "quad",      "complex",    "imaginary",
      "event_t",  "restrict", "blockIdx", "threadIdx", "gridDim", "blockDim",  "warpSize",  "dim3",       "int2",
      "int4",     "float2",   "float4",   "double2",   "double4", "barrier",   "select",    "vec_step",   "fract",
      "mix",      "clamp",    "cross",    "dot",       "length",  "normalize", "distance",  "step",       "sign"};
  return taken.contains(word) ? "stretto_" + word : word;
}

/// Memory of a group that the body declares, or a value per item.
struct declared {
  tokens type;
  std::vector<tokens> lengths;
};

std::string joined(const tokens& all) {
  std::string text;
  for (const token& t : all)
    text += (text.empty() ? "" : " ") + (t.is == token::what::name ? as_plain_name(t.spelling) : t.spelling);
  return text;
}

/// Rewrites one body. What it finds decides what has to be declared before it.
class rewriter {
 public:
  rewriter(dialect d, std::string_view kernel, const std::vector<written_parameter>& parameters, bool in_groups, checking checked)
      : dialect_(d), kernel_(kernel), in_groups_(in_groups), checked_(checked) {
    for (const written_parameter& p : parameters) {
      if (p.is_array()) arrays_.emplace(p.name, p);
      if (p.mode == access::reduce && p.fold == fold_operator::none && p.by.empty())
        refuse(p.type.empty() ? 0 : p.type.front().line, fmt::format("\"{}\" does not name its operator", p.name),
               fmt::format("write reduce<sum<int>> {}, without another name for sum<int>; or, of an operator of STRETTO_DEVICE_OPERATOR, that "
                           "name", p.name));
    }
  }

  tokens body(const tokens& in) {
    in_ = &in;
    find_declarations();
    tokens out = part(0, in.size());
    return out;
  }

  const std::map<std::string, declared>& local_arrays() const { return local_arrays_; }
  const std::set<atomic_function>& atomics() const { return atomics_; }

 private:
  const token& at(std::size_t i) const {
    static const token none;
    return i < in_->size() ? (*in_)[i] : none;
  }
  bool follows(std::size_t i, std::initializer_list<std::string_view> spellings) const {
    return std::all_of(spellings.begin(), spellings.end(), [&](std::string_view s) { return at(i++) == s; });
  }
  [[noreturn]] void refuse(unsigned line, std::string why, std::string remedy) const {
    throw error("K10", fmt::format("kernel \"{}\" cannot be put into the language of devices", kernel_))
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

  /// Rewrites what begins at `i`; returns where to go on.
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
      if (is_scalar(t) && at(i + 1) == "(" && !(at(i + 2) == "*")) {  // float(x), which C does not know
        append(out, "(" + t.spelling + ")", t.line);
        return i + 1;
      }
      out.push_back(name(as_plain_name(t.spelling), t.line));
      return i + 1;
    }
    out.push_back(t);
    return i + 1;
  }

  /// Functions whose overloads the host chooses by their first number, and devices by all; OpenCL's abs returns an unsigned one.
  static bool needs_one_type(const token& t) {
    static const std::set<std::string_view> names{"abs", "min", "max", "fmin", "fmax", "pow", "atan2", "fmod", "hypot", "fma"};
    return names.contains(t.spelling);
  }

  static bool is_scalar(const token& t) {
    static const std::set<std::string_view> names{"float",    "double",   "int",      "unsigned", "long",
                                                  "int8_t",   "int16_t",  "int32_t",  "int64_t",  "uint8_t",
                                                  "uint16_t", "uint32_t", "uint64_t", "short",    "char"};
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
      refuse(line, fmt::format("\"{}\" is declared within a block, and memory of a group lasts as long as the group", called),
             "declare it in the body itself, before loops and regions");
    const declared& d = (per_item ? per_item_ : local_arrays_).at(called);
    if (local) out.push_back(name("STRETTO_LOCAL", line));
    append(out, d.type);
    out.push_back(name(as_plain_name(called), line));
    if (local)
      for (const tokens& length : d.lengths) append(out, fmt::format("[{}]", joined(length)), line);
    while (!(at(i) == ";") && i < in_->size()) ++i;
    return i;
  }

  /// Braces that are open there; 1 in the body itself.
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
      refuse(line, "a region is each_item with a lambda, nothing else", "write each_item([&](item it) { ... });");
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
      refuse(at(i).line, fmt::format("\"{}\" is an item, which has local_id(axis) and global_id(axis)", at(i).spelling),
             fmt::format("write {}.local_id(0)", at(i).spelling));
    out.push_back(name("stretto_item_" + which.spelling, which.line));
    return i + 3;
  }

  // u(i, j) is an element; u alone, handed to a function, is the array.
  std::size_t array(std::size_t i, tokens& out) {
    const token& t = at(i);
    if (arrays_.at(t.spelling).mode == access::reduce && at(i + 1) == "(") return contribution(i, out);
    if (at(i + 1) == "(") out.push_back(name("stretto_at_" + t.spelling, t.line));
    else if (arrays_.at(t.spelling).mode == access::local) append(out, "stretto_data_" + t.spelling, t.line);
    else append(out, fmt::format("stretto_data_{0} , stretto_layout_{0}{1}", t.spelling, checked_ == checking::on ? " , stretto_look_" + t.spelling : ""), t.line);
    return i + 1;
  }

  /// The name of the function, which is to be defined before the kernel: C has no overloading.
  token atomic_named(std::string change, const tokens& of, bool is_global, unsigned line) {
    std::string type = joined(of);
    static const std::map<std::string_view, std::string_view> of_one_word{
        {"int", "int32_t"},           {"unsigned", "uint32_t"},      {"unsigned int", "uint32_t"}, {"long", "int64_t"},
        {"unsigned long", "uint64_t"}, {"long unsigned", "uint64_t"}, {"long int", "int64_t"},      {"unsigned long int", "uint64_t"},
        {"long unsigned int", "uint64_t"}};
    if (const auto found = of_one_word.find(type); found != of_one_word.end()) type = found->second;
    return name(atomics_.insert({std::move(change), std::move(type), is_global}).first->name(), line);
  }

  // atomic_add(&v(i), x): named by the type of the element and where it is.
  std::size_t atomic(std::size_t i, tokens& out) {
    const token& t = at(i);
    const std::string& target = at(i + 3).spelling;
    const auto array = arrays_.find(target);
    const auto local = local_arrays_.find(target);
    if (!follows(i + 1, {"(", "&"}) || !(at(i + 4) == "(") || (array == arrays_.end() && local == local_arrays_.end()))
      refuse(t.line, fmt::format("{} takes the address of an element of an array", t.spelling),
             fmt::format("write {}(&v(i), x)", t.spelling));
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
      refuse(t.line, fmt::format("\"{}\" is a reduction, whose elements are only contributed to", t.spelling),
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
  const checking checked_;
  std::map<std::string, written_parameter> arrays_;
  std::map<std::string, declared> local_arrays_, per_item_;
  std::vector<std::string> items_;
  const tokens* in_ = nullptr;
  std::set<atomic_function> atomics_;
};

// ---------------------------------------------------------------------------------------------------------------------------

/// Macros that turn u(i, j) into an element of the pointer; defined before a function and undefined after it.
struct element_macros {
  std::string define, undefine;

  void array(const written_parameter& p, checking checked) {
    static constexpr const char* indices[] = {"i", "i, j", "i, j, k"};
    static constexpr const char* further[] = {", 0, 0", ", 0", ""};
    if (p.mode == access::local) {
      define += fmt::format("#define stretto_at_{0}(i) stretto_data_{0}[i]\n", p.name);
    } else if (checked == checking::on) {
      define += fmt::format("#define stretto_at_{0}({1}) stretto_data_{0}[stretto_element(stretto_look_{0}, stretto_layout_{0}, {1}{2})]\n", p.name,
                            indices[p.dimensions - 1], further[p.dimensions - 1]);
    } else {
      std::string offset = fmt::format("stretto_layout_{}.offset", p.name);
      for (int a = 0; a < p.dimensions; ++a)
        offset += fmt::format(" + ({0}) * {3}(stretto_layout_{1}.stride[{2}])", "ijk"[a], p.name, a,
                              a + 1 < p.dimensions ? "" : "STRETTO_LAST");
      define += fmt::format("#define stretto_at_{0}({1}) stretto_data_{0}[{2}]\n", p.name, indices[p.dimensions - 1], offset);
    }
    undefine += fmt::format("#undef stretto_at_{}\n", p.name);
  }

  void local_array(const std::string& called, const declared& d) {
    // With as many axes as it has: what PoCL's compiler makes of one index in place of two takes three times as long.
    std::string parameters, indices;
    for (std::size_t a = 0; a < d.lengths.size(); ++a) {
      parameters += fmt::format("{}i{}", a ? ", " : "", a);
      indices += fmt::format("[i{}]", a);
    }
    define += fmt::format("#define stretto_at_{}({}) {}{}\n", called, parameters, as_plain_name(called), indices);
    undefine += fmt::format("#undef stretto_at_{}\n", called);
  }
};

std::string declaration_of(const written_parameter& p, bool of_kernel, dialect d, checking checked) {
  const std::string type = joined(p.type);
  if (p.mode == access::value) return fmt::format("{} {}", type, as_plain_name(p.name));
  if (p.mode == access::local) {
    if (of_kernel && d == dialect::cuda) return fmt::format("int64_t stretto_shared_{}", p.name);
    return fmt::format("STRETTO_LOCAL_POINTER {} * stretto_data_{}", type, p.name);
  }
  const std::string pointer = fmt::format("STRETTO_GLOBAL {}{} * {} stretto_data_{}", p.mode == access::in ? "const " : "", type,
                                          of_kernel ? "STRETTO_RESTRICT" : "", p.name);
  if (of_kernel && d == dialect::opencl) return pointer;  // the layouts of all arrays come together
  const std::string look = checked == checking::on && !of_kernel ? ", const stretto_look stretto_look_" + p.name : std::string();
  return fmt::format("{}, const stretto_array stretto_layout_{}{}", pointer, p.name, look);
}

bool is_integer(const tokens& type) {
  static const std::set<std::string_view> words{"int",     "unsigned", "signed",   "long",     "short",
                                                "char",    "const",    "int8_t",   "int16_t",  "int32_t",
                                                "int64_t", "uint8_t",  "uint16_t", "uint32_t", "uint64_t"};
  return std::all_of(type.begin(), type.end(), [](const token& t) { return words.contains(t.spelling); });
}

/// `long` has 64 bits everywhere, and what is named by a type has one word for it. In OpenCL C `long long` is reserved for twice as many: compilers
/// take it, and compute something else.
void shorten_long_long(tokens& all) {
  all.erase(std::unique(all.begin(), all.end(), [](const token& a, const token& b) { return a == "long" && b == "long"; }), all.end());
  for (token& t : all) {
    if (t.is != token::what::number) continue;
    for (const char* twice : {"ll", "LL"})
      if (const auto at = t.spelling.find(twice); at != t.spelling.npos) t.spelling.erase(at, 1);
  }
}

class writer {
 public:
  writer(const kernel_code& k, dialect d, checking checked) : kernel_(k), dialect_(d), checked_(checked) {}

  kernel_text write() {
    tokens parameters = tokens_of(kernel_.parameter_text), body = tokens_of(kernel_.body_text);
    text_.has_lines = align_or_refuse({&parameters, &body}, kernel_.name, kernel_.file, kernel_.line);
    note_unknown(parameters, body, kernel_.file);
    shorten_long_long(parameters), shorten_long_long(body);
    include_what_is_used_by(parameters);
    include_what_is_used_by(body);
    entry(parameters, body);
    text_.entry = "stretto_kernel_" + std::string(kernel_.name);
    text_.source = fmt::format("{}{}{}\n{}", prelude(dialect_), checked_ == checking::on ? text_of_checked_element(dialect_) : std::string(),
                               text_of(atomics_, dialect_), source_);
    text_.needs_double = uses_double_;
    for (const atomic_function& f : atomics_)
      text_.needs_atomics_64 |= f.type == "double" || f.type == "int64_t" || f.type == "uint64_t";
    return std::move(text_);
  }

 private:
  bool align_or_refuse(std::vector<tokens*> parts, std::string_view name, std::string_view file, unsigned line) const {
    const std::string source = source_of(file);
    if (align(std::move(parts), name, source, line)) return true;
    const auto found = directive_in(name, source, line);
    if (!found) return false;
    throw error("K10", fmt::format("kernel \"{}\" cannot be put into the language of devices", kernel_.name))
        .fact("line", fmt::format("{}:{}", file, found->line))
        .because(fmt::format("\"{}\" stands in it: what reaches devices is the branch that the host's compiler took", found->spelling))
        .remedy("write both branches with an if on a STRETTO_DEVICE_CONSTANT, or two kernels, and put the directive outside of them");
  }

  void note_unknown(const tokens& parameters, const tokens& body, std::string_view file) {
    if (!text_.unknown.empty()) return;
    const token* const t = unknown_name(parameters, body, [&](const token& one) { return text_named(one.spelling, kernel_); });
    if (!t) return;
    text_.unknown = t->spelling;
    text_.unknown_where = fmt::format("{}:{}", file, t->line);
  }

  void include_what_is_used_by(const tokens& all) {
    for (const token& t : all) {
      uses_double_ = uses_double_ || t == "double";
      if (t.is != token::what::name || included_.contains(t.spelling)) continue;
      const device_text* const used = text_named(t.spelling, kernel_);
      if (!used) continue;
      included_.insert(t.spelling);
      include(*used);
    }
  }

  void include(const device_text& used) {
    tokens parameters = tokens_of(used.parameters), body = tokens_of(used.body), type = tokens_of(used.type);
    std::vector<tokens*> parts{&body};
    if (used.is == device_text::what::function) parts.insert(parts.begin(), &parameters);
    if (used.is != device_text::what::operation) align_or_refuse(parts, used.name, used.file, used.line);
    if (used.is == device_text::what::function) note_unknown(parameters, body, used.file);
    shorten_long_long(parameters), shorten_long_long(body), shorten_long_long(type);
    include_what_is_used_by(type);
    include_what_is_used_by(parameters);
    include_what_is_used_by(body);
    const std::string name = as_plain_name(std::string(used.name));
    if (used.is == device_text::what::structure)
      source_ += fmt::format("typedef struct {} {};\n", text_of(body, used.file), name);
    else if (used.is == device_text::what::constant && is_integer(type))  // which may then be the length of an array
      source_ += fmt::format("enum {{ {} = {} }};\n", name, joined(body));
    else if (used.is == device_text::what::operation) return;  // whoever contributes by it defines how
    else if (used.is == device_text::what::constant)
      source_ += fmt::format("STRETTO_CONSTANT {} {} = {};\n", joined(type), name, joined(body));
    else function(used, joined(type), parameters, body);
  }

  void function(const device_text& f, const std::string& type, const tokens& parameter_text, const tokens& body) {
    const auto parameters = parameters_of(parameter_text);
    rewriter r(dialect_, kernel_.name, parameters, false, checked_);
    const tokens rewritten = r.body(body);
    atomics_.insert(r.atomics().begin(), r.atomics().end());
    element_macros macros;
    std::string list;
    for (const written_parameter& p : parameters) {
      list += (list.empty() ? "" : ", ") + declaration_of(p, false, dialect_, checked_);
      if (p.is_array()) macros.array(p, checked_);
    }
    source_ += fmt::format("{}STRETTO_FUNCTION {} {}({})\n{}\n{}", macros.define, type, as_plain_name(std::string(f.name)), list,
                           text_of(rewritten, f.file), macros.undefine);
  }

  /// Finds what a reduction by another name is by, if that is for devices, and defines how the kernel contributes.
  void find_operators(std::vector<written_parameter>& parameters) {
    std::set<std::string> defined;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      written_parameter& p = parameters[i];
      if (p.mode != access::reduce || p.fold != fold_operator::none || p.type.size() != 1) continue;
      const device_text* const by = text_named(p.type.front().spelling, kernel_);
      if (!by || by->is != device_text::what::operation) continue;
      const unsigned line = p.type.front().line;
      p.by = by->name;
      p.type = tokens_of(by->type);
      for (token& t : p.type) t.line = line;
      shorten_long_long(p.type);
      text_.needs_locks = true;
      if (!defined.insert(p.by).second) continue;
      const kernel_parameter& is = kernel_.parameters[i];
      source_ += text_of({.by = p.by,
                          .type = joined(p.type),
                          .combines = as_plain_name(std::string(by->body)),
                          .bytes = is.element_bytes,
                          .unit = std::min(is.alignment, 4u),
                          .locks = lock_count},
                         dialect_);
    }
  }

  void entry(const tokens& parameter_text, const tokens& body) {
    auto parameters = parameters_of(parameter_text);
    find_operators(parameters);
    rewriter r(dialect_, kernel_.name, parameters, kernel_.in_groups, checked_);
    const tokens rewritten = r.body(body);
    atomics_.insert(r.atomics().begin(), r.atomics().end());
    element_macros macros;
    std::string list, opening;
    std::string last = dialect_ == dialect::opencl ? layouts_together(parameters, macros) : "const stretto_launch stretto_range";
    if (text_.needs_locks) last += ", STRETTO_GLOBAL uint32_t* stretto_locks";
    if (checked_ == checking::on) last += ", STRETTO_GLOBAL int64_t* stretto_words";
    for (const written_parameter& p : parameters) {
      list += declaration_of(p, true, dialect_, checked_) + ", ";
      if (p.is_array()) macros.array(p, checked_);
      if (p.is_array() && p.mode != access::local && dialect_ == dialect::opencl)
        opening += fmt::format("stretto_data_{0} = (STRETTO_GLOBAL {1}{2}*)((STRETTO_GLOBAL {1}char*)stretto_data_{0} + "
                               "stretto_layout_{0}.skip);\n",
                               p.name, p.mode == access::in ? "const " : "", joined(p.type));
      if (p.mode == access::local && dialect_ == dialect::cuda)
        opening += fmt::format("{0}* const stretto_data_{1} = ({0}*)(stretto_shared + stretto_shared_{1});\n", joined(p.type),
                               p.name);
    }
    for (const auto& [called, d] : r.local_arrays()) macros.local_array(called, d);
    // OpenCL wants the declarations of local memory at the outermost scope: the body's own braces are left out there.
    const bool outermost = kernel_.in_groups && dialect_ == dialect::opencl;
    const tokens inside = outermost ? tokens(rewritten.begin() + 1, rewritten.end() - 1) : rewritten;
    source_ += fmt::format("{}STRETTO_ENTRY stretto_kernel_{}({}{})\n{{\n{}{}{}{}\n}}\n{}",
                           macros.define, kernel_.name, list, last, opening,
                           kernel_.in_groups ? "STRETTO_BEGIN_GROUP\n" : "STRETTO_BEGIN_ITEM\n", looks(parameters),
                           text_of(inside, kernel_.file), macros.undefine);
  }

  /// What each array of a checked entry is looked at with.
  std::string looks(const std::vector<written_parameter>& parameters) const {
    std::string all;
    const char* const id = kernel_.in_groups ? "stretto_item_global_id" : "global_id";
    for (std::size_t i = 0; checked_ == checking::on && i < parameters.size(); ++i)
      if (parameters[i].is_array() && parameters[i].mode != access::local)
        all += fmt::format("const stretto_look stretto_look_{0} = {{stretto_words, {1}, {{STRETTO_ITEM({2}, 0), STRETTO_ITEM({2}, 1), STRETTO_ITEM({2}, 2)}}}};\n",
                           parameters[i].name, i, id);
    return all;
  }

  /// Of an OpenCL entry: one parameter for the range and the layouts of all arrays, as drivers take time for each.
  std::string layouts_together(const std::vector<written_parameter>& parameters, element_macros& macros) {
    int arrays = 0;
    macros.define += "#define stretto_range stretto_given.range\n";
    macros.undefine += "#undef stretto_range\n";
    for (const written_parameter& p : parameters) {
      if (!p.is_array() || p.mode == access::local) continue;
      macros.define += fmt::format("#define stretto_layout_{} stretto_given.arrays[{}]\n", p.name, arrays++);
      macros.undefine += fmt::format("#undef stretto_layout_{}\n", p.name);
    }
    source_ += fmt::format("typedef struct {{ stretto_launch range;{} }} stretto_layouts;\n",
                           arrays ? fmt::format(" stretto_array arrays[{}];", arrays) : "");
    return "const stretto_layouts stretto_given";
  }

  const kernel_code& kernel_;
  const dialect dialect_;
  const checking checked_;
  kernel_text text_;
  std::string source_;
  std::set<std::string> included_;
  std::set<atomic_function> atomics_;
  bool uses_double_ = false;
};

}  // namespace

kernel_text text_for(const kernel_code& kernel, dialect d, checking checked) { return writer(kernel, d, checked).write(); }

}  // namespace stretto::device
