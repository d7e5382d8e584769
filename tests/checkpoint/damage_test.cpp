// Any change of a checkpoint is detected, and the error names the file; values that cannot be restored are explained.
#include <doctest/doctest.h>

#include <sys/stat.h>

#include <array>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <stretto/buffer.hpp>
#include <stretto/buffer_checkpoint.hpp>

#include "campaign.hpp"
#include "checkpoint/content_io.hpp"
#include "checkpoint/file_content.hpp"
#include "checkpoint/token_program.hpp"
#include "dist/simulated.hpp"
#include "files/crc32c.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// Saves a checkpoint of a few objects with waiting messages.
void save(const std::string& directory, std::uint32_t nodes) {
  on_all_nodes({.nodes = nodes, .seed = 3}, 1, [&](runtime&) {
    if (this_node()) return;
    const auto all = make_collection<tally>(5);
    broadcast(all, call<&tally::know>(all)).get();
    detached([&] { send_all(all, tokens_of(1, 10, 200)); });
    save_checkpoint(directory, {keep("all", all), keep("step", 7), keep("energies", std::vector<double>{1, 2})}).get();
    wait(quiescence());
  });
}

TEST_CASE("each file of a checkpoint may be damaged in any way, and it is refused with the file named") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt";
  save(directory.string(), 2);
  CHECK(checkpoints::read_contents(directory).messages > 0);
  std::vector<fs::path> files;
  for (const auto& e : fs::recursive_directory_iterator(directory))
    if (e.is_regular_file()) files.push_back(e.path());
  CHECK(files.size() >= 12);
  runtime rt({.workers = 1});
  rt.run([&] {
    CHECK(open_checkpoint(directory.string()).value<int>("step") == 7);
    std::mt19937 random(5);
    for (const fs::path& file : files) {
      CAPTURE(file);
      const std::string whole = content_of(file);
      const auto is_refused = [&] {
        const error e = error_of([&] { open_checkpoint(directory.string()); });
        CHECK((e.code() == "C02" || (e.code() == "C06" && file.filename() == "checkpoint.json")));
        CHECK(std::string(e.what()).find(e.code() == "C02" ? file.string() : directory.string()) != std::string::npos);
      };
      for (int i = 0; i < scaled(6, 200); ++i) {
        std::string changed = whole;
        changed[random() % changed.size()] ^= static_cast<char>(1u << random() % 8);
        overwrite(file, changed);
        is_refused();
      }
      overwrite(file, whole.substr(0, random() % whole.size()));
      is_refused();
      overwrite(file, whole + ' ');
      is_refused();
      fs::remove(file);
      is_refused();
      overwrite(file, whole);
    }
    CHECK(open_checkpoint(directory.string()).value<int>("step") == 7);
  });
}

TEST_CASE("mobile objects of another build are refused, values are not") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt";
  save(directory.string(), 1);
  auto c = checkpoints::read_contents(directory);
  c.program = "another, build 0123";
  checkpoints::write_contents(directory, c);
  runtime rt({.workers = 1});
  rt.run([&] {
    const checkpoint saved = open_checkpoint(directory.string());
    const error e = error_of([&] { saved.restore_objects(); });
    CHECK(e.code() == "C03");
    CHECK(std::string(e.what()).find("another, build 0123") != std::string::npos);
    CHECK(saved.value<std::vector<double>>("energies") == std::vector<double>{1, 2});
  });
}

TEST_CASE("mobile objects are restored before a job makes its own, and once") {
  const temporary_folder folder;
  const std::string directory = (folder.path / "run.ckpt").string();
  save(directory, 2);
  const auto restored = [&] { open_checkpoint(directory).restore_objects(); };
  on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node()) return;
    const auto early = make_mobile<tally>(at_node(1));
    CHECK(error_of(restored).code() == "C07");
    destroy(early).get();
  });
  on_all_nodes({.nodes = 2}, 1, [&](runtime&) {
    if (this_node()) return;
    restored();
    CHECK(error_of(restored).code() == "C07");
    wait(quiescence());
  });
}

std::vector<fs::path> files_in(const fs::path& directory) {
  std::vector<fs::path> all;
  for (const auto& e : fs::recursive_directory_iterator(directory))
    if (e.is_regular_file()) all.push_back(e.path());
  return all;
}

