#include "meshpipe_eigen.h"

// Leaves out what is not under the Mozilla Public License.
#define EIGEN_MPL2_ONLY
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <memory>
#include <new>
#include <vector>

using Matrix = Eigen::SparseMatrix<double>;

struct meshpipe_matrix {
  Matrix entries;
};

struct meshpipe_factors {
  Matrix transposed;
  Eigen::SimplicialLDLT<Matrix> normal;
};

namespace {

// Goes through entries that are in three arrays.
struct entry_iterator {
  const int32_t *rows, *columns;
  const double *values;

  const entry_iterator *operator->() const { return this; }
  int32_t row() const { return *rows; }
  int32_t col() const { return *columns; }
  double value() const { return *values; }
  entry_iterator &operator++() {
    ++rows, ++columns, ++values;
    return *this;
  }
  bool operator!=(const entry_iterator &other) const { return values != other.values; }
};

}  // namespace

meshpipe_matrix *meshpipe_matrix_make(int32_t rows, int32_t columns, size_t count,
                                      const int32_t *row, const int32_t *column,
                                      const double *value) {
  try {
    auto matrix = std::make_unique<meshpipe_matrix>();
    matrix->entries.resize(rows, columns);
    matrix->entries.setFromTriplets(entry_iterator{row, column, value},
                                    entry_iterator{row + count, column + count, value + count});
    return matrix.release();
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

meshpipe_factors *meshpipe_factorise(meshpipe_matrix *matrix) {
  // What is done with is freed before the factors, which are much larger, are allocated.
  std::unique_ptr<meshpipe_matrix> owner(matrix);
  try {
    auto factors = std::make_unique<meshpipe_factors>();
    factors->transposed = owner->entries.transpose();
    Matrix product = factors->transposed * owner->entries;
    owner.reset();
    factors->normal.compute(product);
    return factors->normal.info() == Eigen::Success ? factors.release() : nullptr;
  } catch (const std::bad_alloc &) {
    return nullptr;
  }
}

int meshpipe_solve(const meshpipe_factors *factors, int32_t rights, const double *b, double *x) {
  try {
    const Matrix &transposed = factors->transposed;
    Eigen::Map<Eigen::MatrixXd> solution(x, transposed.rows(), rights);
    solution = factors->normal.solve(
        transposed * Eigen::Map<const Eigen::MatrixXd>(b, transposed.cols(), rights));
    return factors->normal.info() == Eigen::Success && solution.allFinite() ? 0 : -1;
  } catch (const std::bad_alloc &) {
    return -2;
  }
}

void meshpipe_factors_free(meshpipe_factors *factors) { delete factors; }

#define TEXT(number) #number
#define VERSION(world, major, minor) TEXT(world) "." TEXT(major) "." TEXT(minor)

const char *meshpipe_eigen_version(void) {
  return VERSION(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}
