#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Minimises |A x - b|² for a sparse A of full column rank, by a Cholesky factorisation of the normal equations.
//
// A is given by its entries, of which those at the same place are added; `b` and `x` have `rights` columns, stored
// one after another. Returns 0, -1 if A has not full rank or is not finite, or -2 if memory is short.
int meshpipe_least_squares(int32_t rows, int32_t columns, size_t count, const int32_t *row,
                           const int32_t *column, const double *value, int32_t rights,
                           const double *b, double *x);

// The version of Eigen's headers, as 3.4.0.
const char *meshpipe_eigen_version(void);

#ifdef __cplusplus
}
#endif
