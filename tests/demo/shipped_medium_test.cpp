#include "demo/wave/shipped_medium.hpp"

#include <doctest/doctest.h>

#include <fstream>

using namespace stretto::wave;
namespace fs = std::filesystem;

TEST_CASE("a built command finds the medium of its source tree") {
  CHECK(fs::equivalent(shipped_medium(running_program()), STRETTO_SOURCE_DIR "/examples/media/layered_earth.png"));
}

TEST_CASE("an installed command finds the medium beside itself") {
  const auto prefix = fs::temp_directory_path() / "stretto_installed_somewhere";
  fs::create_directories(prefix / "share/stretto/media");
  std::ofstream(prefix / "share/stretto/media/layered_earth.png") << "a picture";
  CHECK(shipped_medium(prefix / "bin/stretto") == prefix / "share/stretto/media/layered_earth.png");
  fs::remove_all(prefix);
}
