#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include "campaign.hpp"
#include "objects/speeds.hpp"
#include "objects/speeds_file.hpp"
#include "temporary_folder.hpp"

using namespace stretto::objects;

namespace {

std::string fault_of(const std::string& text) {
  std::string fault;
  return speeds::read(text, fault) ? "none" : fault;
}

}  // namespace

TEST_CASE("a prediction is the time measured for that size, the first time being forgotten at the second") {
  speeds s;
  const auto n = s.number_of("jacobi", "GPU 0");
  CHECK_FALSE(s.predict(n, 1000));
  s.record(n, 1000, 5.0);
  CHECK(*s.predict(n, 1000) == doctest::Approx(5.0));
  s.record(n, 1000, 1.0);
  CHECK(*s.predict(n, 1000) == doctest::Approx(1.0));
  CHECK(*s.predict(n, 600) == doctest::Approx(0.6));
  s.record(n, 1000, 3.0);
  CHECK(*s.predict(n, 1000) == doctest::Approx(2.0));
  for (int i = 0; i < 200; ++i) s.record(n, 1000, 7.0);
  CHECK(*s.predict(n, 1000) == doctest::Approx(7.0));
}

TEST_CASE("sizes never measured are predicted from those around them, and not from far away") {
  speeds s;
  const auto n = s.number_of("k", "d");
  s.record(n, 1000, 11e-6);  // 10 us and 1 ns per item
  CHECK(*s.predict(n, 10'000) == doctest::Approx(110e-6));
  CHECK_FALSE(s.predict(n, 100'000));
  s.record(n, 1'000'000, 1010e-6);
  CHECK(*s.predict(n, 100'000) == doctest::Approx(110e-6));
  CHECK_FALSE(s.predict(n, 10));
  CHECK_FALSE(s.predict(n, 0));
  CHECK_FALSE(s.predict(s.number_of("k", "other"), 1000));
}

TEST_CASE("an estimate uses classes at any distance") {
  speeds s;
  const auto n = s.number_of("k", "d");
  CHECK_FALSE(s.estimate(n, 10));
  s.record(n, 1000, 11e-6);
  CHECK(*s.estimate(n, 1) == doctest::Approx(11e-9));
  CHECK(*s.estimate(n, 1'000'000) == doctest::Approx(11e-3));
  s.record(n, 4000, 20e-6);  // the nearer of two below, and of two above
  CHECK(*s.estimate(n, 1'000'000) == doctest::Approx(5e-3));
  CHECK(*s.estimate(n, 1) == doctest::Approx(11e-9));
  s.record(n, 1'000'000, 1010e-6);
  CHECK(*s.estimate(n, 100'000) == doctest::Approx(*s.predict(n, 100'000)));
  CHECK_FALSE(s.estimate(n, 0));
}

TEST_CASE("invalid times are not recorded") {
  speeds s;
  const auto n = s.number_of("k", "d");
  for (const double t : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) s.record(n, 10, t);
  s.record(n, 0, 1.0);
  CHECK_FALSE(s.predict(n, 10));
}

TEST_CASE("a time from outside is believed when it is smaller") {
  speeds s;
  const auto n = s.number_of("k", "d");
  s.record_at_most(n, 100, 50e-6);  // the first time is forgotten
  s.record_at_most(n, 100, 9e-6);
  CHECK(*s.predict(n, 100) == doctest::Approx(9e-6));
  s.record_at_most(n, 100, 7e-6);
  CHECK(*s.predict(n, 100) == doctest::Approx(7e-6));
  s.record_at_most(n, 100, 71e-6);
  CHECK(*s.predict(n, 100) == doctest::Approx(8e-6));
  for (int i = 0; i < 2000; ++i) s.record_at_most(n, 100, 20e-6);  // it has become slower
  CHECK(*s.predict(n, 100) == doctest::Approx(20e-6).epsilon(0.01));
}

TEST_CASE("the text of a table gives the same table, whatever the names are, over many seeds") {
  for (unsigned seed = 0; seed < stretto::test::scaled_of_one_thread(200u, 20'000u); ++seed) {
    std::mt19937 random(seed);
    speeds s;
    for (unsigned i = random() % 20; i > 0; --i) {
      const auto any_name = [&] {
        std::string name;
        for (unsigned n = random() % 6; n > 0; --n) name += "ab%\t\n\r\x01 \xc3\xa9/"[random() % 11];
        return name;
      };
      const std::string kernel = any_name(), device = any_name();
      for (unsigned k = 1 + random() % 5; k > 0; --k)
        s.record(s.number_of(kernel, device), std::uint64_t{1} << (random() % 64) | 1, 1e-9 * (1 + random() % 1000));
    }
    std::string fault;
    const auto again = speeds::read(s.text(), fault);
    REQUIRE(again);
    REQUIRE(again->text() == s.text());
  }
}

TEST_CASE("a text with an error is refused as a whole, with the line of the error") {
  const std::string good = "stretto speeds 1\nk\td\t4\t1\t9\t1e-06\n";
  CHECK(fault_of(good) == "none");
  CHECK(fault_of("") == "line 1: this is not \"stretto speeds 1\"");
  CHECK(fault_of("stretto speeds 2\n") == "line 1: this is not \"stretto speeds 1\"");
  CHECK(fault_of(good + "k\td\t5\t1\t17") == "line 3: the file ends within the line");
  CHECK(fault_of(good + "k\td\t5\n") == "line 3: it has fewer than six fields");
  CHECK(fault_of(good + "%4\td\t5\t1\t17\t1\n") == "line 3: after % stand two hexadecimal digits");
  CHECK(fault_of(good + "%xy\td\t5\t1\t17\t1\n") == "line 3: after % stand two hexadecimal digits");
  CHECK(fault_of(good + "k\td\t65\t1\t17\t1\n") == "line 3: the third field is no class from 1 to 64");
  CHECK(fault_of(good + "k\td\t5\t0\t17\t1\n") == "line 3: the fourth field is no number of times");
  CHECK(fault_of(good + "k\td\t5\t1\t99\t1\n") == "line 3: the fifth field is no number of items of this class");
  CHECK(fault_of(good + "k\td\t5\t1\t17\tinf\n") == "line 3: the sixth field is no time in seconds");
  CHECK(fault_of(good + "k\td\t5\t1\t17\t-1\n") == "line 3: the sixth field is no time in seconds");
  CHECK(fault_of(good + "k\td\t4\t1\t9\t1\n") == "line 3: an earlier line says the same");
}

TEST_CASE("no damage to a text does more than have it refused, over many seeds") {
  speeds s;
  for (int i = 0; i < 5; ++i) s.record(s.number_of("kernel" + std::to_string(i), "device"), 100u << i, 1e-6);
  for (unsigned seed = 0; seed < stretto::test::scaled_of_one_thread(2'000u, 100'000u); ++seed) {
    std::mt19937 random(seed);
    std::string text = s.text(), fault;
    for (unsigned n = 1 + random() % 3; n > 0; --n) {
      const std::size_t at = random() % text.size();
      if (random() % 3 == 0) text.erase(at, random() % 20 + 1);
      else text[at] = static_cast<char>(random());
      if (text.empty()) break;
    }
    const auto read = speeds::read(text, fault);
    REQUIRE(read.has_value() == fault.empty());
  }
}

TEST_CASE("speeds are kept in a file; one that is damaged is ignored with a warning") {
  const stretto::test::temporary_folder folder;
  const auto file = folder.path / "cache" / "speeds.txt";
  std::string warning;
  CHECK(load_speeds(file, warning).text() == speeds().text());
  speeds s;
  s.record(s.number_of("jacobi", "GPU 0"), 1000, 1e-3);
  CHECK(save_speeds(s, file, warning));
  CHECK(load_speeds(file, warning).text() == s.text());
  CHECK(warning.empty());
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path())) CHECK(entry.path() == file);

  std::ofstream(file, std::ios::app) << "nonsense\n";
  CHECK(load_speeds(file, warning).text() == speeds().text());
  CHECK(warning == "measured speeds are ignored: " + file.string() + ", line 3: it has fewer than six fields");

  warning.clear();
  CHECK_FALSE(save_speeds(s, file / "below a file" / "speeds.txt", warning));
  CHECK(warning.find("cannot be written") != std::string::npos);
}
