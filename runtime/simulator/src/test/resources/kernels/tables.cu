// nvcc -ptx -arch=compute_75 -O3 tables.cu -o tables.ptx
// sed -i 's/^\.version .*/.version 6.3/' tables.ptx

// Copies the chosen rows of any number of columns.
extern "C" __global__ void take(const float* const* columns, const int* rows, float* const* out, int columnCount,
                                int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int row = rows[i];
    for (int c = 0; c < columnCount; c++) {
      out[c][i] = columns[c][row];
    }
  }
}

// Adds the first bytes of columns of any width.
extern "C" __global__ void firstBytes(const unsigned char* const* columns, long long* sums, int n) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < n) {
    sums[c] = columns[c] == 0 ? -1 : columns[c][0];
  }
}

// Increments each column in place.
extern "C" __global__ void bump(int* const* columns, int columnCount, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int c = 0; c < columnCount; c++) {
      columns[c][i] += 1;
    }
  }
}

struct Column {
  const int* values;
  const unsigned char* validity;
  long long rows;
};

// Writes 1 for each valid value of a column, otherwise 0.
extern "C" __global__ void valid(Column column, int* selected, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    selected[i] = i < column.rows && column.validity[i] != 0 && column.values[i] >= 0;
  }
}

struct Batch {
  float scale;
  float* const* columns;
  int columnCount;
};

// Scales each column of a batch.
extern "C" __global__ void scaleAll(Batch batch, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    for (int c = 0; c < batch.columnCount; c++) {
      batch.columns[c][i] *= batch.scale;
    }
  }
}

// Replaces an address in the table itself.
extern "C" __global__ void redirect(float** columns, float* other, int n) {
  columns[threadIdx.x] = other;
}

// Reads one array as numbers.
extern "C" __global__ void plain(const float* values, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = values[i];
  }
}
