#pragma once
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A sparse matrix A.
typedef struct meshpipe_matrix meshpipe_matrix;

// The factors of the normal equations of A, by which |A x - b|² is minimised.
typedef struct meshpipe_factors meshpipe_factors;

// Makes A of its entries, of which those at the same place are added.
//
// Returns NULL if memory is short; otherwise meshpipe_factorise must follow.
meshpipe_matrix *meshpipe_matrix_make(int32_t rows, int32_t columns, size_t count,
                                      const int32_t *row, const int32_t *column,
                                      const double *value);

// Factorises the normal equations of A (Cholesky), and frees A.
//
// Returns NULL if A has not full rank or memory is short; otherwise meshpipe_factors_free must follow.
meshpipe_factors *meshpipe_factorise(meshpipe_matrix *matrix);

// The x that minimise |A x - b|²; `b` and `x` have `rights` columns, stored one after another.
//
// Returns 0, -1 if they are not finite, or -2 if memory is short.
int meshpipe_solve(const meshpipe_factors *factors, int32_t rights, const double *b, double *x);

void meshpipe_factors_free(meshpipe_factors *factors);

// The version of Eigen's headers, as 3.4.0.
const char *meshpipe_eigen_version(void);

#ifdef __cplusplus
}
#endif
