// Aggregates of groups. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o aggregates.ptx aggregates.cu
//   sed -i 's/^\.version .*/.version 6.3/' aggregates.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// The aggregates, by the numbers that Aggregate.java gives them.
enum { COUNT, SUM, SUM_DOUBLES, LEAST, MOST };

// Threads of a block; the groups whose results fit into its shared memory once for each thread, and
// once for the block.
#define BLOCK 256
#define GROUPS_OF_THREAD 8
#define GROUPS_OF_BLOCK 512

static __device__ long long combined(int aggregate, long long a, long long b) {
  switch (aggregate) {
    case SUM:
      return (long long)((unsigned long long)a + (unsigned long long)b);
    case SUM_DOUBLES:
      return __double_as_longlong(__longlong_as_double(a) + __longlong_as_double(b));
    case LEAST:
      return a < b ? a : b;
    case MOST:
      return a > b ? a : b;
    default:
      return 0;
  }
}

static __device__ void add(int aggregate, long long *result, long long number) {
  switch (aggregate) {
    case SUM:
      atomicAdd((unsigned long long *)result, (unsigned long long)number);
      break;
    case SUM_DOUBLES:
      atomicAdd((double *)result, __longlong_as_double(number));
      break;
    case LEAST:
      atomicMin(result, number);
      break;
    case MOST:
      atomicMax(result, number);
      break;
    default:
      break;
  }
}

static __device__ long long neutralOf(int aggregate) {
  return aggregate == LEAST ? 0x7fffffffffffffffll
                            : (aggregate == MOST ? (long long)0x8000000000000000ull : 0);
}

// Sets the results to what changes no aggregate.
extern "C" __global__ void start(int aggregate, long long *results, int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) {
    results[i] = neutralOf(aggregate);
  }
}

// Adds the known numbers of each group to its result, and their count to its count. Without
// `groups`, all rows are one group; without `numbers`, rows are counted.
extern "C" __global__ void add_to_memory(int aggregate, const long long *numbers,
                                    const unsigned char *known, const int *groups,
                                    long long *results, unsigned long long *counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (known == 0 || known[i] != 0)) {
    int group = groups == 0 ? 0 : groups[i];
    if (numbers != 0) {
      add(aggregate, &results[group], numbers[i]);
    }
    atomicAdd(&counts[group], 1ull);
  }
}

// The same for at most 512 groups: the threads of a block add up its rows in shared memory first.
extern "C" __global__ void add_in_blocks(int aggregate, const long long *numbers,
                                   const unsigned char *known, const int *groups,
                                   long long *results, unsigned long long *counts, int groupCount,
                                   int n) {
  __shared__ long long resultsOfBlock[GROUPS_OF_BLOCK];
  __shared__ unsigned long long countsOfBlock[GROUPS_OF_BLOCK];
  for (int group = threadIdx.x; group < GROUPS_OF_BLOCK; group += BLOCK) {
    resultsOfBlock[group] = neutralOf(aggregate);
    countsOfBlock[group] = 0;
  }
  __syncthreads();
  long long stride = (long long)gridDim.x * BLOCK;
  for (long long row = (long long)blockIdx.x * BLOCK + threadIdx.x; row < n; row += stride) {
    if (known == 0 || known[row] != 0) {
      int group = groups == 0 ? 0 : groups[row];
      if (numbers != 0) {
        add(aggregate, &resultsOfBlock[group], numbers[row]);
      }
      atomicAdd(&countsOfBlock[group], 1ull);
    }
  }
  __syncthreads();
  for (int group = threadIdx.x; group < groupCount; group += BLOCK) {
    if (countsOfBlock[group] != 0) {
      if (numbers != 0) {
        add(aggregate, &results[group], resultsOfBlock[group]);
      }
      atomicAdd(&counts[group], countsOfBlock[group]);
    }
  }
}

// The same for at most 8 groups, where many threads would meet at one result: each thread adds up
// its rows by itself first.
extern "C" __global__ void add_in_threads(int aggregate, const long long *numbers,
                                          const unsigned char *known, const int *groups,
                                          long long *results, unsigned long long *counts,
                                          int groupCount, int n) {
  __shared__ long long resultsOfThread[GROUPS_OF_THREAD][BLOCK];
  __shared__ int countsOfThread[GROUPS_OF_THREAD][BLOCK];
  for (int group = 0; group < GROUPS_OF_THREAD; group++) {
    resultsOfThread[group][threadIdx.x] = neutralOf(aggregate);
    countsOfThread[group][threadIdx.x] = 0;
  }
  long long stride = (long long)gridDim.x * BLOCK;
  for (long long row = (long long)blockIdx.x * BLOCK + threadIdx.x; row < n; row += stride) {
    if (known == 0 || known[row] != 0) {
      int group = groups == 0 ? 0 : groups[row];
      if (numbers != 0) {
        resultsOfThread[group][threadIdx.x] =
            combined(aggregate, resultsOfThread[group][threadIdx.x], numbers[row]);
      }
      countsOfThread[group][threadIdx.x]++;
    }
  }
  for (int distance = BLOCK / 2; distance > 0; distance /= 2) {
    __syncthreads();
    if (threadIdx.x < distance) {
      for (int group = 0; group < groupCount; group++) {
        resultsOfThread[group][threadIdx.x] =
            combined(aggregate, resultsOfThread[group][threadIdx.x],
                     resultsOfThread[group][threadIdx.x + distance]);
        countsOfThread[group][threadIdx.x] += countsOfThread[group][threadIdx.x + distance];
      }
    }
  }
  if (threadIdx.x == 0) {
    for (int group = 0; group < groupCount; group++) {
      if (countsOfThread[group][0] != 0) {
        if (numbers != 0) {
          add(aggregate, &results[group], resultsOfThread[group][0]);
        }
        atomicAdd(&counts[group], (unsigned long long)countsOfThread[group][0]);
      }
    }
  }
}

// A result is known if a number was added to it.
extern "C" __global__ void known_results(const unsigned long long *counts, unsigned char *known,
                                         int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) {
    known[i] = counts[i] != 0;
  }
}
