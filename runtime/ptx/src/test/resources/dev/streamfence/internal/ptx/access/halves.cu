// Pointers taken apart and put together, as numbers of 32 and of 64 bits.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 halves.cu -o halves.ptx && sed -i -e 's|"[^"]*/|"|' halves.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 halves.cu -o halves-debug.ptx && sed -i -e 's|"[^"]*/|"|' halves-debug.ptx

typedef unsigned u32;
typedef unsigned long long u64;

// truth name=unpackedByAssembly: in=reads out=writes
extern "C" __global__ void unpackedByAssembly(const float* in, float* out) {
  u32 low, high;
  u64 whole;
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(in));
  asm volatile("mov.b64 %0, {%1, %2};" : "=l"(whole) : "r"(low), "r"(high));
  out[threadIdx.x] = ((const float*)whole)[threadIdx.x];
}

// The carry goes from one half to the other.
// truth name=addedInHalves: in=reads out=writes offset=value
extern "C" __global__ void addedInHalves(const int* in, int* out, u32 offset) {
  u32 low, high;
  u64 to;
  asm volatile("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(out));
  asm volatile("add.cc.u32 %0, %0, %2; addc.u32 %1, %1, 0;"
               : "+r"(low), "+r"(high) : "r"(offset + 4 * threadIdx.x));
  asm volatile("mov.b64 %0, {%1, %2};" : "=l"(to) : "r"(low), "r"(high));
  *(int*)to = in[threadIdx.x];
}

// truth name=shiftedTogether: in=reads out=writes
extern "C" __global__ void shiftedTogether(const int* in, int* out) {
  u32 low = (u32)(u64)out;
  u32 high = (u32)((u64)out >> 32);
  low = __shfl_sync(~0u, low, 0);
  high = __shfl_sync(~0u, high, 0);
  u64 whole = (u64)high << 32 | low;
  ((int*)whole)[threadIdx.x] = in[threadIdx.x];
}

// The halves wait in shared memory, as numbers.
// truth name=halvesInShared: a=readwrites b=reads
extern "C" __global__ void halvesInShared(int* a, const int* b) {
  __shared__ volatile u32 words[4];
  if (threadIdx.x == 0) {
    words[0] = (u32)(u64)a;
    words[1] = (u32)((u64)a >> 32);
    words[2] = (u32)(u64)b;
    words[3] = (u32)((u64)b >> 32);
  }
  __syncthreads();
  int* to = (int*)(((u64)words[1] << 32) + words[0]);
  const int* from = (const int*)(((u64)words[3] << 32) + words[2]);
  to[threadIdx.x] += from[threadIdx.x];
}

// truth name=bytesPermuted: in=reads out=writes
extern "C" __global__ void bytesPermuted(const int* in, int* out) {
  u32 low = __byte_perm((u32)(u64)in, 0, 0x0123);
  u32 high = (u32)((u64)in >> 32);
  low = __shfl_xor_sync(~0u, low, 1);
  low = __byte_perm(low, 0, 0x0123);
  out[threadIdx.x] = ((const int*)((u64)high << 32 | low))[threadIdx.x];
}

// Pretends to be a double on its way.
// truth name=asDouble: in=reads out=writes
extern "C" __global__ void asDouble(const int* in, int* out) {
  double disguised = __longlong_as_double((long long)(in + threadIdx.x));
  disguised = __shfl_down_sync(~0u, disguised, 2);
  out[threadIdx.x] = *(const int*)__double_as_longlong(disguised);
}

// The lowest bits say what to do and are masked off.
// truth name=tagged: a=readwrites b=writes k=value
extern "C" __global__ void tagged(int* a, int* b, int k) {
  u64 word = (threadIdx.x & 1) ? (u64)a | 1 : (u64)b | (k & 2);
  int* p = (int*)(word & ~7ull);
  if (word & 1) {
    p[threadIdx.x] = a[threadIdx.x + 1] + k;
  } else {
    p[threadIdx.x] = k;
  }
}

// truth name=aligned: raw=readwrites n=value
extern "C" __global__ void aligned(unsigned char* raw, int n) {
  float* p = (float*)(((u64)raw + 255) / 256 * 256);
  if (threadIdx.x < n) p[threadIdx.x] *= 2;
}

// truth name=throughNumber: in=reads out=writes bytes=value
extern "C" __global__ void throughNumber(const int* in, int* out, long long bytes) {
  long long from = (long long)in + bytes;
  size_t to = (size_t)out - bytes * 2;
  for (int k = 0; k < 4; k++) {
    *(int*)to = *(const int*)from;
    from += 16;
    to += 4;
  }
}

// A number that is an address.
// truth name=addressRead: address=address:reads out=writes
extern "C" __global__ void addressRead(long long address, int* out) {
  out[threadIdx.x] = ((const int*)address)[threadIdx.x];
}

// truth name=addressWritten: address=address:writes offset=value with=value
extern "C" __global__ void addressWritten(u64 address, u64 offset, u64 with) {
  ((u64*)(address + offset))[threadIdx.x] = with;
}

// truth name=addressTagged: word=address:readwrites
extern "C" __global__ void addressTagged(u64 word) {
  int* p = (int*)(word >> 3 << 3);
  p[threadIdx.x] += (int)(word & 7);
}

// truth name=longOffset: base=readwrites offset=value pitch=value
extern "C" __global__ void longOffset(char* base, long long offset, u64 pitch) {
  float* row = (float*)(base + offset + pitch * blockIdx.x);
  row[threadIdx.x] += 1;
}

// Their difference is all that matters of p and q.
// truth name=difference: p=untouched q=untouched r=reads out=writes
extern "C" __global__ void difference(const int* p, const int* q, const float* r, float* out) {
  out[threadIdx.x] = r[(q - p) + threadIdx.x];
}

// truth name=differenceStored: p=untouched q=untouched out=writes
extern "C" __global__ void differenceStored(const char* p, const char* q, long long* out) {
  out[threadIdx.x] = q - p + threadIdx.x;
}

// Moves each link from where the heap was to where it is; the old heap is gone.
// truth name=relocate: links=readwrites old=untouched heap=reads!escapes sums=writes
extern "C" __global__ void relocate(u64* links, const char* old, const int* heap, int* sums) {
  u64 link = links[threadIdx.x] - (u64)old + (u64)heap;
  links[threadIdx.x] = link;
  sums[threadIdx.x] = *(const int*)link;
}

// The address is but a number to be mixed.
// truth name=hashed: object=untouched counts=readwrites
extern "C" __global__ void hashed(const void* object, u32* counts) {
  u64 key = ((u64)object >> 4) * 0x9E3779B97F4A7C15ull;
  atomicAdd(&counts[key >> 54], 1u);
}

// Compressed references: eight bytes a step from the base.
// truth name=compressed: heap=reads references=reads out=writes
extern "C" __global__ void compressed(const char* heap, const u32* references, u64* out) {
  out[threadIdx.x] = *(const u64*)(heap + ((u64)references[threadIdx.x] << 3));
}

// truth name=overlap: a=untouched b=untouched out=writes n=value
extern "C" __global__ void overlap(const char* a, const char* b, int* out, long long n) {
  out[threadIdx.x] = (a < b + n && b < a + n) ? threadIdx.x + 1 : 0;
}
