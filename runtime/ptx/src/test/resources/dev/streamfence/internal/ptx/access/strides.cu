// Loops in strides, which the compiler unrolls and whose iterations it counts by a division, and
// divisions of 64 bits, which it carries out in 32 where that is enough.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 strides.cu -o strides.ptx && sed -i -e 's|"[^"]*/|"|' strides.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 strides.cu -o strides-debug.ptx && sed -i -e 's|"[^"]*/|"|' strides-debug.ptx

// truth name=longGrid: from=reads to=writes n=value
extern "C" __global__ void longGrid(const float* from, float* to, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  for (; i < n; i += (long long)blockDim.x * gridDim.x) to[i] = from[i] + 1;
}

// truth name=intGrid: from=reads to=writes n=value
extern "C" __global__ void intGrid(const float* from, float* to, int n) {
  int stride = blockDim.x * gridDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) to[i] = from[i] + 1;
}

// truth name=fixedStride: from=reads to=writes n=value
extern "C" __global__ void fixedStride(const float* from, float* to, int n) {
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 256) sum += from[i];
  to[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

// truth name=intSuffix: from=reads to=writes n=value
extern "C" __global__ void intSuffix(const float* from, float* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = i; k < n; k++) sum += from[k];
  to[i] = sum;
}

// truth name=longSuffix: from=reads to=writes n=value
extern "C" __global__ void longSuffix(const float* from, float* to, long long n) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (long long k = i; k < n; k++) sum += from[k];
  to[i] = sum;
}

// truth name=rows: from=reads to=writes rows=value columns=value
extern "C" __global__ void rows(const float* from, float* to, int rows, long long columns) {
  for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
    for (long long c = threadIdx.x; c < columns; c += blockDim.x) {
      to[row * columns + c] = from[row * columns + c] + 1;
    }
  }
}

// truth name=places: from=reads to=writes n=value width=value
extern "C" __global__ void places(const float* from, float* to, long long n, int width) {
  long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i / width] + from[i % width];
}

// truth name=unsignedPlaces: from=reads to=writes n=value width=value
extern "C" __global__ void unsignedPlaces(
    const float* from, float* to, unsigned long long n, unsigned width) {
  unsigned long long i = blockIdx.x * (unsigned long long)blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i / width] + from[i % width];
}
