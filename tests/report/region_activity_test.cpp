#include "report/region_activity.hpp"

#include <doctest/doctest.h>

#include "report/activity_picture.hpp"
#include "small_runs.hpp"

using namespace stretto::report;

namespace {

/// A rank that waits for a kernel and a message, and another one that waits for a kernel; two streams of a device.
run small_run() {
  run r = make_run({{0, 0, 100, "until a wait outside of MPI"},
                    {1, 0, 300, "until a wait outside of MPI"},
                    {0, 100, 400, "a wait outside of MPI", kind::wait},
                    {2, 100, 300, "kernel", kind::kernel},
                    {3, 200, 500, "kernel", kind::kernel},
                    {1, 300, 700, "a wait outside of MPI", kind::wait},
                    {0, 400, 500, "until MPI_Recv(from rank 1)"},
                    {0, 500, 1100, "MPI_Recv(from rank 1)", kind::wait},
                    {2, 600, 800, "copy", kind::copy},
                    {3, 900, 1100, "kernel", kind::kernel},
                    {2, 1100, 1300, "copy", kind::copy}});
  r.tracks = {"rank 0", "rank 1", "queue <1>", "queue 2"};
  return r;
}

}  // namespace

TEST_CASE("the activity of ranks and devices is counted from the first kernel to the last one") {
  const region_activity found = region_activity_of(small_run());
  CHECK(found.begin == 100);
  CHECK(found.end == 1100);
  CHECK(found.middle == 200);
  CHECK(found.waits == 3);
  CHECK(found.waiting == doctest::Approx((0.3 + 0.6 + 0.4) / 2));
  CHECK(found.computing == doctest::Approx(0.4 + 0.2));
  REQUIRE(found.rows.size() == 4);
  CHECK(found.rows[0].name == "rank 0");
  CHECK(found.rows[0].spans[1].is == activity::device_wait);
  CHECK(found.rows[0].spans[3].is == activity::message_wait);
  CHECK(found.rows[2].spans[1].is == activity::copy);
}

TEST_CASE("a run without kernels is one of the host") {
  run r = make_run({{0, 0, 100, "until MPI_Barrier"}, {1, 0, 50, "task"}});
  r.tracks[0] = "rank 0";
  const region_activity found = region_activity_of(r);
  CHECK(found.end == 100);
  CHECK(found.rows.size() == 1);
  CHECK(found.computing == 0);
  CHECK(found.waiting == 0);
}

TEST_CASE("a picture of activity has a bar for each span within the time that it shows") {
  const region_activity found = region_activity_of(small_run());
  const auto count = [](const std::string& text, const std::string& part) {
    int n = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  const std::string whole = activity_picture("all", {{"one", &found}}, 1000);
  CHECK(count(whole, "class=\"a3\"") == 3 + 1);  // and one of the legend
  CHECK(count(whole, "class=\"a4\"") == 1 + 1);
  CHECK(whole.find("queue &lt;1>") != std::string::npos);
  const std::string part = activity_picture("all", {{"one", &found}, {"again", &found}}, 100);
  CHECK(count(part, "class=\"a3\"") == 4 + 1);  // 150 to 250, twice
  CHECK(count(part, "class=\"a4\"") == 0 + 1);
  CHECK(part.find(">again<") != std::string::npos);
}
