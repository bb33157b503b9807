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

// With constants for three extents.
// truth name=fixedExtents: from=reads to=writes n=value
extern "C" __global__ void fixedExtents(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i / 15 * 15 + i / 5 % 3 * 5 + i % 5] = from[i];
}

// Without a sign, the divisor is greater than what it divides.
// truth name=negativeDivisor: from=reads to=writes
extern "C" __global__ void negativeDivisor(const float* from, float* to) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = blockDim.x;
  to[(i * n) / (0u - n)] = from[i];
}

// truth name=negativeRemainder: from=reads to=writes
extern "C" __global__ void negativeRemainder(const float* from, float* to) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, n = blockDim.x;
  to[i % (0u - n) / 64] = from[i];
}

// What is divided may be a difference below 0, which has no sign.
// truth name=differences: from=reads to=writes least=value columns=value
extern "C" __global__ void differences(const float* from, float* to, unsigned least, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned row = ((unsigned)i - least) / columns;
  to[i + ((int)(row * columns) / columns - (int)row) * columns] = from[i];
}

// One divisor for each sign.
// truth name=signs: from=reads to=writes
extern "C" __global__ void signs(const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sign = i & 1 ? -1 : 1;
  to[i + i / (unsigned)sign / (unsigned)sign - i / (unsigned)(sign * sign)] = from[i];
}

// truth name=wideSigns: from=reads to=writes
extern "C" __global__ void wideSigns(const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sign = i & 1 ? -1 : 1;
  long long wide = i;
  to[wide + wide / (long long)sign - wide / (long long)(unsigned)sign] = from[i];
}

// Below 0, a division and a mask round in two ways.
// truth name=negativeNumbers: from=reads to=writes
extern "C" __global__ void negativeNumbers(const float* from, float* to) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, shifted = i - 100;
  to[shifted / 8 * 8 + (shifted & 7) + 128] = from[i];
}

// The quotient is divided by a sum.
// truth name=sumsOfExtents: from=reads to=writes n=value rows=value columns=value
extern "C" __global__ void sumsOfExtents(const float* from, float* to, int n, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i / columns / (rows + n) * columns + i % columns] = from[i];
}
