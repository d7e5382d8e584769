#include "cc/acc/message_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stretto/error.hpp>
#include <string_view>
#include <vector>

#include "cc/acc/device_tables.hpp"
#include "cc/acc/directive_calls.hpp"
#include "cc/acc/sole_pointer.hpp"
#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

/// The parameters of a function of MPI, a letter each: s and r are buffers that it sends from and receives into, u one
/// that it does both with; i int, I an array of int, t MPI_Datatype, o MPI_Op, c MPI_Comm, S MPI_Status *,
/// q MPI_Request *.
struct message_function {
  std::string_view name;  // without MPI_ and the I of calls that do not block
  std::string_view parameters;
  bool may_share = false;  // blocks of the heap with other ranks
};

constexpr std::array message_functions{
    message_function{"Send", "sitiic", true},
    message_function{"Bsend", "sitiic"},
    message_function{"Ssend", "sitiic", true},
    message_function{"Rsend", "sitiic", true},
    message_function{"Recv", "ritiicS", true},
    message_function{"Sendrecv", "sitiiritiicS", true},
    message_function{"Sendrecv_replace", "uitiiiicS"},
    message_function{"Bcast", "uitic", true},
    message_function{"Reduce", "sritoic"},
    message_function{"Allreduce", "sritoc"},
    message_function{"Scan", "sritoc"},
    message_function{"Exscan", "sritoc"},
    message_function{"Reduce_scatter", "srItoc"},
    message_function{"Reduce_scatter_block", "sritoc"},
    message_function{"Gather", "sitritic"},
    message_function{"Gatherv", "sitrIItic"},
    message_function{"Scatter", "sitritic", true},
    message_function{"Scatterv", "sIItritic", true},
    message_function{"Allgather", "sitritc"},
    message_function{"Allgatherv", "sitrIItc"},
    message_function{"Alltoall", "sitritc"},
    message_function{"Alltoallv", "sIItrIItc"},
};

struct known_function {
  std::string parameters;
  bool may_share;
};

/// "Isend" is "sitiicq": without its status, and with a request.
std::optional<known_function> function_of(std::string_view name) {
  if (!name.starts_with("MPI_")) return std::nullopt;
  name.remove_prefix(4);
  for (const message_function& one : message_functions) {
    if (name == one.name) return known_function{std::string(one.parameters), one.may_share};
    const bool is_nonblocking = name.starts_with("I") && name.size() == one.name.size() + 1 &&
                                name[1] == one.name[0] + ('a' - 'A') && name.substr(2) == one.name.substr(1);
    if (!is_nonblocking) continue;
    std::string all(one.parameters);
    std::erase(all, 'S');
    return known_function{all + 'q', one.may_share};
  }
  return std::nullopt;
}

const char* type_of(char parameter) {
  switch (parameter) {
    case 's': return "const void *";
    case 'i': return "int ";
    case 'I': return "const int *";
    case 't': return "MPI_Datatype ";
    case 'o': return "MPI_Op ";
    case 'c': return "MPI_Comm ";
    case 'S': return "MPI_Status *";
    case 'q': return "MPI_Request *";
    default: return "void *";
  }
}

/// A call of a function of MPI within a statement.
struct found_call {
  std::size_t name;         // tokens
  std::size_t first, last;  // of its arguments, within the parentheses
  known_function is;
  std::vector<std::string> arguments = {};

  const std::string& parameters() const { return is.parameters; }
};

class call_reader {
 public:
  call_reader(const placed_directive& of, const preprocessed_text& source) : of_(of), source_(source) {}

  found_call read() const {
    for (std::size_t i = of_.first; i + 1 < of_.last; ++i) {
      const auto known = function_of(program()[i].spelling);
      if (!known || program()[i + 1].spelling != "(") continue;
      found_call call{i, i + 2, end_of_brackets(program(), i + 1) - 1, *known};
      add_arguments(call);
      if (call.arguments.size() == call.parameters().size()) return call;
    }
    refuse("no call of MPI with buffers stands behind it", "put it ahead of a call such as MPI_Send or MPI_Irecv");
  }

  [[noreturn]] void refuse(const char* because, const char* remedy) const {
    throw error("O16", "\"acc mpi\" does not stand ahead of a call that it can change")
        .fact("at", fmt::format("{}:{}", of_.what.where.file, of_.what.where.line))
        .because(because)
        .remedy(remedy);
  }

  /// Nothing for no tokens.
  std::string text(std::size_t first, std::size_t last) const {
    if (first == last) return "";
    const std::size_t from = program()[first].offset;
    const std::size_t to = program()[last - 1].offset + program()[last - 1].spelling.size();
    return std::string(source_.text().substr(from, to - from));
  }

 private:
  const tokens& program() const { return source_.program(); }

  void add_arguments(found_call& call) const {
    std::size_t begin = call.first;
    for (std::size_t i = call.first; i <= call.last; ++i) {
      if (i == call.last || program()[i] == ",") {
        if (i > begin) call.arguments.push_back(text(begin, i));
        begin = i + 1;
      } else if (program()[i] == "(" || program()[i] == "[" || program()[i] == "{") {
        i = end_of_brackets(program(), i) - 1;
      }
    }
  }

  const placed_directive& of_;
  const preprocessed_text& source_;
};

bool has_word(const directive& d, clause_kind buffer, std::string_view word) {
  const clause* const found = d.find(buffer);
  return found && std::ranges::find(found->names, word) != found->names.end();
}

/// The directions in which the directive's clauses name an argument with one word.
struct buffer_use {
  bool is_sent, is_received;
};

