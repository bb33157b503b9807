// Every state space and width of access, and functions of the module.
// nvcc -ptx -O3 -arch=compute_75 memory.cu -o memory.ptx && sed -i 's/^\.version .*/.version 7.0/' memory.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_75 memory.cu -o memory-debug.ptx && sed -i -e 's/^\.version .*/.version 7.0/' -e 's|"[^"]*/|"|' memory-debug.ptx

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned char u8;
typedef unsigned short u16;

struct Mixed {
  u8 small;
  int number;
  double wide;
};

__constant__ int squares[8] = {0, 1, 4, 9, 16, 25, 36, 49};
__constant__ Mixed mixed = {7, -3, 0.25};
__device__ int counter = 40;
__device__ u64 unset[3];
__device__ int* pointer = &counter + 0;
__device__ const int* table = squares + 2;
__device__ float weights[2][3] = {{1, 2, 3}, {4, 5, 6}};

__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

__device__ __noinline__ Mixed shifted(Mixed value, int by) {
  value.number += by;
  value.wide *= by;
  return value;
}

__device__ __noinline__ void put(int* where, int what) { *where = what; }

// Widths: each thread copies one element of every width.
extern "C" __global__ void widths(
    const u8* bytes, const u16* shorts, const u32* words, const u64* longs, u8* bytesOut,
    u16* shortsOut, u32* wordsOut, u64* longsOut, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bytesOut[i] = bytes[i] + (u8)1;
  shortsOut[i] = shorts[i] + (u16)1;
  wordsOut[i] = words[i] + (u32)((const signed char*)bytes)[i];
  longsOut[i] = longs[i] + (u64)(long long)((const short*)shorts)[i];
}

// Vectors: reverses the elements of each.
extern "C" __global__ void vectors(
    const int2* pairs, const float4* quads, const uchar4* colors, const double2* doubles,
    int2* pairsOut, float4* quadsOut, uchar4* colorsOut, double2* doublesOut, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int2 p = pairs[i];
  float4 q = __ldg(quads + i);
  uchar4 c = colors[i];
  double2 d = doubles[i];
  pairsOut[i] = make_int2(p.y, p.x);
  quadsOut[i] = make_float4(q.w, q.z, q.y, q.x);
  colorsOut[i] = make_uchar4(c.w, c.z, c.y, c.x);
  doublesOut[i] = make_double2(d.y, d.x);
}

// Spaces: one row per way to reach memory.
extern "C" __global__ void spaces(const int* in, int* out, Mixed given, int n) {
  __shared__ int tile[64];
  __shared__ u8 tail[3];
  extern __shared__ int dynamic[];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  int local[8];
  for (int j = 0; j < 8; j++) local[j] = in[(i + j) % n] + j;
  tile[t] = in[i % n];
  dynamic[t] = in[i % n] * 2;
  if (t < 3) tail[t] = (u8)(t + 5);
  __syncthreads();
  int k = 0;
#define ROW(e) out[(k++) * n + i] = (e)
  ROW(local[in[i] & 7]);
  ROW(tile[63 - t]);
  ROW(dynamic[(t + 1) & 63] + tail[i % 3]);
  ROW(squares[in[i] & 7]);
  ROW(mixed.small + mixed.number + (int)(mixed.wide * 8));
  ROW(*pointer + (int)unset[i % 3] + *table);
  ROW((int)weights[i & 1][i % 3]);
  const int* generic = (i & 1) ? tile : (i & 2) ? local : (i & 4) ? squares : in;
  ROW(generic[2]);
  ROW(factorial(i % 11));
  Mixed moved = shifted(given, i);
  ROW(moved.small + moved.number + (int)moved.wide);
  __syncthreads();
  int mine = 0;
  put((i & 1) ? &mine : &tile[t], i * 3);
  ROW((i & 1) ? mine : tile[t]);
  u32 flags;
  asm("{.reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p;"
      " isspacep.global p, %1; @p or.b32 %0, %0, 2; isspacep.local p, %1; @p or.b32 %0, %0, 4;}"
      : "=r"(flags) : "l"(generic));
  ROW(flags & ((i & 1) || (i & 2) ? 7 : 5));
  int loaded;
  asm volatile("ldu.global.s32 %0, [%1];" : "=r"(loaded) : "l"(in + i));
  asm volatile("prefetch.global.L2 [%0];" : : "l"(in + i));
  ROW(loaded + *(volatile const int*)(in + i));
  asm volatile("ld.relaxed.gpu.global.s32 %0, [%1];" : "=r"(loaded) : "l"(in + i));
  asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(out + (k++) * n + i), "r"(loaded));
  __threadfence();
}
