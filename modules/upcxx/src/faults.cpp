#include "faults.hpp"

#include <stretto_upcxx/remote_call.hpp>

namespace stretto::upcxx_detail {

error not_usable(const std::string& why) {
  return error("M36", "UPC++ is not usable")
      .because(why)
      .remedy(
          "call UPC++ while a runtime with the module exists; for several runtimes call upcxx::init and "
          "upcxx::finalize in the program");
}

error no_such_rank(int rank, int ranks) {
  return error("M37", "there is no rank " + std::to_string(rank))
      .because("the team has " + std::to_string(ranks) + ", numbered from 0");
}

std::exception_ptr remote_failure(int rank, const std::string& text) {
  return std::make_exception_ptr(
      error("M38", "the remote call on rank " + std::to_string(rank) + " has thrown an exception").because(text));
}

error without_persona() {
  return error("M39", "a future of UPC++ is converted without the master persona")
      .because(
          "a future of UPC++ belongs to the persona that made it, and the module progresses the master persona only")
      .remedy("convert it inside of start(...), or while calling() is held");
}

std::string text_of_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

}  // namespace stretto::upcxx_detail
