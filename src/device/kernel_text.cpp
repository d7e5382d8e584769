#include "device/kernel_text.hpp"

#include <stretto/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>

#include "base/whole_file.hpp"
#include "device/device_texts.hpp"
#include "device/kernel_body.hpp"
#include "device/kernel_names.hpp"
#include "device/kernel_preludes.hpp"
#include "device/kernel_signature.hpp"
#include "device/kernel_tokens.hpp"
#include "device/template_text.hpp"

namespace stretto::device {

namespace {

/// The user's file, or an empty text. Compilers write file names relative to their working folder, mostly a folder
/// above the program.
std::string source_of(std::string_view file) {
  constexpr std::uint64_t most_bytes = 64u << 20;
  std::error_code ignored;
  auto content = base::read_whole(file, most_bytes);
  std::filesystem::path from = std::filesystem::read_symlink("/proc/self/exe", ignored);
  while (!content && from.has_relative_path()) {
    from = from.parent_path();
    content = base::read_whole(from / file, most_bytes);
  }
  return std::move(content.text);
}

/// Macros that turn u(i, j) into an element of the pointer. They are defined before a function and undefined after
/// it.
struct element_macros {
  std::string define, undefine;

  void array(const written_parameter& p, index_checks checked) {
    static constexpr const char* indices[] = {"i", "i, j", "i, j, k"};
    static constexpr const char* further[] = {", 0, 0", ", 0", ""};
    if (p.mode == access::local) {
      define += fmt::format("#define stretto_at_{0}(i) stretto_data_{0}[i]\n", p.name);
    } else if (checked == index_checks::on) {
      define += fmt::format(
          "#define stretto_at_{0}({1}) stretto_data_{0}[stretto_element(stretto_look_{0}, stretto_layout_{0}, "
          "{1}{2})]\n",
          p.name, indices[p.dimensions - 1], further[p.dimensions - 1]);
    } else {
      // Each term is cast to the type of the sum: an unsigned 32-bit term would wrap around before it is widened.
      std::string offset = fmt::format("(STRETTO_SUM_TYPE)stretto_layout_{}.offset", p.name);
      for (int a = 0; a < p.dimensions; ++a)
        offset += fmt::format(" + (STRETTO_SUM_TYPE)(({0}) * {3}(stretto_layout_{1}.stride[{2}]))", "ijk"[a], p.name, a,
                              a + 1 < p.dimensions ? "(STRETTO_SUM_TYPE)" : "STRETTO_LAST");
      define +=
          fmt::format("#define stretto_at_{0}({1}) stretto_data_{0}[{2}]\n", p.name, indices[p.dimensions - 1], offset);
    }
    undefine += fmt::format("#undef stretto_at_{}\n", p.name);
  }

