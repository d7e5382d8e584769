// directive.hpp - a directive of OpenACC with its clauses, as the parser of directives finds it.
//
// Threads     values.
// Source      The OpenACC Application Programming Interface, version 3.3, chapters 2 and 4; `acc mpi` as in IMPACC
//             (Kim, Lee, Vetter, HPDC 2016).
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "device/kernel_tokens.hpp"

namespace stretto::cc::acc {

using device::token;
using device::tokens;

/// A line of the user's source, as the preprocessor names it.
struct source_line {
  std::string file;
  unsigned line = 0;
  bool operator==(const source_line&) const = default;
};

enum class directive_kind : std::uint8_t {
  parallel,
  kernels,
  serial,
  loop,
  parallel_loop,
  kernels_loop,
  serial_loop,
  data,
  enter_data,
  exit_data,
  host_data,
  declare,
  update,
  cache,
  atomic,
  routine,
  wait,
  init,
  shutdown,
  set,
  mpi,
};
inline constexpr std::size_t directive_kinds = 21;

enum class clause_kind : std::uint8_t {
  if_,
  self,
  async,
  wait,
  device_type,
  default_,
  copy,
  copyin,
  copyout,
  create,
  no_create,
  present,
  deviceptr,
  attach,
  detach,
  delete_,
  finalize,
  use_device,
  if_present,
  device_resident,
  link,
  private_,
  firstprivate,
  reduction,
  num_gangs,
  num_workers,
  vector_length,
  gang,
  worker,
  vector,
  seq,
  auto_,
  independent,
  collapse,
  tile,
  update_host,
  update_device,
  cached,
  read,
  write,
  update_atomic,
  capture,
  bind,
  nohost,
  routine_name,
  device_num,
  default_async,
  wait_queues,
  sendbuf,
  recvbuf,
};

/// The part of an array's dimension that a clause names: [lower:length]. Both are empty where the source leaves them
/// out. An element, [index], has no length and `is_element`.
struct section {
  tokens lower, length;
  bool is_element = false;
};

/// A variable, a member, or a section of an array, as a clause names it. "s.a[0:n]" has the path "s.a" and one section.
struct variable {
  tokens path;
  std::vector<section> sections;

  const std::string& name() const { return path.front().spelling; }
};

enum class reduction_operator : std::uint8_t {
  add,
  multiply,
  max,
  min,
  bit_and,
  bit_or,
  bit_xor,
  logical_and,
  logical_or,
};

/// A clause, with the parts that its kind has; the others are empty.
struct clause {
  clause_kind kind;
  std::string spelling;                  // as in the source: "pcopyin" is a copyin; empty: we made it
  std::vector<variable> variables = {};  // of data clauses, private, reduction, update, cache
  std::vector<tokens> arguments = {};   // expressions: of if, async, num_gangs, collapse, tile ("*": chosen by us), ...
  std::vector<std::string> names = {};  // device types; none or present of `default`; the function of `bind`; device
                                        // and readonly of sendbuf and recvbuf
  reduction_operator operation = reduction_operator::add;
  bool is_readonly = false;   // copyin(readonly: ...), cache(readonly: ...)
  bool is_zeroed = false;     // copyout(zero: ...), create(zero: ...)
  bool is_forced = false;     // collapse(force: ...)
  tokens device_number = {};  // wait(devnum: ...)
  tokens static_size = {};    // gang(static: ...)
  tokens dimension = {};      // gang(dim: ...)
};

struct directive {
  directive_kind kind;
  source_line where;
  std::vector<clause> clauses;  // in their order: those behind device_type hold for its devices alone

  const clause* find(clause_kind wanted) const {
    const auto found = std::ranges::find(clauses, wanted, &clause::kind);
    return found == clauses.end() ? nullptr : &*found;
  }
};

}  // namespace stretto::cc::acc
