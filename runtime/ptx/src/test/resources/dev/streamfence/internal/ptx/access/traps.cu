// What is easily got wrong: assembly, built-ins, handles, local copies, groups.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 traps.cu -o traps.ptx && sed -i -e 's|"[^"]*/|"|' traps.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 traps.cu -o traps-debug.ptx && sed -i -e 's|"[^"]*/|"|' traps-debug.ptx

#include <cassert>
#include <cooperative_groups.h>
#include <cstring>

typedef unsigned long long u64;

struct Row {
  int values[24];
};

__device__ unsigned runs;
__constant__ const float* constantTable;

// truth name=noParameters:
extern "C" __global__ void noParameters() { atomicAdd(&runs, 1u); }

// truth name=tableInConstant: out=writes
extern "C" __global__ void tableInConstant(float* out) {
  out[threadIdx.x] = constantTable[threadIdx.x];
}

// truth name=genericAssembly: in=reads out=writes
extern "C" __global__ void genericAssembly(const float* in, float* out) {
  float v;
  asm volatile("ld.f32 %0, [%1 + 4];" : "=f"(v) : "l"(in + threadIdx.x));
  asm volatile("st.volatile.f32 [%0], %1;" : : "l"(out + threadIdx.x), "f"(v * 2) : "memory");
}

// The address is made inside the assembly, in a register of its own.
// truth name=addressInAssembly: in=reads out=writes
extern "C" __global__ void addressInAssembly(const int* in, int* out) {
  int v;
  asm volatile("{.reg .u64 t; mad.wide.u32 t, %1, 4, %2; cvta.to.global.u64 t, t;"
               " ld.global.s32 %0, [t];}" : "=r"(v) : "r"(threadIdx.x), "l"(in));
  asm volatile("{.reg .u64 t; shl.b64 t, %1, 2; add.s64 t, t, %0; st.s32 [t], %2;}"
               : : "l"(out), "l"((u64)threadIdx.x), "r"(v) : "memory");
}

// truth name=predicatedAssembly: in=reads rare=reads out=writes k=value
extern "C" __global__ void predicatedAssembly(const int* in, const int* rare, int* out, int k) {
  int v = in[threadIdx.x];
  asm volatile("{.reg .pred p; setp.eq.s32 p, %2, 77; @p ld.global.s32 %0, [%1];"
               " @!p st.global.s32 [%3], %0;}"
               : "+r"(v) : "l"(rare + threadIdx.x), "r"(k), "l"(out + threadIdx.x) : "memory");
  out[threadIdx.x + 1024] = v;
}

// An empty piece of assembly hides where the pointer comes from.
// truth name=hidden: in=reads out=writes
extern "C" __global__ void hidden(const int* in, int* out) {
  int* to = out;
  asm volatile("" : "+l"(to));
  to[threadIdx.x] = in[threadIdx.x] + 1;
}

// The pointer itself is volatile, and so goes through local memory.
// truth name=volatilePointer: in=reads out=writes
extern "C" __global__ void volatilePointer(const int* in, int* out) {
  int* volatile to = out;
  const int* volatile from = in;
  to[threadIdx.x] = from[threadIdx.x];
}

// truth name=whichSpace: p=untouched out=writes
extern "C" __global__ void whichSpace(const void* p, int* out) {
  out[threadIdx.x] = __isGlobal(p) ? (int)threadIdx.x : -1;
}

// truth name=setBytes: out=writes with=value bytes=value
extern "C" __global__ void setBytes(char* out, int with, int bytes) {
  memset(out + (size_t)threadIdx.x * bytes, with, bytes);
}

// truth name=copyBytes: to=writes from=reads bytes=value
extern "C" __global__ void copyBytes(char* to, const char* from, int bytes) {
  memcpy(to + (size_t)threadIdx.x * bytes, from + (size_t)threadIdx.x * bytes, bytes);
}

// truth name=unalignedWords: bytes=reads out=writes
extern "C" __global__ void unalignedWords(const char* bytes, u64* out) {
  u64 word;
  memcpy(&word, bytes + 5 * threadIdx.x, sizeof word);
  out[threadIdx.x] = word;
}

// A whole row is copied, changed and looked into.
// truth name=rowCopied: rows=readwrites which=reads
extern "C" __global__ void rowCopied(Row* rows, const int* which) {
  Row row = rows[threadIdx.x];
  int at = which[threadIdx.x] % 24;
  row.values[at] += row.values[23 - at];
  rows[threadIdx.x] = row;
}

__device__ __noinline__ float summed(const float* from, int n) {
  float sum = 0;
  for (int k = 0; k < n; k++) sum += from[k];
  return sum;
}

// The function reads local memory once and global memory once.
// truth name=largeLocal: in=reads at=reads out=writes n=value
extern "C" __global__ void largeLocal(const float* in, const int* at, float* out, int n) {
  float own[1024];
  for (int k = 0; k < 1024; k++) own[k] = k;
  for (int k = 0; k < n; k++) own[at[k] & 1023] = in[k];
  out[threadIdx.x] = summed(own, 1024) - summed(in, n);
}

// A handle of 64 bits that is no address.
// truth name=texture: image=value out=writes n=value
extern "C" __global__ void texture(cudaTextureObject_t image, float* out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = tex1Dfetch<float>(image, n - 1 - threadIdx.x);
}

// truth name=surface: image=value in=reads
extern "C" __global__ void surface(cudaSurfaceObject_t image, const float* in) {
  surf1Dwrite(in[threadIdx.x], image, threadIdx.x * sizeof(float));
}

// truth name=asserted: in=reads out=writes
extern "C" __global__ void asserted(const int* in, int* out) {
  assert(in[threadIdx.x] != 42);
  if (in[threadIdx.x] < 0) __trap();
  out[threadIdx.x] = threadIdx.x;
}

// truth name=timed: in=reads ticks=writes
extern "C" __global__ void timed(const volatile int* in, long long* ticks) {
  long long start = clock64();
  int v = in[threadIdx.x];
  ticks[threadIdx.x] = clock64() - start + v;
}

// The whole grid waits for itself; the memory for that is nobody's parameter.
// truth name=gridWide: data=readwrites out=writes
extern "C" __global__ void gridWide(int* data, int* out) {
  auto grid = cooperative_groups::this_grid();
  data[grid.thread_rank()] = 3 * threadIdx.x;
  grid.sync();
  out[grid.thread_rank()] = data[grid.size() - 1 - grid.thread_rank()];
}

// One atomic for all active threads of a warp.
// truth name=aggregated: in=reads out=writes count=readwrites
extern "C" __global__ void aggregated(const int* in, int* out, int* count) {
  int v = in[threadIdx.x];
  if (v <= 0) return;
  auto active = cooperative_groups::coalesced_threads();
  int at = 0;
  if (active.thread_rank() == 0) at = atomicAdd(count, (int)active.size());
  out[active.shfl(at, 0) + active.thread_rank()] = v;
}

// truth name=counted: in=reads out=writes n=value
extern "C" __global__ void counted(const int* in, int* out, int n) {
  int count = __syncthreads_count(threadIdx.x < n && in[threadIdx.x] > 0);
  if (threadIdx.x == 0) out[blockIdx.x] = count;
}
