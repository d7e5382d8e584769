// message_call.hpp - calls of MPI behind `acc mpi`: buffers are on the device, and the call may be an operation of a
// queue.
//
// Threads     pure.
// Source      IMPACC (Kim, Lee, Vetter, HPDC 2016), section 3.5: unified activity queues.
#pragma once

#include <string>

#include "cc/acc/directive_tree.hpp"
#include "cc/acc/preprocessed_text.hpp"
#include "cc/language.hpp"

namespace stretto::cc::acc {

struct message_text {
  std::string ahead;      // in C: definitions at file scope, ahead of the function
  std::string statement;  // in place of the directive and its statement
};

/// number: of the directive, for names. In C++ the definitions stand in the statement.
///   throws   O16 if the statement is no call of MPI with buffers, or none that a queue can perform
message_text message_call(const placed_directive& of, const preprocessed_text& source, unsigned number,
                          language language = language::c);

}  // namespace stretto::cc::acc
