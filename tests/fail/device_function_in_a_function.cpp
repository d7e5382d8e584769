// Functions that kernels share have namespace scope, as the compiler says in place.
// expect: what_devices_share_is_defined_in_the_scope_of_a_namespace {}
#include <stretto/kernel.hpp>

STRETTO_DEVICE_FUNCTION(int, sound, (int x), { return x + 1; })
int main() {
  STRETTO_DEVICE_FUNCTION(int, unsound, (int x), { return x + 1; })  // fails
}
