// Pointers that are left in memory, or found there. Memory that is reached through a pointer loaded
// from global memory belongs to no parameter, unless the kernel itself put that parameter there.
// nvcc -ptx -O3 -lineinfo -arch=compute_80 escapes.cu -o escapes.ptx && sed -i -e 's|"[^"]*/|"|' escapes.ptx
// In a folder whose name may be seen, as debug code holds it:
// nvcc -ptx -G -arch=compute_80 escapes.cu -o escapes-debug.ptx && sed -i -e 's|"[^"]*/|"|' escapes-debug.ptx

#include <cstdio>

typedef unsigned long long u64;

struct Node {
  Node* next;
  float value;
};

__device__ float* published;
__device__ const float* const* directory;

// truth name=storePointers: table=writes data=untouched!escapes width=value
extern "C" __global__ void storePointers(float** table, float* data, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  table[i] = data + (size_t)i * width;
}

// truth name=storeAndRead: table=writes data=reads!escapes out=writes
extern "C" __global__ void storeAndRead(const int** table, const int* data, int* out) {
  int i = threadIdx.x;
  table[i] = data + i;
  out[i] = data[i];
}

// truth name=exchangePointer: slot=readwrites mine=untouched!escapes old=writes
extern "C" __global__ void exchangePointer(u64* slot, float* mine, u64* old) {
  old[threadIdx.x] = atomicExch(slot, (u64)(mine + threadIdx.x));
}

// truth name=publish: data=untouched!escapes
extern "C" __global__ void publish(float* data) {
  if (threadIdx.x == 0) published = data;
}

// truth name=fromPublished: out=writes
extern "C" __global__ void fromPublished(float* out) {
  out[threadIdx.x] = published[threadIdx.x] + directory[blockIdx.x][threadIdx.x];
}

// What it publishes comes back and is written to.
// truth name=publishAndWrite: data=writes!escapes
extern "C" __global__ void publishAndWrite(float* data) {
  if (threadIdx.x == 0) *(float* volatile*)&published = data;
  __syncthreads();
  float* mine = *(float* volatile*)&published;
  mine[threadIdx.x] = 1;
}

// truth name=printPointer: data=untouched!escapes n=value
extern "C" __global__ void printPointer(const float* data, int n) {
  if (threadIdx.x == 0) printf("%p holds %d\n", (const void*)data, n);
}

// truth name=printValue: data=reads n=value
extern "C" __global__ void printValue(const float* data, int n) {
  if (threadIdx.x < n) printf("%d is %f\n", (int)threadIdx.x, data[threadIdx.x]);
}

// truth name=sumLists: heads=reads out=writes
extern "C" __global__ void sumLists(Node* const* heads, float* out) {
  float sum = 0;
  for (const Node* node = heads[threadIdx.x]; node != nullptr; node = node->next) {
    sum += node->value;
  }
  out[threadIdx.x] = sum;
}

// Writes to the nodes, never to the heads.
// truth name=scaleLists: heads=reads k=value
extern "C" __global__ void scaleLists(Node* const* heads, float k) {
  for (Node* node = heads[threadIdx.x]; node != nullptr; node = node->next) node->value *= k;
}

// truth name=sumOneList: first=reads out=writes
extern "C" __global__ void sumOneList(const Node* first, float* out) {
  float sum = 0;
  for (const Node* node = first; node != nullptr; node = node->next) sum += node->value;
  *out = sum;
}

// The last node, which may be the first.
// truth name=append: first=readwrites more=untouched!escapes
extern "C" __global__ void append(Node* first, Node* more) {
  Node* node = first;
  while (node->next != nullptr) node = node->next;
  node->next = more;
}

// truth name=rowsOfRows: from=reads to=reads width=value
extern "C" __global__ void rowsOfRows(const float* const* from, float* const* to, int width) {
  const float* in = from[blockIdx.x];
  float* out = to[blockIdx.x];
  for (int i = threadIdx.x; i < width; i += blockDim.x) out[i] = in[i] + 1;
}

// The table is filled here and then used here.
// truth name=tableFilledHere: table=readwrites data=readwrites!escapes
extern "C" __global__ void tableFilledHere(float* volatile* table, float* data) {
  int i = threadIdx.x;
  table[i] = data + i;
  __syncthreads();
  float* theirs = table[i ^ 1];
  *theirs += 1;
}

// truth name=heapMemory: in=reads out=writes kept=writes n=value
extern "C" __global__ void heapMemory(const int* in, int* out, int** kept, int n) {
  int* own = (int*)malloc(n * sizeof(int));
  if (own == nullptr) return;
  for (int k = 0; k < n; k++) own[k] = in[k] + k;
  out[threadIdx.x] = own[in[threadIdx.x] % n];
  if (threadIdx.x & 1) {
    kept[threadIdx.x] = own;
  } else {
    free(own);
  }
}

// truth name=freeAll: kept=readwrites
extern "C" __global__ void freeAll(int** kept) {
  free(kept[threadIdx.x]);
  kept[threadIdx.x] = nullptr;
}

// Through shared memory: no other kernel sees it.
// truth name=throughShared: a=reads b=writes
extern "C" __global__ void throughShared(const float* a, float* b) {
  __shared__ const float* from[64];
  __shared__ float* to;
  from[threadIdx.x] = a + 2 * threadIdx.x;
  if (threadIdx.x == 0) to = b;
  __syncthreads();
  to[threadIdx.x] = *from[63 - threadIdx.x];
}

// truth name=throughShuffle: in=reads out=writes
extern "C" __global__ void throughShuffle(const int* in, int* out) {
  int lane = threadIdx.x & 31;
  u64 from = __shfl_xor_sync(~0u, (u64)(in + lane), 1);
  u64 to = __shfl_sync(~0u, (u64)(out + lane), 31 - lane);
  *(int*)to = *(const int*)from;
}
