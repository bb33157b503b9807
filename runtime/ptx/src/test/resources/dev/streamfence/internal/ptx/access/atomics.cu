// Atomics of every sort, on global and on shared memory, with and without use of the result.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 atomics.cu -o atomics.ptx && sed -i -e 's|"[^"]*/|"|' atomics.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 atomics.cu -o atomics-debug.ptx && sed -i -e 's|"[^"]*/|"|' atomics-debug.ptx

typedef unsigned char u8;
typedef unsigned long long u64;

struct Node {
  Node* next;
  int value;
};

// truth name=histogram: data=reads bins=readwrites n=value
extern "C" __global__ void histogram(const u8* data, unsigned* bins, int n) {
  __shared__ unsigned own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    atomicAdd(&own[data[i]], 1u);
  }
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

// truth name=compact: in=reads out=writes count=readwrites n=value
extern "C" __global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  if (value > 0) out[atomicAdd(count, 1)] = value;
}

// The atomics are on shared memory alone.
// truth name=countInShared: in=reads out=writes n=value
extern "C" __global__ void countInShared(const int* in, int* out, int n) {
  __shared__ int places;
  __shared__ int largest;
  if (threadIdx.x == 0) {
    places = 0;
    largest = -1;
  }
  __syncthreads();
  int i = threadIdx.x;
  int place = -1;
  if (i < n && in[i] != 0) {
    place = atomicAdd(&places, 1);
    atomicMax(&largest, in[i]);
  }
  __syncthreads();
  out[i] = place * 1000 + places + largest;
}

// A double is added by compare and swap.
// truth name=addByCas: in=reads sum=readwrites n=value
extern "C" __global__ void addByCas(const double* in, double* sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64* where = (u64*)sum;
  u64 old = *where;
  u64 seen;
  do {
    seen = old;
    old = atomicCAS(where, seen, __double_as_longlong(in[i] + __longlong_as_double(seen)));
  } while (seen != old);
}

// truth name=bounds: in=reads low=readwrites high=readwrites n=value
extern "C" __global__ void bounds(const int* in, int* low, int* high, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicMin(low, in[i]);
  atomicMax(high, in[i]);
}

// truth name=exchange: slots=readwrites mine=reads got=writes m=value n=value
extern "C" __global__ void exchange(int* slots, const int* mine, int* got, int m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) got[i] = atomicExch(&slots[i % m], mine[i]);
}

// Nobody looks at what was there.
// truth name=raiseFlags: flags=readwrites n=value
extern "C" __global__ void raiseFlags(int* flags, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicExch(&flags[i], 1);
}

// truth name=bitwise: in=reads all=readwrites any=readwrites odd=readwrites n=value
extern "C" __global__ void bitwise(
    const unsigned* in, unsigned* all, unsigned* any, unsigned* odd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAnd(all, in[i]);
  atomicOr(any, in[i]);
  atomicXor(odd, in[i]);
}

// truth name=underLock: lock=readwrites total=readwrites in=reads
extern "C" __global__ void underLock(int* lock, int* total, const int* in) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) __nanosleep(50);
  __threadfence();
  *total = *total * 3 + in[blockIdx.x];
  __threadfence();
  atomicExch(lock, 0);
}

// truth name=tickets: up=readwrites down=readwrites out=writes limit=value
extern "C" __global__ void tickets(unsigned* up, unsigned* down, uint2* out, unsigned limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = make_uint2(atomicInc(up, limit), atomicDec(down, limit));
}

// truth name=best: scores=reads best=readwrites n=value
extern "C" __global__ void best(const float* scores, u64* best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 key = (u64)__float_as_uint(scores[i]) << 32 | (unsigned)i;
  atomicMax(best, key);
}

// The address of each node goes into memory.
// truth name=pushAll: head=readwrites nodes=writes!escapes n=value
extern "C" __global__ void pushAll(u64* head, Node* nodes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Node* mine = nodes + i;
  u64 old = *(volatile u64*)head;
  u64 seen;
  do {
    seen = old;
    mine->next = (Node*)seen;
    __threadfence();
    old = atomicCAS(head, seen, (u64)mine);
  } while (old != seen);
}

// truth name=scopes: own=readwrites device=readwrites system=readwrites
extern "C" __global__ void scopes(int* own, float* device, int* system) {
  atomicAdd_block(own, 3);
  atomicAdd(device, 0.5f);
  if (atomicCAS_system(system, 0, 7) == 0) atomicSub(own, 1);
}

// truth name=atomicAssembly: counts=readwrites tops=readwrites out=writes
extern "C" __global__ void atomicAssembly(unsigned* counts, int* tops, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned old;
  asm volatile("atom.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(counts + i), "r"(2) : "memory");
  asm volatile("red.global.max.s32 [%0], %1;" : : "l"(tops), "r"(i) : "memory");
  out[i] = old;
}

// truth name=addToEither: in=reads even=readwrites odd=readwrites n=value
extern "C" __global__ void addToEither(const int* in, int* even, int* odd, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd((in[i] & 1) ? odd : even, in[i]);
}

// The last block to finish adds what all blocks have written.
// truth name=lastBlock: in=reads partial=readwrites done=readwrites out=writes n=value
extern "C" __global__ void lastBlock(
    const float* in, volatile float* partial, unsigned* done, float* out, int n) {
  __shared__ bool last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float mine = i < n ? in[i] : 0;
  for (int d = 16; d > 0; d /= 2) mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = mine;
    __threadfence();
    last = atomicInc(done, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += partial[b];
    *out = sum;
  }
}
