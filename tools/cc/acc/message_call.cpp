#include "cc/acc/message_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stretto/error.hpp>
#include <string_view>
#include <vector>

#include "cc/acc/directive_calls.hpp"
#include "cc/acc/statement.hpp"

namespace stretto::cc::acc {
namespace {

/// The parameters of a function of MPI, a letter each: s and r are buffers that it sends from and receives into, u one
/// that it does both with; i int, I an array of int, t MPI_Datatype, o MPI_Op, c MPI_Comm, S MPI_Status *,
/// q MPI_Request *.
struct message_function {
  std::string_view name;  // without MPI_ and the I of calls that do not block
  std::string_view parameters;
};

constexpr std::array message_functions{
    message_function{"Send", "sitiic"},
    message_function{"Bsend", "sitiic"},
    message_function{"Ssend", "sitiic"},
    message_function{"Rsend", "sitiic"},
    message_function{"Recv", "ritiicS"},
    message_function{"Sendrecv", "sitiiritiicS"},
    message_function{"Sendrecv_replace", "uitiiiicS"},
    message_function{"Bcast", "uitic"},
    message_function{"Reduce", "sritoic"},
    message_function{"Allreduce", "sritoc"},
    message_function{"Scan", "sritoc"},
    message_function{"Exscan", "sritoc"},
    message_function{"Reduce_scatter", "srItoc"},
    message_function{"Reduce_scatter_block", "sritoc"},
    message_function{"Gather", "sitritic"},
    message_function{"Gatherv", "sitrIItic"},
    message_function{"Scatter", "sitritic"},
    message_function{"Scatterv", "sIItritic"},
    message_function{"Allgather", "sitritc"},
    message_function{"Allgatherv", "sitrIItc"},
    message_function{"Alltoall", "sitritc"},
    message_function{"Alltoallv", "sIItrIItc"},
};

/// "Isend" is "sitiicq": without its status, and with a request.
std::optional<std::string> parameters_of(std::string_view name) {
  if (!name.starts_with("MPI_")) return std::nullopt;
  name.remove_prefix(4);
  for (const message_function& one : message_functions) {
    if (name == one.name) return std::string(one.parameters);
    const bool is_nonblocking = name.starts_with("I") && name.size() == one.name.size() + 1 &&
                                name[1] == one.name[0] + ('a' - 'A') && name.substr(2) == one.name.substr(1);
    if (!is_nonblocking) continue;
    std::string all(one.parameters);
    std::erase(all, 'S');
    return all + 'q';
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
  std::string parameters;
  std::vector<std::string> arguments = {};
};

class call_reader {
 public:
  call_reader(const placed_directive& of, const preprocessed_text& source) : of_(of), source_(source) {}

  found_call read() const {
    for (std::size_t i = of_.first; i + 1 < of_.last; ++i) {
      const auto parameters = parameters_of(program()[i].spelling);
      if (!parameters || program()[i + 1].spelling != "(") continue;
      found_call call{i, i + 2, end_of_brackets(program(), i + 1) - 1, *parameters};
      add_arguments(call);
      if (call.arguments.size() == call.parameters.size()) return call;
    }
    refuse("no call of MPI with buffers stands behind it", "put it ahead of a call such as MPI_Send or MPI_Irecv");
  }

  [[noreturn]] void refuse(const char* because, const char* remedy) const {
    throw error("O16", "\"acc mpi\" does not stand ahead of a call that it can change")
        .fact("at", fmt::format("{}:{}", of_.what.where.file, of_.what.where.line))
        .because(because)
        .remedy(remedy);
  }

  std::string text(std::size_t first, std::size_t last) const {
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

bool is_on_device(const directive& d, clause_kind buffer) {
  const clause* const found = d.find(buffer);
  return found && std::ranges::find(found->names, "device") != found->names.end();
}

/// The call's arguments, with addresses of the device for buffers that are there.
std::vector<std::string> device_arguments(const found_call& call, const directive& d) {
  std::vector<std::string> all = call.arguments;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const char is = call.parameters[i];
    const bool is_sent = (is == 's' || is == 'u') && is_on_device(d, clause_kind::sendbuf);
    const bool is_received = (is == 'r' || is == 'u') && is_on_device(d, clause_kind::recvbuf);
    if (is_sent || is_received)
      all[i] =
          fmt::format("stretto_acc_message_buffer((void *)({}), {}, {})", all[i], queue_text(d), place_text(d.where));
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
  for (std::size_t i = 0; i < call.parameters.size(); ++i) {
    members += fmt::format("{}a{}; ", type_of(call.parameters[i]), i);
    const bool is_request = call.parameters[i] == 'q';
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

}  // namespace

message_text message_call(const placed_directive& of, const preprocessed_text& source, unsigned number,
                          language language) {
  const call_reader reader(of, source);
  const found_call call = reader.read();
  const std::vector<std::string> arguments = device_arguments(call, of.what);
  if (!of.what.find(clause_kind::async))
    return {"", fmt::format("{}({}{}", reader.text(of.first, call.name + 1), joined(arguments),
                            reader.text(call.last, of.last))};
  if (call.name != of.first || call.last + 2 != of.last)
    reader.refuse("with async the call is an operation of a queue, and has no result yet",
                  "let the call be a statement of its own, without its result");
  const bool has_request = call.parameters.back() == 'q';
  const std::string functions = definitions(call, source.program()[call.name].spelling, number, language);
  const bool is_cxx = language == language::cxx;
  return {is_cxx ? "" : functions,
          fmt::format(
              "{{ {5}const struct stretto_acc_message_{0} stretto_message = {{{1}}}; stretto_acc_message("
              "stretto_acc_call_{0}, &stretto_message, sizeof stretto_message, {2}, {3}, {4}); }}",
              number, joined(arguments),
              has_request ? "(void **)stretto_message.a" + std::to_string(call.parameters.size() - 1) : "(void **)0",
              queue_text(of.what), place_text(of.what.where), is_cxx ? functions : "")};
}

}  // namespace stretto::cc::acc
