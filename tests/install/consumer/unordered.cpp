// Two operations that nothing orders: says whether that was found.
#include <cstdio>
#include <stretto/stretto.hpp>

using namespace stretto;

int main() {
  runtime rt({.workers = 1});
  rt.run([&] {
    const place ram = rt.machine().memories()[0];
    auto u = instance<float>::create(at(ram), {0, 1000}).made, v = instance<float>::create(at(ram), {0, 1000}).made;
    fill(u, 0.0f);
    try {
      wait(copy(u, v));
      std::puts("not checked");
    } catch (const error& e) {
      std::puts(e.code().c_str());
    }
  });
}
