// An error without a code could not be explained.
// expect: no matching function for call to 'stretto::error::error(const char [17])'
#include <stretto/error.hpp>

int main() {
  stretto::error with_code("B12", "something failed");
  stretto::error without_code("something failed");  // fails
}
