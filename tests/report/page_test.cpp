#include "report/page.hpp"

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "small_runs.hpp"

using namespace stretto::report;

namespace {

std::size_t count(std::string_view text, std::string_view what) {
  std::size_t found = 0;
  for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
  return found;
}

std::string page_of(run r) { return to_page(r, analyse(r)); }

nlohmann::json facts_in(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"facts\">";
  const auto at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("names of any bytes stay names: no markup or script comes from a file") {
  const std::string hostile =
      "</script><script>document.title='taken'</script><!--<img src=x "
      "onerror=alert(1)>@DATA@\xff\x01";
  run r = make_run({{0, 0, 10, "plain"}});
  const std::string plain = page_of(r);
  r.labels[0].name = r.labels[0].at = r.title = r.tracks[0] = r.lanes[0].name = r.damage = hostile;
  r.places = {hostile};
  r.records[0].place = 0;
  const std::string page = page_of(r);
  CHECK(count(page, "<script") == count(plain, "<script"));
  CHECK(count(page, "</script") == count(plain, "</script"));
  CHECK(count(page, "<img") == 0);
  CHECK(count(page, "<!--") == 0);
  CHECK(facts_in(page)["labels"][0]["name"].get<std::string>().starts_with("</script><script>document.title"));
}

TEST_CASE("the page loads nothing and allows its own script only") {
  const std::string page = page_of(make_run({{0, 0, 10, "a"}}));
  CHECK(page.find("default-src 'none'; script-src 'sha256-") != std::string::npos);
  for (const char* what :
       {"http:", "https:", "src=", "@HASH@", "@TITLE@", "@DATA@", "@SCRIPT@", "@STYLE@", "@RECORDS@"})
    CHECK_MESSAGE(count(page, what) == 0, what);
}

TEST_CASE("the facts name every column of the records") {
  const auto columns =
      facts_in(page_of(make_run({{0, 0, 10, "a"}, {0, 300, 5'000'000'000, "b"}}, {{0, 1}})))["columns"];
  CHECK(columns["start"]["count"] == 2);
  CHECK(columns["length"]["wide"] == true);
  CHECK(columns["edge_back"]["count"] == 1);
  CHECK(columns["path_start"]["count"] == 3);
}

TEST_CASE("text for HTML has no markup left") {
  CHECK(html_text("<a href=\"x\">&'\xff") == "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\xef\xbf\xbd");
}

TEST_CASE("two runs are compared by name, the greatest difference first") {
  const run before = make_run({{0, 0, 100, "a"}, {0, 100, 130, "gone"}}),
            after = make_run({{0, 0, 40, "a"}, {0, 40, 50, "new"}});
  const auto c = compare(before, analyse(before), after, analyse(after));
  CHECK(c.before == 130);
  CHECK(c.after == 50);
  REQUIRE(c.rows.size() >= 3);
  CHECK(c.rows[0].name == "a");
  CHECK(c.rows[0].after - c.rows[0].before == -60);
  CHECK(c.rows[1].name == "gone");
  CHECK(c.rows[1].count_after == 0);
  CHECK(c.rows[2].name == "new");
}
