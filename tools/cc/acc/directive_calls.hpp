// directive_calls.hpp - directives that move data and wait, as calls of the runtime.
//
// Threads     pure.
#pragma once

#include <string>
#include <vector>

#include "cc/acc/data_item.hpp"
#include "cc/acc/directive.hpp"

namespace stretto::cc::acc {

/// "jacobi.c:23", as a literal of C.
std::string place_text(const source_line& where);
/// The queue of a clause async, as the runtime takes it; that of no queue without the clause.
std::string queue_text(const directive& d);
/// The calls that wait ahead of the directive's work, for its clauses wait(...); nothing without them.
std::string waits_text(const directive& d);
/// Of a clause `if`: "(c)", or "1" without it.
std::string condition_text(const directive& d);

/// A statement that does what a directive does which stands alone in a function: enter data, exit data, update, wait,
/// init, shutdown, set; nothing for the others.
///
///   number   of the directive, for names
std::string call_text(const directive& d, const std::vector<data_item>& items, unsigned number);

/// The beginning of a block in which data is there, and the same without the brace: to the end of the block around it.
std::string opening_text(const directive& d, const std::vector<data_item>& items, unsigned number);
std::string scope_text(const directive& d, const std::vector<data_item>& items, unsigned number);
/// The beginning of a block in which names stand for addresses of the device; two braces close it.
std::string host_data_text(const directive& d, const std::vector<data_item>& items, unsigned number);
/// A function that brings data to the device ahead of main.
std::string constructor_text(const directive& d, const std::vector<data_item>& items, unsigned number);

/// The name of the array of a directive's items.
std::string items_name(unsigned number);

}  // namespace stretto::cc::acc
