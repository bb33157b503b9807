// nvcc -ptx -arch=compute_75 -O3 nullable.cu -o nullable.ptx
// sed -i 's/^\.version .*/.version 6.3/' nullable.ptx

struct Nullable {
  const int* values;
  const unsigned char* validity;
  int firstBit;
  long long rows;
};

// The value of each row, or another number for nulls and for rows beyond the last one.
extern "C" __global__ void orElse(Nullable column, int other, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int bit = column.firstBit + i;
    bool isValid = i < column.rows && (column.validity == 0 || (column.validity[bit >> 3] >> (bit & 7) & 1));
    out[i] = isValid ? column.values[i] : other;
  }
}

// Adds up the columns of a table row by row, and counts the rows.
extern "C" __global__ void sumRows(const long long* const* columns, int columnCount, long long* sums,
                                   unsigned* rowCount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    long long sum = 0;
    for (int c = 0; c < columnCount; c++) {
      sum += columns[c][i];
    }
    sums[i] = sum;
    atomicAdd(rowCount, 1);
  }
}

// Negates each column of a table, slowly.
extern "C" __global__ void negateAll(long long* const* columns, int columnCount, int n, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    unsigned state = i + 1;
    for (int r = 0; r < rounds; r++) {
      state = state * 1664525u + 1013904223u;
    }
    for (int c = 0; c < columnCount; c++) {
      columns[c][i] = state == 0 ? 0 : -columns[c][i];
    }
  }
}
