// nvcc -ptx -arch=compute_75 -O3 nullable.cu -o nullable.ptx
// sed -i 's/^\.version .*/.version 6.3/' nullable.ptx

struct Nullable {
  const int* values;
  const unsigned char* validity;
  long long rows;
};

// The value of each row, or another number for nulls and for rows beyond the last one.
extern "C" __global__ void orElse(Nullable column, int other, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    bool isValid = i < column.rows && (column.validity == 0 || (column.validity[i >> 3] >> (i & 7) & 1));
    out[i] = isValid ? column.values[i] : other;
  }
}

// Adds up the columns of a table row by row.
extern "C" __global__ void sumRows(const long long* const* columns, int columnCount, long long* sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long sum = 0;
    for (int c = 0; c < columnCount; c++) {
      sum += columns[c][i];
    }
    sums[i] = sum;
  }
}
