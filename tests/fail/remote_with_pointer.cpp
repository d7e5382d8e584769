// A pointer means nothing on another node.
// expect: a parameter of this function cannot travel
#include <stretto/remote.hpp>

int sound(int number) { return number; }
int unsound(const int* numbers) { return numbers[0]; }

auto f() { return stretto::call<&sound>(1); }
auto g() { return stretto::call<&unsound>(nullptr); }  // fails
