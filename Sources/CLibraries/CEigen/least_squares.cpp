#include "meshpipe_eigen.h"

// Leaves out what is not under the Mozilla Public License.
#define EIGEN_MPL2_ONLY
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>
#include <new>
#include <vector>

int meshpipe_least_squares(int32_t rows, int32_t columns, size_t count, const int32_t *row,
                           const int32_t *column, const double *value, int32_t rights,
                           const double *b, double *x) {
  try {
    using Matrix = Eigen::SparseMatrix<double>;
    std::vector<Eigen::Triplet<double>> entries;
    entries.reserve(count);
    for (size_t i = 0; i < count; i++) entries.emplace_back(row[i], column[i], value[i]);
    Matrix a(rows, columns);
    a.setFromTriplets(entries.begin(), entries.end());
    std::vector<Eigen::Triplet<double>>().swap(entries);
    const Matrix transposed = a.transpose();
    const Matrix normal = transposed * a;
    Eigen::SimplicialLDLT<Matrix> factors(normal);
    if (factors.info() != Eigen::Success) return -1;
    Eigen::Map<Eigen::MatrixXd> solution(x, columns, rights);
    solution = factors.solve(transposed * Eigen::Map<const Eigen::MatrixXd>(b, rows, rights));
    return factors.info() == Eigen::Success && solution.allFinite() ? 0 : -1;
  } catch (const std::bad_alloc &) {
    return -2;
  }
}

#define TEXT(number) #number
#define VERSION(world, major, minor) TEXT(world) "." TEXT(major) "." TEXT(minor)

const char *meshpipe_eigen_version(void) {
  return VERSION(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION);
}
