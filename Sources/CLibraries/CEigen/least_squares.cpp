#include "meshpipe_eigen.h"

// Leaves out what is not under the Mozilla Public License.
#define EIGEN_MPL2_ONLY
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <memory>
#include <new>
#include <vector>

using Matrix = Eigen::SparseMatrix<double>;

struct meshpipe_factors {
  Matrix transposed;
  Eigen::SimplicialLDLT<Matrix> normal;
};

meshpipe_factors *meshpipe_factorise(int32_t rows, int32_t columns, size_t count,
                                     const int32_t *row, const int32_t *column,
                                     const double *value) {
  try {
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(count);
    for (size_t i = 0; i < count; i++) entries.emplace_back(row[i], column[i], value[i]);
    Matrix a(rows, columns);
    a.setFromTriplets(entries.begin(), entries.end());
    std::vector<Eigen::Triplet<double>>().swap(entries);
    auto factors = std::make_unique<meshpipe_factors>();
    factors->transposed = a.transpose();
    factors->normal.compute(factors->transposed * a);
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
