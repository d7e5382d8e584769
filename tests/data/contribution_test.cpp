// Contributions to elements outside of a reduction: refused with index and box, without any effect.
#include <stretto/copy.hpp>
#include <stretto/platform.hpp>
#include <stretto/reduce.hpp>
#include <stretto/runtime.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "thrown_by.hpp"

namespace stretto {

TEST_CASE("a contribution outside of the reduction's box is an error with the index and the box, in every style") {
  runtime rt({.workers = 1});
  rt.run([&] {
    const place ram = rt.machine().memories().front();
    for (const reduction_style style :
         {reduction_style::automatic, reduction_style::fold, reduction_style::shared_fold, reduction_style::list}) {
      CAPTURE(int(style));
      const auto sums = instance<double>::create(at(ram), {2, 5}).made,
                 beside = instance<double>::create(at(ram), {0, 4000}).made;
      wait(merge(fill(sums, 0.0), fill(beside, 0.0)));
      const auto r = reduction_instance<sum<double>>::create(at(ram), {2, 5}, {.style = style, .name = "charge"});
      for (const std::int64_t at :
           {std::int64_t{5}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{9}, std::int64_t{100'000},
            std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
        const std::string words = test::words_of(async([r, at] {
          auto c = r.contribute();
          c(3) << 1.0;
          c(at) << 1.0;
        }));
        CHECK_MESSAGE(words.find("error D25: a contribution is outside of reduction \"charge\"\n"
                                 "  index       (" +
                                 std::to_string(at) +
                                 ")\n"
                                 "  elements    [2,5)\n") != std::string::npos,
                      words);
      }
      wait(reduce(r, sums));
      CHECK(sums.view()(3) == 7);
      CHECK(sums.view()(2) + sums.view()(4) == 0);
      for (int i = 0; i < 4000; ++i) REQUIRE(beside.view()(i) == 0);
      wait(merge(merge(sums.destroy(), beside.destroy()), r.destroy()));
    }
  });
}

TEST_CASE("of a reduction of several axes each coordinate counts, not the position that they make") {
  runtime rt({.workers = 1});
  rt.run([&] {
    const place ram = rt.machine().memories().front();
    const auto r = reduction_instance<sum<int>, 2>::create(at(ram), {{0, 0}, {4, 6}});
    auto c = r.contribute();
    const std::string words = test::thrown_by([&] { c(1, 6) << 1; });  // position 12 is that of (2, 0)
    CHECK(words.find("  index       (1, 6)\n  elements    [0,4)x[0,6)\n") != words.npos);
    CHECK(
        test::thrown_by([&] { c(4, 0) << 1; }).starts_with("error D25: a contribution is outside of the reduction\n"));
    CHECK(test::thrown_by([&] { c(0, -1) << 1; }).starts_with("error D25: "));
    c(3, 5) << 1;
  });
}

}  // namespace stretto
