// A checkpoint of which anything at all has changed is refused, with the file named; what cannot be restored is, in words.
#include <doctest/doctest.h>

#include <random>

#include "campaign.hpp"
#include "checkpoint/contents.hpp"
#include "checkpoint/file_content.hpp"
#include "checkpoint/tokens.hpp"
#include "dist/simulated.hpp"
#include "temporary_folder.hpp"
#include "thrown_by.hpp"

namespace stretto {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// A checkpoint of a few objects with messages that wait.
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
  CHECK(checkpoints::read_contents(directory).letters > 0);
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

}  // namespace
}  // namespace stretto
