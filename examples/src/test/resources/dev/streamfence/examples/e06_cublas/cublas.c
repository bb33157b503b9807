// Stands in for cuBLAS: multiplies in host memory, refuses a null stream, and counts handles.
#include <stdlib.h>

typedef struct {
  void *stream;
} handle;

static int handles;

int openHandles(void) { return handles; }

int cublasCreate_v2(handle **created) {
  *created = calloc(1, sizeof(handle));
  handles++;
  return 0;
}

int cublasDestroy_v2(handle *destroyed) {
  free(destroyed);
  handles--;
  return 0;
}

int cublasSetStream_v2(handle *used, void *stream) {
  used->stream = stream;
  return 0;
}

// By columns, as the real one.
int cublasSgemm_v2(handle *used, int transpose_a, int transpose_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c, int ldc) {
  if (used->stream == NULL) {
    return 13;
  }
  if (transpose_a || transpose_b || m < 0 || n < 0 || k < 0 || lda < m || ldb < k || ldc < m) {
    return 7;
  }
  for (int column = 0; column < n; column++) {
    for (int row = 0; row < m; row++) {
      float sum = 0;
      for (int i = 0; i < k; i++) {
        sum += a[row + i * lda] * b[i + column * ldb];
      }
      float *target = c + row + column * ldc;
      *target = *alpha * sum + (*beta == 0 ? 0 : *beta * *target);
    }
  }
  return 0;
}

const char *cublasGetStatusName(int status) {
  return status == 13 ? "CUBLAS_STATUS_EXECUTION_FAILED" : "CUBLAS_STATUS_INVALID_VALUE";
}