buffer_use use_of(char parameter, const directive& d, std::string_view word) {
  return {(parameter == 's' || parameter == 'u') && has_word(d, clause_kind::sendbuf, word),
          (parameter == 'r' || parameter == 'u') && has_word(d, clause_kind::recvbuf, word)};
}

bool is_on_device(char parameter, const directive& d) {
  const buffer_use use = use_of(parameter, d, "device");
  return use.is_sent || use.is_received;
}

/// Why the buffer is copied in any case; empty if it may be shared.
std::string reason_to_copy(const found_call& call, std::size_t argument, const directive& d, const name_scope& scope) {
  if (!call.is.may_share) return "its function has no part that ranks can share";
  if (is_on_device(call.parameters()[argument], d)) return "its buffer is on the device";
  if (d.find(clause_kind::async)) return "it is in a queue: what stands behind it there has the buffer's address";
  if (!use_of(call.parameters()[argument], d, "readonly").is_received) return "";
  return reason_against_sharing(call.arguments[argument], scope);
}

/// An argument, with what the runtime needs to share it.
std::string readonly_text(const found_call& call, std::size_t argument, const directive& d, const name_scope& scope) {
  const std::string& buffer = call.arguments[argument];
  const buffer_use use = use_of(call.parameters()[argument], d, "readonly");
  const std::string reason = reason_to_copy(call, argument, d, scope);
  const bool is_received = use.is_received && reason.empty();
  return fmt::format("stretto_acc_readonly_buffer({}, {}, {}, {}, {})", buffer,
                     is_received ? "(void **)&" + buffer : "(void **)0",
                     use.is_sent && !d.find(clause_kind::async) ? 1 : 0,
                     reason.empty() ? "(const char *)0" : literal_text(reason), place_text(d.where));
}

bool has_readonly(const directive& d) {
  return has_word(d, clause_kind::sendbuf, "readonly") || has_word(d, clause_kind::recvbuf, "readonly");
}

/// The call's arguments, with addresses of the device for buffers that are there.
std::vector<std::string> changed_arguments(const found_call& call, const directive& d, const name_scope& scope) {
  std::vector<std::string> all = call.arguments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char is = call.parameters()[i];
    const buffer_use use = use_of(is, d, "readonly");
    if (is_on_device(is, d))
      all[i] =
          fmt::format("stretto_acc_message_buffer((void *)({}), {}, {})", all[i], queue_text(d), place_text(d.where));
    else if (use.is_sent || use.is_received) all[i] = readonly_text(call, i, d, scope);
  }
  return all;
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

/// A structure of the arguments, and a function that makes the call with them; its request is that of the queue. In C++
/// it is that of a lambda.
std::string definitions(const found_call& call, const std::string& function, unsigned number, language language) {
  std::string members, arguments;
  for (std::size_t i = 0; i < call.parameters().size(); ++i) {
    members += fmt::format("{}a{}; ", type_of(call.parameters()[i]), i);
    const bool is_request = call.parameters()[i] == 'q';
    arguments += fmt::format("{}{}", i ? ", " : "", is_request ? "(MPI_Request *)request" : fmt::format("of->a{}", i));
  }
  const bool is_cxx = language == language::cxx;
  const std::string name = fmt::format("stretto_acc_call_{}", number);
  return fmt::format(
      "\nstruct stretto_acc_message_{0} {{ {1}}};\n"
      "{4}(const void *arguments, void **request) {{\n"
      "  const struct stretto_acc_message_{0} *of = (const struct stretto_acc_message_{0} *)arguments;\n"
      "  (void)request; return {2}({3});\n}}{5}\n",
      number, members, function, arguments,
      is_cxx ? fmt::format("int (*const {})(const void *, void **) = []", name) : "static int " + name,
      is_cxx ? ";" : "");
}

/// The statement with other arguments of its call.
std::string statement_text(const placed_directive& of, const call_reader& reader, const found_call& call,
                           const std::vector<std::string>& arguments) {
  const std::string changed = fmt::format("{}({})", reader.text(call.name, call.name + 1), joined(arguments));
  const std::string ahead = reader.text(of.first, call.name), behind = reader.text(call.last + 1, of.last);
  if (!has_readonly(of.what)) return ahead + ' ' + changed + behind;
  return fmt::format("{} stretto_acc_readonly_end({}, {}){}", ahead, changed, place_text(of.what.where), behind);
}

}  // namespace

message_text message_call(const placed_directive& of, const name_scope& scope, unsigned number, language language) {
  const preprocessed_text& source = scope.source;
  const call_reader reader(of, source);
  const found_call call = reader.read();
  const std::vector<std::string> arguments = changed_arguments(call, of.what, scope);
  if (!of.what.find(clause_kind::async)) return {"", statement_text(of, reader, call, arguments)};
  if (call.name != of.first || call.last + 2 != of.last)
    reader.refuse("with async the call is an operation of a queue, and has no result yet",
                  "let the call be a statement of its own, without its result");
  const bool has_request = call.parameters().back() == 'q';
  const std::string functions = definitions(call, source.program()[call.name].spelling, number, language);
  const bool is_cxx = language == language::cxx;
  return {is_cxx ? "" : functions,
          fmt::format(
              "{{ {5}const struct stretto_acc_message_{0} stretto_message = {{{1}}}; stretto_acc_message("
              "stretto_acc_call_{0}, &stretto_message, sizeof stretto_message, {2}, {3}, {4}); }}",
              number, joined(arguments),
              has_request ? "(void **)stretto_message.a" + std::to_string(call.parameters().size() - 1) : "(void **)0",
              queue_text(of.what), place_text(of.what.where), is_cxx ? functions : "")};
}

}  // namespace stretto::cc::acc
