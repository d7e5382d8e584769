// Text becomes an option's value by parsing only, where a bad one is an error with a message.
// expect: cannot convert
// expect: stretto::base::trace_detail
#include "base/options.hpp"

int main() {
  stretto::base::settings values;
  values.trace_level = stretto::base::trace_detail::full;
  values.trace_level = "full";  // fails
}
