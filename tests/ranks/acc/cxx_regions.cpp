// cxx_regions.cpp - OpenACC in C++: templates, member functions, lambdas and messages of queues. Prints what is wrong.
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr int width = 64;
enum class side { left = 1, right };

void check(bool is_right, const char* what) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (!is_right) std::printf("rank %d: %s\n", rank, what);
}

#pragma acc routine seq
template <class T>
T half(T x) {
  return x / 2;
}

#pragma acc routine seq
inline double smoothed(const double* x, std::size_t i) { return 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]; }

template <class T>
T sum_of(const T* x, std::size_t n) {
  T sum = 0;
#pragma acc parallel loop reduction(+ : sum) copyin(x[0 : n])
  for (std::size_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

/// Cells of a rank with one of each neighbour at either end.
template <class T>
class line {
 public:
  explicit line(int cells) : cells_(cells), now_(new T[cells + 2]), next_(new T[cells + 2]) {
    for (int i = 0; i < cells + 2; ++i) now_[i] = next_[i] = static_cast<T>(i % 7);
#pragma acc enter data copyin(now_[0 : cells_ + 2], next_[0 : cells_ + 2])
  }
  line(const line&) = delete;
  ~line() {
#pragma acc exit data delete (now_[0 : cells_ + 2], next_[0 : cells_ + 2])
    delete[] now_;
    delete[] next_;
  }

  void step();
  /// The cell of the left neighbour becomes our first one.
  void shift(int left, int right) {
#pragma acc mpi sendbuf(device) async(1)
    MPI_Send(&now_[cells_], 1, type(), right, 0, MPI_COMM_WORLD);
#pragma acc mpi recvbuf(device) async(1)
    MPI_Recv(&now_[0], 1, type(), left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
#pragma acc wait(1)
  }
  T total() const {
    T sum{};
#pragma acc parallel loop reduction(+ : sum) present(now_)
    for (int i = 1; i <= cells_; ++i) sum += now_[i];
    return sum;
  }
  T first() {
#pragma acc update host(now_[0 : 1])
    return now_[0];
  }

 private:
  static MPI_Datatype type() { return sizeof(T) == sizeof(double) ? MPI_DOUBLE : MPI_FLOAT; }
  int cells_;
  T *now_, *next_;
};

template <class T>
void line<T>::step() {
#pragma acc parallel loop present(now_, next_) async(1)
  for (int i = 1; i <= cells_; ++i) this->next_[i] = now_[i - 1];
#pragma acc parallel loop present(now_, next_) async(1)
  for (int i = 1; i <= cells_; ++i) now_[i] = next_[i];
#pragma acc wait
}

template <class T>
void test_line() {
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  line<T> cells(width);
  const T before = cells.total();
  cells.step();
  check(cells.total() == before - static_cast<T>(width % 7), "the sum of shifted cells");
  cells.shift((rank + size - 1) % size, (rank + 1) % size);
  check(cells.first() == static_cast<T>((width - 1) % 7), "the cell of the left neighbour");
}

void test_functions_of_cmath() {
  std::vector<double> values(width, -4.0);
  std::vector<float> floats(width, -9.0f);
  double* const v = values.data();
  float* f = floats.data();
  const std::size_t n = values.size();
  bool is_negated = true;
#pragma acc parallel loop copy(v[0 : n], f[0 : n])
  for (std::size_t i = 0; i < n; ++i) {
    const auto root = std::sqrt(std::abs(v[i]));
    f[i] = std::sqrt(std::fabs(f[i])) + float(std::max(int(i), width / 2));
    if (is_negated && v != nullptr) v[i] = -std::pow(root, 2.0) + static_cast<int>(side::right);
  }
  check(values[5] == -2.0, "functions of double");
  check(floats[1] == 35.0f && floats[63] == 66.0f, "functions of float");
  check(sum_of(v, n) == -2.0 * width && sum_of(floats.data(), 2) == 70.0f, "sums of two types");
}

void test_references_and_lambdas(double& total, const std::size_t& n) {
  std::vector<double> from(n, 2.0), to(n, 0.0);
  const auto smooth = [&] {
    const double* x = from.data();
    double* y = to.data();
#pragma acc data copyin(x[0 : n]) copy(y[0 : n])
    {
#pragma acc parallel loop
      for (std::size_t i = 1; i < n - 1; ++i) y[i] = half(smoothed(x, i));
#pragma acc parallel loop reduction(+ : total)
      for (std::size_t i = 0; i < n; ++i) total += y[i];
    }
  };
  smooth();
  check(to[0] == 0.0 && to[1] == 1.0, "a lambda with a data region");
  check(total == static_cast<double>(n - 2), "a reduction into a reference");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  test_line<double>();
  test_line<float>();
  test_functions_of_cmath();
  double total = 0;
  test_references_and_lambdas(total, 100);
  MPI_Finalize();
}
