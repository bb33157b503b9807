// Indexes that are taken apart into rows and columns, and put together again.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 digits.cu -o digits.ptx && sed -i -e 's|"[^"]*/|"|' digits.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 digits.cu -o digits-debug.ptx && sed -i -e 's|"[^"]*/|"|' digits-debug.ptx

// truth name=gatedHalf: from=reads to=writes planes=value rows=value columns=value
extern "C" __global__ void gatedHalf(const float* from, float* to, int planes, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= planes * rows * columns) return;
  int plane = i / rows / columns, row = i / columns % rows, column = i % columns;
  to[plane * (rows * columns) + row * columns + column] =
      from[plane * (2 * rows * columns) + row * columns + column] +
      from[plane * (2 * rows * columns) + (row + rows) * columns + column];
}

// truth name=images: from=reads to=writes n=value rows=value columns=value
extern "C" __global__ void images(const float* from, float* to, int n, int rows, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    int x = i % columns, y = i / columns % rows, image = i / (columns * rows);
    to[(image * rows + y) * columns + x] = 2 * from[i];
  }
}

// truth name=naturalImages: from=reads to=writes n=value rows=value columns=value
extern "C" __global__ void naturalImages(
    const float* from, float* to, unsigned n, unsigned rows, unsigned columns) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = i % columns, y = i / columns % rows, image = i / columns / rows;
  to[(image * rows + y) * columns + x] = 2 * from[i];
}

// truth name=wideImages: from=reads to=writes n=value rows=value columns=value
extern "C" __global__ void wideImages(
    const float* from, float* to, unsigned long long n, unsigned long long rows, unsigned long long columns) {
  unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x = i % columns, y = i / columns % rows, image = i / (rows * columns);
  to[image * rows * columns + y * columns + x] = 2 * from[i];
}

// truth name=channels: from=reads to=writes n=value count=value
extern "C" __global__ void channels(const float* from, float* to, int n, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int place = i % 49, channel = i / 49 % count, image = i / (49 * count);
  to[(image * count + channel) * 49 + place] = 2 * from[i];
}

// The row is found by what remains, with a division of a multiple.
// truth name=remainders: from=reads to=writes planes=value rows=value columns=value
extern "C" __global__ void remainders(const float* from, float* to, int planes, int rows, int columns) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < planes * rows * columns;
       i += blockDim.x * gridDim.x) {
    int column = i % columns, row = (i - column) / columns % rows;
    int plane = (i - columns * row - column) / (rows * columns);
    int place = rows * columns * plane + columns * row + column;
    to[place] = row < column ? 0 : from[place];
  }
}

// Rows that are longer or shorter than what the index is divided by.
// truth name=otherRows: from=reads to=writes n=value columns=value pitch=value
extern "C" __global__ void otherRows(const float* from, float* to, int n, int columns, int pitch) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i / columns * pitch + i % columns] = from[i];
}

// The remainder is that of another number.
// truth name=otherRemainder: from=reads to=writes n=value rows=value columns=value
extern "C" __global__ void otherRemainder(const float* from, float* to, int n, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = i % columns, y = i / columns % columns, image = i / (columns * rows);
  to[(image * rows + y) * columns + x] = 2 * from[i];
}

// A plane lacks its rows.
// truth name=firstRows: from=reads to=writes n=value rows=value columns=value
extern "C" __global__ void firstRows(const float* from, float* to, int n, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i / columns / rows * rows * columns + i % columns] = from[i];
}
