// Aggregates of groups. These commands, run in this folder, generate the PTX next to this file:
//
//   nvcc -ptx -arch=compute_75 -O3 -o aggregates.ptx aggregates.cu
//   sed -i 's/^\.version .*/.version 6.3/' aggregates.ptx
//
// nvcc writes its own ISA version, which older drivers refuse; 6.3 is the lowest that sm_75 has.

// The aggregates, by the numbers that Aggregate.java gives them.
enum { COUNT, SUM, SUM_DOUBLES, LEAST, MOST };

// Threads of a block, and the groups whose results fit into its shared memory.
#define BLOCK 256
#define FEW_GROUPS 512

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
extern "C" __global__ void add_many(int aggregate, const long long *numbers,
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

// The same for at most 512 groups: a block adds up its rows by itself first.
extern "C" __global__ void add_few(int aggregate, const long long *numbers,
                                   const unsigned char *known, const int *groups,
                                   long long *results, unsigned long long *counts, int groupCount,
                                   int n) {
  __shared__ long long resultsOfBlock[FEW_GROUPS];
  __shared__ unsigned long long countsOfBlock[FEW_GROUPS];
  for (int group = threadIdx.x; group < FEW_GROUPS; group += BLOCK) {
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

// A result is known if a number was added to it.
extern "C" __global__ void known_results(const unsigned long long *counts, unsigned char *known,
                                         int groups) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < groups) {
    known[i] = counts[i] != 0;
  }
}
