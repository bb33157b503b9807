// A row of a matrix per thread, in loops that the compiler unrolls by four, with a loop for the rest.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 rows.cu -o rows.ptx && sed -i -e 's|"[^"]*/|"|' rows.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 rows.cu -o rows-debug.ptx && sed -i -e 's|"[^"]*/|"|' rows-debug.ptx

// truth name=scaledRow: from=reads to=writes rows=value columns=value
extern "C" __global__ void scaledRow(const float* from, float* to, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int c = 0; c < columns; c++) to[row * columns + c] = 2 * from[row * columns + c];
}

// truth name=normalizedRow: from=reads to=readwrites rows=value columns=value
extern "C" __global__ void normalizedRow(const float* from, float* to, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float most = from[row * columns];
  for (int c = 1; c < columns; c++) most = fmaxf(most, from[row * columns + c]);
  float sum = 0;
  for (int c = 0; c < columns; c++) {
    float part = from[row * columns + c] - most;
    to[row * columns + c] = part;
    sum += part;
  }
  for (int c = 0; c < columns; c++) to[row * columns + c] /= sum;
}

// Each row ends with the first column of the next one.
// truth name=longRow: from=reads to=writes rows=value columns=value
extern "C" __global__ void longRow(const float* from, float* to, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  for (int c = 0; c <= columns; c++) to[row * columns + c] = 2 * from[row * columns + c];
}