/// The table with one piece of text replaced, and a correct checksum.
std::string table_with(const std::string& table, const std::string& piece, const std::string& by) {
  std::string text = table;
  const auto at = text.find(piece);
  REQUIRE(at != text.npos);
  text.replace(at, piece.size(), by);
  const std::string key = "\"crc32c\": \"";
  const auto sum = text.find(key) + key.size();
  text.replace(sum, 8, "--------");
  const std::string is = files::checksum_text(files::crc32c(std::as_bytes(std::span(text))));
  text.replace(sum, 8, is);
  return text;
}

TEST_CASE("files of a checkpoint that have been exchanged, or are those of another one, are refused") {
  const temporary_folder folder;
  const fs::path one = folder.path / "one.ckpt", other = folder.path / "other.ckpt";
  const auto write = [](const fs::path& to, double first) {
    on_nodes_of(simulated_job({.nodes = 3, .seed = 4}), {.workers = 1}, [&](runtime&) {
      buffer<double> u(box(0, 40), [&](coordinate i) { return first + static_cast<double>(i); });
      int step = static_cast<int>(first);
      buffer_checkpoint saved(to.string());
      saved.keep("u", u).keep("step", step);
      saved.save().get();
    });
  };
  write(one, 0), write(other, 1000);
  const auto reads = [&] {
    runtime rt({.workers = 1});
    return error_of([&] {
             rt.run([&] {
               buffer<double> u(box(0, 40));
               int step = 0;
               buffer_checkpoint saved(one.string());
               saved.keep("u", u).keep("step", step);
               saved.restore();
             });
           })
        .code();
  };
  int exchanged = 0;
  for (const fs::path& to : files_in(one))
    for (const fs::path& directory : {one, other})
      for (const fs::path& from : files_in(directory)) {
        if (to.filename() == "checkpoint.json") continue;  // replacing a whole checkpoint is allowed
        const std::string whole = content_of(to), foreign = content_of(from);
        if (whole == foreign) continue;
        CAPTURE(to.string());
        CAPTURE(from.string());
        ++exchanged;
        overwrite(to, foreign);
        CHECK(reads() == "C02");
        overwrite(to, whole);
      }
  CHECK(exchanged > 50);
}

TEST_CASE("a table with a valid checksum and impossible values is refused") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt", table = directory / "checkpoint.json";
  save(directory.string(), 2);
  const std::string whole = content_of(table);
  const auto lengths_at = whole.find("\"lengths\": [");
  REQUIRE(lengths_at != whole.npos);
  const std::string lengths = whole.substr(lengths_at, whole.find(']', lengths_at) + 1 - lengths_at);
  const std::string nodes = "\"nodes\": 2",
                    file = whole.substr(whole.find("\"kept/"),
                                        whole.find("\": {", whole.find("\"kept/")) - whole.find("\"kept/") + 1);
  const std::vector<std::pair<std::string, std::string>> changes{
      {lengths, "\"lengths\": [4, 2305843009213693952]"},
      {lengths, "\"lengths\": [4, -8]"},
      {lengths, "\"lengths\": [0, 2305843009213693952, 2305843009213693952]"},
      {lengths, "\"lengths\": 7"},
      {lengths, lengths + ", \"rows\": -7"},
      {lengths, lengths + ", \"origin\": [1, 2, 3]"},
      {lengths, "\"lengths\": " + std::string(150'000, '[') + std::string(150'000, ']')},
      {nodes, "\"nodes\": 0"},
      {nodes, "\"nodes\": -1"},
      {nodes, "\"nodes\": 99999999999"},
      {nodes, "\"nodes\": \"two\""},
      {"\"homes\": {", "\"homes\": {\"seven\": 0, "},
      {"\"homes\": {", "\"homes\": {\"99999999999999999999\": 0, "},
      {file, "\"../../../../etc/passwd\""},
      {file, "\"/etc/passwd\""},
      {file, "\"kept/./u\""},
      {"\"stretto_checkpoint\": 2", "\"stretto_checkpoint\": -2"},
      {"\"kept\": {", "\"kept\": [{}], \"else\": {"},
      {"\"homes\": {", "\"homes\": [0], \"else\": {"},
  };
  runtime rt({.workers = 1});
  rt.run([&] {
    for (const auto& [piece, by] : changes) {
      CAPTURE(piece);
      CAPTURE(by.substr(0, 60));
      overwrite(table, table_with(whole, piece, by));
      CHECK(error_of([&] { open_checkpoint(directory.string()); }).code() == "C02");
    }
    overwrite(table, whole);
    open_checkpoint(directory.string());
  });
}

