// Addresses that may come from either of several parameters.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 joins.cu -o joins.ptx && sed -i -e 's|"[^"]*/|"|' joins.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 joins.cu -o joins-debug.ptx && sed -i -e 's|"[^"]*/|"|' joins-debug.ptx

typedef unsigned long long u64;

// truth name=readEither: a=reads b=reads out=writes k=value n=value
extern "C" __global__ void readEither(const float* a, const float* b, float* out, int k, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* from = i < k ? a : b;
  if (i < n) out[i] = from[i];
}

// truth name=writeEither: a=writes b=writes in=reads n=value
extern "C" __global__ void writeEither(int* a, int* b, const int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int* to;
  if (in[i] > 100) {
    to = a + i;
  } else {
    to = b - i;
  }
  *to = in[i] * in[i];
}

// One may be read, the other always is; one may be written, the other always is.
// truth name=either: a=readwrites b=readwrites flip=value
extern "C" __global__ void either(float* a, float* b, int flip) {
  float* from = flip ? b : a;
  float* to = flip ? a : b;
  to[threadIdx.x] = from[threadIdx.x] + 1;
}

// truth name=eitherInLoop: a=reads b=reads out=writes mask=value
extern "C" __global__ void eitherInLoop(
    const int* a, const int* b, int* out, unsigned mask) {
  const int* p = a;
  int sum = 0;
  for (int k = 0; k < 32; k++) {
    sum += p[threadIdx.x + k];
    p = (mask >> k & 1) ? b : a;
  }
  out[threadIdx.x] = sum;
}

// truth name=selectAssembly: a=reads b=reads out=writes k=value
extern "C" __global__ void selectAssembly(const int* a, const int* b, int* out, int k) {
  u64 from;
  asm("{.reg .pred p; setp.gt.s32 p, %3, 5; selp.b64 %0, %1, %2, p;}"
      : "=l"(from) : "l"(a), "l"(b), "r"(k));
  out[threadIdx.x] = ((const int*)from)[threadIdx.x];
}

// A move under a predicate: the old value may stay.
// truth name=predicatedMove: a=writes b=writes k=value
extern "C" __global__ void predicatedMove(float* a, float* b, int k) {
  u64 to = (u64)a;
  asm("{.reg .pred p; setp.lt.s32 p, %1, 0; @p mov.b64 %0, %2;}" : "+l"(to) : "r"(k), "l"(b));
  ((float*)to)[threadIdx.x] = 3;
}

// truth name=fourWays: a=reads b=reads c=reads d=reads out=writes which=reads
extern "C" __global__ void fourWays(
    const int* a, const int* b, const int* c, const int* d, int* out, const int* which) {
  int i = threadIdx.x;
  const int* from = a;
  switch (which[i]) {
    case 1: from = b + 10; break;
    case 2: from = c - 10; break;
    case 3: from = d + 10 * i; break;
  }
  out[i] = from[i];
}

// Every case does something else with something else.
// truth name=interpreter: code=reads a=reads b=readwrites c=writes d=readwrites n=value
extern "C" __global__ void interpreter(
    const int* code, const int* a, int* b, int* c, int* d, int n) {
  int i = threadIdx.x;
  int value = 0;
  for (int k = 0; k < n; k++) {
    switch (code[k]) {
      case 0: value += a[i]; break;
      case 1: value *= b[i]; break;
      case 2: b[i + 1] = value; break;
      case 3: c[i] = value; break;
      case 4: atomicAdd(d, value); break;
      case 5: value = -value; break;
      case 6: value ^= value << 13; break;
      case 7: value -= __popc(value); break;
      case 8: __syncthreads(); break;
      default: return;
    }
  }
}

// A table of branches, which nvcc makes of no switch that is this short.
// truth name=jumpTable: a=reads b=writes c=readwrites k=value
extern "C" __global__ void jumpTable(const int* a, int* b, int* c, unsigned k) {
  int value = k;
  asm volatile("{targets: .branchtargets READ, STORE, ADD; brx.idx %1, targets;"
               " READ: ld.global.s32 %0, [%2]; bra.uni DONE;"
               " STORE: st.global.s32 [%3], %0; bra.uni DONE;"
               " ADD: red.global.add.s32 [%4], 1;"
               " DONE: add.s32 %0, %0, 1;}"
               : "+r"(value)
               : "r"(k % 3), "l"(a + threadIdx.x), "l"(b + threadIdx.x), "l"(c) : "memory");
  b[threadIdx.x + 64] = value;
}

