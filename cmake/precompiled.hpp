// precompiled.hpp - headers of others that most of our files include, read once per build. With STRETTO_JOINED=OFF the
// library goes without, so that each of its files names what it uses. GCC maps compiled headers of at most 128 MB and
// reads larger ones anew for each file, which takes a second: these are 107 MB, and JSON would be 25 more.
#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <boost/container/small_vector.hpp>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>
