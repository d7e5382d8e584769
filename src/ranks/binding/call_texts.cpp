// call_texts.cpp - names of ranks, tags, types, operations and communicators.
#include "ranks/binding/call_texts.hpp"

#include <string>

#include "ranks/binding/operation_handles.hpp"
#include "ranks/binding/type_handles.hpp"
#include "ranks/messages/request_set.hpp"

namespace stretto::ranks {
namespace {

std::string rank_text(int rank) {
  if (rank == MPI_ANY_SOURCE) return "any rank";
  if (rank == MPI_PROC_NULL) return "MPI_PROC_NULL";
  if (rank == MPI_ROOT) return "MPI_ROOT";
  return "rank " + std::to_string(rank);
}

std::string tag_text(int tag) { return tag == MPI_ANY_TAG ? "any tag" : "tag " + std::to_string(tag); }

std::string type_text(MPI_Datatype handle, rank_state& of) {
  if (handle == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  const datatype& type = object_of(handle);
  const type_properties* const properties = of.types.find(type);
  if (properties && properties->has_name()) return properties->name();
  const std::string name(predefined_name(type));
  return name.empty() ? "a type of " + std::to_string(type.size()) + " bytes" : name;
}

std::string data_text(std::int64_t count, MPI_Datatype type, rank_state& of) {
  return std::to_string(count) + " of " + type_text(type, of);
}

std::string communicator_text(MPI_Comm comm, rank_state& of) {
  if (comm == MPI_COMM_WORLD) return of.world.name();
  if (comm == MPI_COMM_SELF) return of.self.name();
  if (is_predefined(comm)) return "MPI_COMM_NULL";
  const communicator& one = addressed<communicator>(comm);
  return one.name().empty() ? "a communicator of " + std::to_string(one.size()) + " ranks" : one.name();
}

std::string operation_text(MPI_Op op) {
  struct named {
    MPI_Op handle;
    const char* name;
  };
  static const named all[] = {{MPI_SUM, "MPI_SUM"},         {MPI_PROD, "MPI_PROD"},     {MPI_MIN, "MPI_MIN"},
                              {MPI_MAX, "MPI_MAX"},         {MPI_LAND, "MPI_LAND"},     {MPI_LOR, "MPI_LOR"},
                              {MPI_LXOR, "MPI_LXOR"},       {MPI_BAND, "MPI_BAND"},     {MPI_BOR, "MPI_BOR"},
                              {MPI_BXOR, "MPI_BXOR"},       {MPI_MINLOC, "MPI_MINLOC"}, {MPI_MAXLOC, "MPI_MAXLOC"},
                              {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"}};
  for (const named& one : all)
    if (one.handle == op) return one.name;
  return "an operation of the program";
}

void describe_message(const message_arguments& a, const char* word, rank_state& of, call_text& text) {
  text.arguments = word + rank_text(a.rank) + ", " + tag_text(a.tag) + ", " + data_text(a.count, a.type, of) + ", " +
                   communicator_text(a.comm, of);
}

}  // namespace

void describe_send(const void* arguments, rank_state& of, call_text& text) {
  describe_message(*static_cast<const message_arguments*>(arguments), "to ", of, text);
}

void describe_receive(const void* arguments, rank_state& of, call_text& text) {
  describe_message(*static_cast<const message_arguments*>(arguments), "from ", of, text);
}

void describe_exchange(const void* arguments, rank_state& of, call_text& text) {
  const auto& a = *static_cast<const exchange_arguments*>(arguments);
  text.arguments = "to " + rank_text(a.sent.rank) + ", " + tag_text(a.sent.tag) + "; from " +
                   rank_text(a.received.rank) + ", " + tag_text(a.received.tag) + "; " +
                   data_text(a.received.count, a.received.type, of) + ", " + communicator_text(a.sent.comm, of);
}

void describe_probe(const void* arguments, rank_state& of, call_text& text) {
  const auto& a = *static_cast<const probe_arguments*>(arguments);
  text.arguments = "from " + rank_text(a.source) + ", " + tag_text(a.tag) + ", " + communicator_text(a.comm, of);
}

void describe_collective(const void* arguments, rank_state& of, call_text& text) {
  const auto& a = *static_cast<const collective_arguments*>(arguments);
  if (a.count >= 0) text.arguments += data_text(a.count, a.type, of) + ", ";
  if (a.operation != MPI_OP_NULL) text.arguments += operation_text(a.operation) + ", ";
  if (a.root != collective_arguments::no_root) text.arguments += "root " + std::to_string(a.root) + ", ";
  text.arguments += communicator_text(a.comm, of);
}

void describe_wait(const void* arguments, rank_state&, call_text& text) {
  const auto& a = *static_cast<const request_arguments*>(arguments);
  if (a.count != 1) text.arguments = std::to_string(a.count) + " requests";
  for (int i = 0; i < a.count; ++i) {
    const auto* const one = reinterpret_cast<const request*>(a.handles[i]);
    if (is_request(one)) text.requests.push_back(one);
  }
}

std::string text_of(const call_record& call, rank_state& of) {
  call_text text;
  if (!call.details.describe) return call.name;
  try {
    call.details.describe(call.details.arguments, of, text);
  } catch (const call_error&) {
    text.arguments = "...";
  }
  return call.name + ("(" + text.arguments + ")");
}

}  // namespace stretto::ranks
