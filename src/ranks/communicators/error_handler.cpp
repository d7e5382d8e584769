// error_handler.cpp - the predefined handlers.
#include "ranks/communicators/error_handler.hpp"

#include <array>

namespace stretto::ranks {

error_handler_ref predefined_handler(error_reaction reaction) {
  static const std::array handlers = {make_counted<const error_handler>(error_reaction::fatal),
                                      make_counted<const error_handler>(error_reaction::abort),
                                      make_counted<const error_handler>(error_reaction::return_code)};
  return handlers[static_cast<std::size_t>(reaction)];
}

}  // namespace stretto::ranks
