// In place of ring.cpp where liburing was not found.
#include "engine.hpp"

namespace stretto {

std::unique_ptr<engine> make_ring(std::function<void()>, std::string& why_not) {
  why_not = "the module was built without liburing";
  return nullptr;
}

}  // namespace stretto
