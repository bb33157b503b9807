// Ordinary kernels, and parameters that look used or unused and are not.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 plain.cu -o plain.ptx && sed -i -e 's|"[^"]*/|"|' plain.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 plain.cu -o plain-debug.ptx && sed -i -e 's|"[^"]*/|"|' plain-debug.ptx

typedef unsigned char u8;

// truth name=saxpy: x=reads y=readwrites a=value n=value
extern "C" __global__ void saxpy(const float* x, float* y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// truth name=add: left=reads right=reads sum=writes n=value
extern "C" __global__ void add(
    const float* __restrict__ left, const float* __restrict__ right, float* __restrict__ sum,
    int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = left[i] + right[i];
}

// truth name=fill: out=writes with=value n=value
extern "C" __global__ void fill(double* out, double with, long long n) {
  long long step = (long long)gridDim.x * blockDim.x;
  for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n; i += step) {
    out[i] = with;
  }
}

// truth name=unusedBuffer: spare=untouched out=writes n=value
extern "C" __global__ void unusedBuffer(const float* spare, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i * i;
}

// truth name=nothing: a=untouched b=untouched n=value
extern "C" __global__ void nothing(const float* a, float* b, int n) {}

// Neither pointer says const, only one is written.
// truth name=neitherConst: in=reads out=writes n=value
extern "C" __global__ void neitherConst(short* in, short* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (short)(in[i] + 1);
}

// The const is a lie.
// truth name=castAway: in=writes n=value
extern "C" __global__ void castAway(const float* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) ((float*)in)[i] = 2.0f * i;
}

// truth name=optionalMask: in=reads mask=reads out=writes n=value
extern "C" __global__ void optionalMask(const int* in, const u8* mask, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  if (mask != nullptr && mask[i] == 0) value = -1;
  out[i] = value;
}

// truth name=onlyCompared: maybe=untouched out=writes n=value
extern "C" __global__ void onlyCompared(const float* maybe, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = maybe == nullptr ? -i : i;
}

// truth name=rareRead: in=reads rare=reads out=writes mode=value n=value
extern "C" __global__ void rareRead(
    const float* in, const float* rare, float* out, int mode, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = in[i];
  if (mode == 3) value *= rare[i / 7];
  out[i] = value;
}

// truth name=rareWrite: in=reads log=writes out=writes limit=value n=value
extern "C" __global__ void rareWrite(const int* in, int* log, int* out, int limit, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  if (value > limit && limit == 123456789) log[0] = value;
  out[i] = value ^ 85;
}

// The first store is nearly always overwritten.
// truth name=storedTwice: in=reads out=writes n=value
extern "C" __global__ void storedTwice(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = 0;
  __syncwarp();
  if (in[i] != 7) out[i] = in[i] / 3;
}

// Reads what the neighbour has just written; nothing in it comes from before.
// truth name=readOwnWrite: in=reads out=readwrites n=value
extern "C" __global__ void readOwnWrite(const int* in, int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[i] * 5;
  __syncthreads();
  int next = i + 1 < n ? out[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = next;
}

// truth name=stopFlag: stop=reads in=reads out=writes n=value
extern "C" __global__ void stopFlag(const int* stop, const float* in, float* out, int n) {
  if (*stop != 0) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (in[i] < 0) return;
  out[i] = sqrtf(in[i]);
}

// Reads through volatile, results unused: the loads must stay.
// truth name=touchVolatile: in=reads n=value
extern "C" __global__ void touchVolatile(const volatile int* in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int seen = in[i];
  (void)seen;
}

// truth name=volatileBoth: flags=readwrites data=writes n=value
extern "C" __global__ void volatileBoth(volatile int* flags, volatile float* data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  while (flags[i] == 0) __nanosleep(20);
  data[i] = 1.5f;
  __threadfence();
  flags[i] = 2;
}

// truth name=gather: from=reads at=reads to=writes n=value
extern "C" __global__ void gather(
    const double* __restrict__ from, const int* __restrict__ at, double* __restrict__ to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[at[i]];
}

// truth name=scatterAdd: from=reads at=reads to=readwrites n=value
extern "C" __global__ void scatterAdd(const double* from, const int* at, double* to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[at[i]] += from[i];
}
