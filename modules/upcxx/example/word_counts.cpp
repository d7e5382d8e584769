// Counts words. Each word belongs to a rank, which counts it in its part of a distributed object; a remote call is a
// task of that rank.
#include <stretto_upcxx/upcxx_dist_object.hpp>

#include <cstdio>
#include <functional>
#include <map>
#include <mutex>
#include <string>

using namespace stretto;
using table = std::map<std::string, int>;

int main() {
  upcxx::init();
  auto pgas = std::make_shared<upcxx_module>();
  {
    runtime rt({.modules = {pgas}});
    rt.run([&] {
      static std::mutex guard;  // tasks of one rank count at the same time
      upcxx_dist_object<table> counts(*pgas, {});
      finish([&] {
        for (int i = pgas->rank(); i < 1000; i += pgas->ranks()) {
          const std::string word = "word " + std::to_string(i * i % 1000 / 10);
          const int owner = static_cast<int>(std::hash<std::string>()(word) % static_cast<unsigned>(pgas->ranks()));
          async([&, word, owner] {
            pgas->rpc(
                    owner,
                    [](upcxx::dist_object<table>& mine, const std::string& w) {
                      const std::scoped_lock lock(guard);
                      ++(*mine)[w];
                    },
                    counts.object(), word)
                .get();
          });
        }
      });
      pgas->barrier().get();

      long seen[2] = {0, static_cast<long>(counts->size())};
      for (const auto& [word, count] : *counts) seen[0] += count;
      const auto sum = [](long a, long b) { return a + b; };
      const long words = pgas->reduce_all(seen[0], sum).get(), different = pgas->reduce_all(seen[1], sum).get();
      if (pgas->rank() == 0) std::printf("%ld words, %ld of them different\n", words, different);
      pgas->barrier().get();
    });
  }
  const upcxx::persona_scope as_master(upcxx::master_persona());
  upcxx::finalize();
}