// The smaller address, whichever that is.
// truth name=lowerOfTwo: a=reads b=reads out=writes
extern "C" __global__ void lowerOfTwo(const float* a, const float* b, float* out) {
  const float* low = (u64)a < (u64)b ? a : b;
  out[threadIdx.x] = low[threadIdx.x];
}

// Here the index is chosen, not the pointer.
// truth name=indexChosen: a=reads out=writes i0=value i1=value
extern "C" __global__ void indexChosen(const int* a, int* out, int i0, int i1) {
  out[threadIdx.x] = a[threadIdx.x & 1 ? i0 : i1];
}

// Shared memory where it suffices, global memory where it does not.
// truth name=sharedOrGlobal: in=reads spill=readwrites out=writes n=value
extern "C" __global__ void sharedOrGlobal(const int* in, int* spill, int* out, int n) {
  __shared__ int tile[256];
  int* room = n > 256 ? spill + (size_t)blockIdx.x * n : tile;
  for (int i = threadIdx.x; i < n; i += blockDim.x) room[i] = in[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = room[n - 1 - i];
}

// A local default stands in for a buffer that is not there.
// truth name=localOrGlobal: maybe=reads out=writes
extern "C" __global__ void localOrGlobal(const int* maybe, int* out) {
  int none[4] = {1, 2, (int)blockIdx.x, 4};
  const int* from = maybe ? maybe : none;
  out[threadIdx.x] = from[threadIdx.x & 3];
}

// truth name=localTable: a=reads b=reads c=reads out=writes which=reads
extern "C" __global__ void localTable(
    const float* a, const float* b, const float* c, float* out, const int* which) {
  const float* parts[3] = {a, b + 1, c + 2};
  out[threadIdx.x] = parts[which[threadIdx.x] % 3][threadIdx.x];
}

// truth name=localTableChanged: a=writes b=writes in=reads n=value
extern "C" __global__ void localTableChanged(float* a, float* b, const int* in, int n) {
  float* ends[8];
  for (int k = 0; k < 8; k++) ends[k] = (k & 1) ? a + k * n : b + k * n;
  for (int k = 0; k < n; k++) {
    int which = in[k] & 7;
    *ends[which]++ = k;
  }
}

// truth name=exclusiveOrSwap: a=readwrites b=readwrites steps=value
extern "C" __global__ void exclusiveOrSwap(float* a, float* b, int steps) {
  u64 both = (u64)a ^ (u64)b;
  u64 now = (u64)a;
  for (int k = 0; k < steps; k++) {
    float* next = (float*)(now ^ both);
    next[threadIdx.x] = ((float*)now)[threadIdx.x] * 1.5f;
    now ^= both;
  }
}

// Two of three change places; the third is only read.
// truth name=twoOfThree: source=reads ping=readwrites pong=readwrites passes=value
extern "C" __global__ void twoOfThree(
    const float* source, float* ping, float* pong, int passes) {
  const float* from = source;
  float* to = ping;
  for (int k = 0; k < passes; k++) {
    to[threadIdx.x] = 0.25f * (from[threadIdx.x] + from[threadIdx.x + 1]);
    __syncthreads();
    from = to;
    to = to == ping ? pong : ping;
  }
}

// truth name=twoLocalTables: a=writes c=reads n=value
extern "C" __global__ void twoLocalTables(float* a, const float* c, int n) {
  float* to[2] = {a, a + 1};
  const float* from[2] = {c, c + 1};
  int i = threadIdx.x;
  to[n & 1][i] = from[i & 1][n];
}

struct Window {
  float* data;
  int starts[4];
};

// truth name=windowStarts: a=writes p=value q=value n=value
extern "C" __global__ void windowStarts(float* a, int p, int q, int n) {
  Window window = {a, {p, q, p + q, p - q}};
  window.data[window.starts[n & 3]] = n;
}