  void local_array(const std::string& called, const declared& d) {
    // The macro has as many parameters as the array has axes: with one index in place of two, PoCL's compiler
    // produces code that takes three times as long.
    std::string parameters, indices;
    for (std::size_t a = 0; a < d.lengths.size(); ++a) {
      parameters += fmt::format("{}i{}", a ? ", " : "", a);
      indices += fmt::format("[i{}]", a);
    }
    define += fmt::format("#define stretto_at_{}({}) {}{}\n", called, parameters, as_plain_name(called), indices);
    undefine += fmt::format("#undef stretto_at_{}\n", called);
  }
};

bool is_bool(const tokens& type) { return type.size() == 1 && type.front() == "bool"; }

std::string declaration_of(const written_parameter& p, bool of_kernel, dialect d, index_checks checked) {
  // OpenCL cannot pass a bool to a kernel
  const bool is_of_bytes = of_kernel && d == dialect::opencl && is_bool(p.type);
  const std::string type = is_of_bytes ? "uint8_t" : joined(p.type);
  if (is_of_bytes && p.mode == access::value) return fmt::format("uint8_t stretto_given_{}", p.name);
  if (p.mode == access::value) return fmt::format("{} {}", type, as_plain_name(p.name));
  if (p.mode == access::local) {
    if (of_kernel && d == dialect::cuda) return fmt::format("int64_t stretto_shared_{}", p.name);
    return fmt::format("STRETTO_LOCAL_POINTER {} * stretto_{}_{}", type, is_of_bytes ? "given" : "data", p.name);
  }
  const std::string pointer =
      fmt::format("STRETTO_GLOBAL {}{} * {} stretto_{}_{}", p.mode == access::in ? "const " : "", type,
                  of_kernel ? "STRETTO_RESTRICT" : "", is_of_bytes ? "given" : "data", p.name);
  if (of_kernel && d == dialect::opencl) return pointer;  // the layouts of all arrays come together
  const std::string look =
      checked == index_checks::on && !of_kernel ? ", const stretto_look stretto_look_" + p.name : std::string();
  return fmt::format("{}, const stretto_array stretto_layout_{}{}", pointer, p.name, look);
}

bool is_integer(const tokens& type) {
  static const std::set<std::string_view>& words = *new const std::set<std::string_view>{
      "int",     "unsigned", "signed",  "long",    "short",    "char",     "const",   "int8_t",
      "int16_t", "int32_t",  "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
  return std::all_of(type.begin(), type.end(), [](const token& t) { return words.contains(t.spelling); });
}

/// `long` has 64 bits everywhere, and generated names need one word per type. OpenCL C reserves `long long` for 128
/// bits: compilers accept it and compute wrong results.
void shorten_long_long(tokens& all) {
  all.erase(
      std::unique(all.begin(), all.end(), [](const token& a, const token& b) { return a == "long" && b == "long"; }),
      all.end());
  for (token& t : all) {
    if (t.is != token::what::number) continue;
    for (const char* twice : {"ll", "LL"})
      if (const auto at = t.spelling.find(twice); at != t.spelling.npos) t.spelling.erase(at, 1);
  }
}

class writer {
 public:
  writer(const kernel_code& k, dialect d, index_checks checked) : kernel_(k), dialect_(d), checked_(checked) {}

  kernel_text write() {
    tokens parameters = tokens_of(kernel_.parameter_text), body = tokens_of(kernel_.body_text);
    text_.has_lines = align_or_refuse({&parameters, &body}, source_name(kernel_), kernel_.file, kernel_.line);
    for (tokens* all : {&parameters, &body}) {
      substitute_arguments(*all, kernel_.template_arguments);
      remove_own_namespace(*all);
    }
    note_unknown(parameters, body, kernel_.file);
    shorten_long_long(parameters), shorten_long_long(body);
    include_what_is_used_by(parameters);
    include_what_is_used_by(body);
    text_.entry = "stretto_kernel_" + identifier_of(kernel_.name);
    entry(parameters, body);
    // OpenCL does not define the size of bool; on the host it is one byte.
    const char* const of_bools = uses_bool_ ? "typedef char stretto_bool_is_a_byte[sizeof(bool) == 1 ? 1 : -1];\n" : "";
    text_.source = fmt::format("{}{}{}{}{}\n{}", prelude(dialect_), of_bools, text_of_vectors(vectors_, dialect_),
                               checked_ == index_checks::on ? text_of_checked_element(dialect_) : std::string(),
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
    throw error("K10", fmt::format("kernel \"{}\" cannot be translated for devices", kernel_.name))
        .fact("line", fmt::format("{}:{}", file, found->line))
        .because(fmt::format("\"{}\" in its text: devices get only the branch that the host's compiler took",
                             found->spelling))
        .remedy(
            "write both branches with an if on a STRETTO_DEVICE_CONSTANT, or two kernels, and put the directive "
            "outside of them");
  }

  void note_unknown(const tokens& parameters, const tokens& body, std::string_view file) {
    if (!text_.unknown.empty()) return;
    const token* const t =
        unknown_name(parameters, body, [&](const token& one) { return text_named(one.spelling, kernel_); });
    if (!t) return;
    text_.unknown = t->spelling;
    text_.unknown_where = fmt::format("{}:{}", file, t->line);
  }

  void include_what_is_used_by(const tokens& all) {
    for (const token& t : all) {
      uses_bool_ = uses_bool_ || t == "bool";
      uses_double_ = uses_double_ || t == "double" || t == "double2";
      if (t.is != token::what::name || included_.contains(t.spelling)) continue;
      const device_text* const used = text_named(t.spelling, kernel_);
      if (!used && is_short_vector(as_plain_name(t.spelling))) vectors_.insert(as_plain_name(t.spelling));
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
    for (tokens* all : {&parameters, &body, &type}) shorten_long_long(*all), remove_own_namespace(*all);
    include_what_is_used_by(type);
    include_what_is_used_by(parameters);
    include_what_is_used_by(body);
    const std::string name = as_plain_name(std::string(used.name));
    if (used.is == device_text::what::structure) structure(used, name, std::move(body));
    else if (used.is == device_text::what::constant && is_integer(type))  // which may then be the length of an array
      source_ += fmt::format("enum {{ {} = {} }};\n", name, joined(body));
    // its definition comes with the kernels that contribute by it
    else if (used.is == device_text::what::operation) return;
    else if (used.is == device_text::what::constant)
      source_ += fmt::format("STRETTO_CONSTANT {} {} = {};\n", joined(type), name, joined(body));
    else function(used, joined(type), parameters, body);
  }

  void structure(const device_text& used, const std::string& name, tokens body) {
    for (token& t : body) {
      if (t == "bool" || have_bools_.contains(t.spelling)) have_bools_.insert(std::string(used.name));
      if (vectors_.contains(as_plain_name(t.spelling))) t.spelling = as_plain_name(t.spelling);
    }
    source_ += fmt::format("typedef struct {} {};\n", text_of(body, used.file), name);
  }

  void function(const device_text& f, const std::string& type, const tokens& parameter_text, const tokens& body) {
    const auto parameters = parameters_of(parameter_text);
    const kernel_body is = body_for(dialect_, {kernel_.name, parameters, false, checked_}, body);
    atomics_.insert(is.atomics.begin(), is.atomics.end());
    element_macros macros;
    std::string list;
    for (const written_parameter& p : parameters) {
      list += (list.empty() ? "" : ", ") + declaration_of(p, false, dialect_, checked_);
      if (p.is_array()) macros.array(p, checked_);
    }
    source_ += fmt::format("{}STRETTO_FUNCTION {} {}({})\n{}\n{}", macros.define, type,
                           as_plain_name(std::string(f.name)), list, text_of(is.text, f.file), macros.undefine);
  }

  /// Resolves the user-defined operators of reductions for devices, and defines how the kernel contributes.
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
    for (std::size_t i = 0; i < std::min(parameters.size(), kernel_.parameters.size()); ++i)
      parameters[i].dimensions = kernel_.parameters[i].dimensions;
    find_operators(parameters);
    const kernel_body is = body_for(dialect_, {kernel_.name, parameters, kernel_.in_groups, checked_}, body);
    atomics_.insert(is.atomics.begin(), is.atomics.end());
    element_macros macros;
    std::string list, opening;
    std::string last =
        dialect_ == dialect::opencl ? layouts_together(parameters, macros) : "const stretto_launch stretto_range";
    if (text_.needs_locks) last += ", STRETTO_GLOBAL uint32_t* stretto_locks";
    if (checked_ == index_checks::on) last += ", STRETTO_GLOBAL int64_t* stretto_words";
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const written_parameter& p = parameters[i];
      const bool is_of_bytes = dialect_ == dialect::opencl && p.mode == access::value && p.type.size() == 1 &&
                               have_bools_.contains(p.type.front().spelling);
      list += (is_of_bytes ? bytes_for(p, kernel_.parameters[i].element_bytes)
                           : declaration_of(p, true, dialect_, checked_)) +
              ", ";
      if (p.is_array()) macros.array(p, checked_);
      opening += dialect_ == dialect::cuda ? cuda_opening(p) : is_of_bytes ? opening_of_bytes(p) : opencl_opening(p);
    }
    for (const auto& [called, d] : is.local_arrays) macros.local_array(called, d);
    // OpenCL requires declarations of local memory in the outermost scope, so the body's own braces are left out
    // there.
    const bool outermost = kernel_.in_groups && dialect_ == dialect::opencl;
    const tokens inside = outermost ? tokens(is.text.begin() + 1, is.text.end() - 1) : is.text;
    source_ += fmt::format("{}STRETTO_ENTRY {}({}{})\n{{\n{}{}{}{}\n}}\n{}", macros.define, text_.entry, list, last,
                           opening, kernel_.in_groups ? "STRETTO_BEGIN_GROUP\n" : "STRETTO_BEGIN_ITEM\n",
                           looks(parameters), text_of(inside, kernel_.file), macros.undefine);
  }

  static std::string cuda_opening(const written_parameter& p) {
    if (p.mode != access::local) return {};
    return fmt::format("{0}* const stretto_data_{1} = ({0}*)(stretto_shared + stretto_shared_{1});\n", joined(p.type),
                       p.name);
  }
  static std::string opencl_opening(const written_parameter& p) {
    const char* const constant = p.mode == access::in ? "const " : "";
    if (!is_bool(p.type)) {
      if (!p.is_array() || p.mode == access::local) return {};
      return fmt::format(
          "stretto_data_{0} = (STRETTO_GLOBAL {1}{2}*)((STRETTO_GLOBAL {1}char*)stretto_data_{0} + "
          "stretto_layout_{0}.skip);\n",
          p.name, constant, joined(p.type));
    }
    // Assigning to a bool stores 0 or 1; assigning to a byte does not. So elements are accessed as bools.
    if (p.mode == access::value)
      return fmt::format("bool {} = stretto_given_{} != 0;\n", as_plain_name(p.name), p.name);
    if (p.mode == access::local)
      return fmt::format(
          "STRETTO_LOCAL_POINTER bool* stretto_data_{0} = (STRETTO_LOCAL_POINTER "
          "bool*)stretto_given_{0};\n",
          p.name);
    return fmt::format(
        "STRETTO_GLOBAL {1}bool* STRETTO_RESTRICT stretto_data_{0} = (STRETTO_GLOBAL "
        "{1}bool*)(stretto_given_{0} + stretto_layout_{0}.skip);\n",
        p.name, constant);
  }

  /// OpenCL cannot pass a structure with a bool to a kernel, so its bytes are passed in a separate structure.
  std::string bytes_for(const written_parameter& p, std::uint32_t bytes) {
    source_ += fmt::format("typedef struct {{ uint8_t is[{}]; }} stretto_bytes_of_{};\n", bytes, p.name);
    return fmt::format("const stretto_bytes_of_{0} stretto_given_{0}", p.name);
  }
  static std::string opening_of_bytes(const written_parameter& p) {
    return fmt::format(
        "union {{ stretto_bytes_of_{0} bytes; {1} is; }} stretto_read_{0}; stretto_read_{0}.bytes "
        "= stretto_given_{0};\n"
        "{1} {2} = stretto_read_{0}.is;\n",
        p.name, joined(p.type), as_plain_name(p.name));
  }

  /// The declarations with which a checked entry checks its arrays.
  std::string looks(const std::vector<written_parameter>& parameters) const {
    std::string all;
    const char* const id = kernel_.in_groups ? "stretto_item_global_id" : "global_id";
    for (std::size_t i = 0; checked_ == index_checks::on && i < parameters.size(); ++i)
      if (parameters[i].is_array() && parameters[i].mode != access::local)
        all += fmt::format(
            "const stretto_look stretto_look_{0} = {{stretto_words, {1}, {{STRETTO_ITEM({2}, 0), STRETTO_ITEM({2}, 1), "
            "STRETTO_ITEM({2}, 2)}}}};\n",
            parameters[i].name, i, id);
    return all;
  }

  /// An OpenCL entry has one parameter for the range and the layouts of all arrays, because drivers take time for
  /// each parameter.
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
  const index_checks checked_;
  kernel_text text_;
  std::string source_;
  std::set<std::string> included_, vectors_;
  std::set<std::string, std::less<>> have_bools_;  // structures
  std::set<atomic_function> atomics_;
  bool uses_double_ = false, uses_bool_ = false;
};

}  // namespace

kernel_text text_for(const kernel_code& kernel, dialect d, index_checks checked) {
  return writer(kernel, d, checked).write();
}

}  // namespace stretto::device