TEST_CASE(
    "a table that gives a kept value more elements than its files have is refused before memory is taken for them") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt";
  save(directory.string(), 1);
  const detail::checkpoint_content whole = checkpoints::read_contents(directory);
  runtime rt({.workers = 1});
  rt.run([&] {
    for (const std::int64_t rows : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 58}) {
      CAPTURE(rows);
      detail::checkpoint_content c = whole;
      c.kept.at("energies").lengths = {std::int64_t{1} << 58};
      c.kept.at("energies").rows = rows;
      checkpoints::write_contents(directory, c);
      const checkpoint saved = open_checkpoint(directory.string());
      CHECK(error_of([&] { saved.value<std::vector<double>>("energies"); }).code() == "C02");
      CHECK(error_of([&] {
              buffer<double> energies;
              buffer_checkpoint(directory.string()).keep("energies", energies).restore();
            }).code() == "C02");
    }
  });
}

TEST_CASE("a list of objects with a valid checksum and impossible values is refused") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt", list = directory / "mobile/node0.json";
  save(directory.string(), 1);
  const detail::checkpoint_content whole = checkpoints::read_contents(directory);
  const std::string text = content_of(list);
  const auto with = [&](const std::string& key, const std::string& value) {
    const auto at = text.find(key) + key.size();
    return text.substr(0, at) + value + text.substr(text.find_first_of(",}", at));
  };
  const std::vector<std::string> changed{with("\"kind\":", "77"),
                                         with("\"kind\":", "-1"),
                                         with("\"offset\":", "-1"),
                                         with("\"offset\":", "1e300"),
                                         with("\"bytes\":", "9223372036854775807"),
                                         with("\"priority\":", "1000"),
                                         with("\"object\":", "\"-1\""),
                                         with("\"object\":", "\"ffff000000000001\""),
                                         with("\"type\":", "\" 7\""),
                                         "{\"objects\": " + text + "}"};
  for (const std::string& by : changed) {
    CAPTURE(by);
    overwrite(list, by);
    detail::checkpoint_content c = whole;
    checkpoints::file_entry& entry = c.files.at("mobile/node0.json");
    entry.bytes = by.size();
    entry.checksum = files::crc32c(std::as_bytes(std::span(by)));
    checkpoints::write_contents(directory, c);
    runtime rt({.workers = 1});
    rt.run([&] {
      const error e = error_of([&] { open_checkpoint(directory.string()).restore_objects(); });
      CHECK(e.code() == "C02");
      CHECK(std::string(e.what()).find(list.string()) != std::string::npos);
    });
  }
}

TEST_CASE("a checkpoint of the format before is read") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt", table = directory / "checkpoint.json";
  save(directory.string(), 1);
  std::string whole = content_of(table);
  const std::array<std::byte, 4> zero{};
  const std::string residue = files::checksum_text(files::crc32c(zero));  // of all that ends in its own checksum
  for (std::size_t at = 0; (at = whole.find("\"payload_crc32c\": \"", at)) != whole.npos;) {
    const std::string by = "\"crc32c\": \"" + residue;
    whole.replace(at, std::string_view("\"payload_crc32c\": \"").size() + 8, by);
    at += by.size();
  }
  overwrite(table, table_with(whole, "\"stretto_checkpoint\": 2", "\"stretto_checkpoint\": 1"));
  runtime rt({.workers = 1});
  rt.run([&] { CHECK(open_checkpoint(directory.string()).value<int>("step") == 7); });
}

TEST_CASE("a named pipe in place of a file is refused, not waited for") {
  const temporary_folder folder;
  const fs::path directory = folder.path / "run.ckpt";
  save(directory.string(), 1);
  runtime rt({.workers = 1});
  rt.run([&] {
    for (const fs::path& file : files_in(directory)) {
      CAPTURE(file);
      const std::string whole = content_of(file);
      fs::remove(file);
      REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
      CHECK(error_of([&] { open_checkpoint(directory.string()); }).code() == "C02");
      fs::remove(file);
      overwrite(file, whole);
    }
  });
}

}  // namespace
}  // namespace stretto
