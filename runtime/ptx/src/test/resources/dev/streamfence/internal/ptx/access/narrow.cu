// Numbers of 16 and 8 bits, and tiles of matrices.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 narrow.cu -o narrow.ptx && sed -i -e 's|"[^"]*/|"|' narrow.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 narrow.cu -o narrow-debug.ptx && sed -i -e 's|"[^"]*/|"|' narrow-debug.ptx

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

// truth name=axpyHalf: x=reads y=readwrites a=value n=value
extern "C" __global__ void axpyHalf(const __half* x, __half* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = __float2half(a * __half2float(x[i]) + __half2float(y[i]));
}

// truth name=multiplyHalf2: a=reads b=reads out=writes n=value
extern "C" __global__ void multiplyHalf2(
    const __half2* __restrict__ a, const __half2* __restrict__ b, __half2* __restrict__ out,
    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __hfma2(a[i], b[i], a[i]);
}

// truth name=toBfloat: in=reads out=writes n=value
extern "C" __global__ void toBfloat(const float2* in, __nv_bfloat162* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __float22bfloat162_rn(in[i]);
}

// truth name=clampBfloat: data=readwrites high=value n=value
extern "C" __global__ void clampBfloat(__nv_bfloat16* data, float high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] = __float2bfloat16(fminf(__bfloat162float(data[i]), high));
}

// truth name=addHalves: in=reads sums=readwrites pairs=readwrites n=value
extern "C" __global__ void addHalves(const __half* in, __half* sums, __half2* pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&sums[i & 15], in[i]);
  atomicAdd(&pairs[i & 7], __half2half2(in[i]));
}

// truth name=loadHalfCached: in=reads out=writes n=value
extern "C" __global__ void loadHalfCached(const __half* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = __half2float(__ldg(in + i));
}

// truth name=dotBytes: a=reads b=reads out=writes width=value
extern "C" __global__ void dotBytes(const int* a, const int* b, int* out, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 0;
  for (int k = 0; k < width; k++) sum = __dp4a(a[row * width + k], b[k], sum);
  out[row] = sum;
}

// truth name=quantize: in=reads scales=reads out=writes n=value
extern "C" __global__ void quantize(
    const float* in, const float* scales, signed char* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = rintf(in[i] / scales[i >> 5]);
  out[i] = (signed char)fmaxf(-128.0f, fminf(127.0f, v));
}

// truth name=multiplyTiles: a=reads b=reads c=writes n=value
extern "C" __global__ void multiplyTiles(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(left, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(right, b + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(sum, left, right, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}

// Adds to what is there; the left tile comes from shared memory.
// truth name=accumulateTiles: a=reads b=reads c=readwrites n=value
extern "C" __global__ void accumulateTiles(const __half* a, const __half* b, float* c, int n) {
  using namespace nvcuda;
  __shared__ __half tile[256];
  for (int k = threadIdx.x; k < 256; k += 32) tile[k] = __hadd(a[k], a[k + n]);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::load_matrix_sync(sum, c, n, wmma::mem_row_major);
  wmma::load_matrix_sync(left, tile, 16);
  wmma::load_matrix_sync(right, b, n);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, n, wmma::mem_row_major);
}
