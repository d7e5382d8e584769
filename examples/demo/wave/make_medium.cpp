// make_medium.cpp - writes the shipped medium: make_medium FILE [WIDTH HEIGHT].
//
// examples/media/layered_earth.png is what it writes at 800 x 600, and a test keeps the two equal.
#include <cstdio>
#include <cstdlib>
#include <stretto/error.hpp>

#include "demo/wave/image.hpp"
#include "demo/wave/layered_earth.hpp"
#include "demo/wave/output_folder.hpp"

int main(int count, char** arguments) {
  using namespace stretto::wave;
  if (count != 2 && count != 4) {
    std::fprintf(stderr, "usage: make_medium FILE [WIDTH HEIGHT]\n");
    return 2;
  }
  const int width = count == 4 ? std::atoi(arguments[2]) : 800, height = count == 4 ? std::atoi(arguments[3]) : 600;
  if (width < 1 || height < 1 || width > longest_side || height > longest_side) {
    std::fprintf(stderr, "make_medium: width and height go from 1 to %d pixels\n", longest_side);
    return 2;
  }
  try {
    write_file(arguments[1], encode_grey_png(layered_earth({height, width})));
  } catch (const stretto::error& e) {
    std::fprintf(stderr, "%s\n", e.what());
    return 1;
  }
}
