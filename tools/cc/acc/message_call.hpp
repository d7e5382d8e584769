// message_call.hpp - calls of MPI behind `acc mpi`: buffers are on the device or shared, and the call may be an
// operation of a queue.
//
// Threads     pure.
// Source      IMPACC (Kim, Lee, Vetter, HPDC 2016), section 3.5: unified activity queues; 3.8: heap aliasing.
#pragma once

#include <string>

#include "cc/acc/data_item.hpp"
#include "cc/acc/directive_tree.hpp"
#include "cc/acc/preprocessed_text.hpp"
#include "cc/language.hpp"

namespace stretto::cc::acc {

struct message_text {
  std::string ahead;      // in C: definitions at file scope, ahead of the function
  std::string statement;  // in place of the directive and its statement
};

///   scope    of the directive, in the same source
///   number   of the directive, for names
///   language in C++ the definitions stand in the statement
///   throws   O16 if the statement is no call of MPI with buffers, or none that a queue can perform
message_text message_call(const placed_directive& of, const name_scope& scope, unsigned number,
                          language language = language::c);

}  // namespace stretto::cc::acc
