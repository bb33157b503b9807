// Right kernels, each with another way to order the threads of a launch. The test leaves out one
// of their orders at a time.
//
// nvcc -ptx -arch=compute_80 -O3 -lineinfo threads.cu -o threads.ptx && sed -i -e 's/^\.version .*/.version 7.0/' -e 's|"[^"]*/|"|' threads.ptx

// out[k] = how often k is in the input.
extern "C" __global__ void histogram(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&out[in[i]], 1);
  }
}

// out[block] = sum of its part.
extern "C" __global__ void block_sum(const int* in, int* out, int* state, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      part[threadIdx.x] += part[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    out[blockIdx.x] = part[0];
  }
}

// out[warp] = sum of its part, the last steps within a warp.
extern "C" __global__ void warp_sum(const int* in, int* out, int* state, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  int lane = t & 31;
  part[t] = i < n ? in[i] : 0;
  __syncwarp();
  for (int half = 16; half > 0; half /= 2) {
    int other = lane < half ? part[t + half] : 0;
    __syncwarp();
    part[t] += other;
    __syncwarp();
  }
  if (lane == 0) {
    out[i / 32] = part[t];
  }
}

// out[half warp] = sum of its part; the halves meet apart from each other.
extern "C" __global__ void half_warps(const int* in, int* out, int* state, int n) {
  __shared__ int part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = threadIdx.x;
  unsigned mask = (t & 16) ? 0xffff0000u : 0xffffu;
  part[t] = i < n ? in[i] : 0;
  __syncwarp(mask);
  for (int half = 8; half > 0; half /= 2) {
    int other = (t & 15) < half ? part[t + half] : 0;
    __syncwarp(mask);
    part[t] += other;
    __syncwarp(mask);
  }
  if ((t & 15) == 0) {
    out[i / 16] = part[t];
  }
}

// Each block shifts its tile by one, again and again, with two buffers and one barrier a round.
extern "C" __global__ void double_buffer(const int* in, int* out, int* state, int n) {
  __shared__ int buffers[2][128];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  buffers[0][t] = in[i];
  __syncthreads();
  for (int round = 0; round < 8; round++) {
    int next = buffers[round & 1][(t + 1) % blockDim.x];
    buffers[(round + 1) & 1][t] = next;
    __syncthreads();
  }
  out[i] = buffers[0][t];
}

// Transposes tiles of 16 x 16; the grid covers a square.
extern "C" __global__ void transpose(const int* in, int* out, int* state, int n) {
  __shared__ int tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  int tx = blockIdx.y * 16 + threadIdx.x;
  int ty = blockIdx.x * 16 + threadIdx.y;
  out[ty * n + tx] = tile[threadIdx.x][threadIdx.y];
}

// The inclusive scan of all blocks: each waits for the sum of those before it. state[2 b] is a
// flag, state[2 b + 1] the sum until block b; state[2 gridDim.x] numbers the blocks.
extern "C" __global__ void look_back(const int* in, int* out, int* state, int n) {
  __shared__ int part[128];
  __shared__ int before;
  __shared__ int number;
  int t = threadIdx.x;
  if (t == 0) {
    number = atomicAdd(&state[2 * gridDim.x], 1);
  }
  __syncthreads();
  int block = number;
  int i = block * blockDim.x + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    int other = t >= step ? part[t - step] : 0;
    __syncthreads();
    part[t] += other;
    __syncthreads();
  }
  if (t == blockDim.x - 1) {
    int sum = 0;
    if (block > 0) {
      while (((volatile int*)state)[2 * block - 2] == 0) {
      }
      __threadfence();
      sum = state[2 * block - 1];
    }
    before = sum;
    state[2 * block + 1] = sum + part[t];
    __threadfence();
    ((volatile int*)state)[2 * block] = 1;
  }
  __syncthreads();
  if (i < n) {
    out[i] = before + part[t];
  }
}

// The same hand-over by an acquire and a release: out[block] = number of blocks before it.
extern "C" __global__ void hand_over(const int* in, int* out, int* state, int n) {
  if (threadIdx.x == 0) {
    int ready = 0;
    int block = blockIdx.x;
    while (block > 0 && ready == 0) {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(ready) : "l"(&state[block - 1]) : "memory");
    }
    out[block] = block == 0 ? 0 : out[block - 1] + 1;
    asm volatile("st.release.gpu.global.s32 [%0], %1;" : : "l"(&state[block]), "r"(1) : "memory");
  }
}

// The same as older libraries write it: with hints to the cache, and fences.
extern "C" __global__ void hinted_poll(const int* in, int* out, int* state, int n) {
  if (threadIdx.x == 0) {
    int block = blockIdx.x;
    while (block > 0 && __ldcg(&state[block - 1]) == 0) {
    }
    __threadfence();
    out[block] = block == 0 ? 0 : out[block - 1] + 1;
    __threadfence();
    __stcg(&state[block], 1);
  }
}

// state[0] is a lock, out[0] counts under it.
extern "C" __global__ void locked(const int* in, int* out, int* state, int n) {
  if ((threadIdx.x & 31) == 0) {
    while (atomicCAS(&state[0], 0, 1) != 0) {
    }
    __threadfence();
    out[0] = out[0] + 1;
    __threadfence();
    atomicExch(&state[0], 0);
  }
}

// out[0] = sum of all: the last block to end adds up what the others have left in state.
extern "C" __global__ void last_block(const int* in, int* out, int* state, int n) {
  __shared__ int part[128];
  __shared__ bool last;
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int k = 0; k < blockDim.x; k++) {
      sum += part[k];
    }
    state[1 + blockIdx.x] = sum;
    __threadfence();
    last = atomicAdd(&state[0], 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && t == 0) {
    int sum = 0;
    for (int k = 0; k < gridDim.x; k++) {
      sum += state[1 + k];
    }
    out[0] = sum;
  }
}

// Blocks take work until there is none: out[i] = 2 in[i].
extern "C" __global__ void persistent(const int* in, int* out, int* state, int n) {
  __shared__ int chunk;
  while (true) {
    if (threadIdx.x == 0) {
      chunk = atomicAdd(&state[0], 1);
    }
    __syncthreads();
    int i = chunk * blockDim.x + threadIdx.x;
    __syncthreads();
    if (i - (int)threadIdx.x >= n) {
      return;
    }
    if (i < n) {
      out[i] = 2 * in[i];
    }
  }
}

// The first two warps produce, the others consume: named barriers, of which one side only arrives.
extern "C" __global__ void named_barriers(const int* in, int* out, int* state, int n) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  for (int round = 0; round < 4; round++) {
    if (t < 64) {
      asm volatile("bar.sync 2, 128;" ::: "memory");
      tile[t] = in[round * 64 + t];
      asm volatile("bar.arrive 1, 128;" ::: "memory");
    } else {
      asm volatile("bar.arrive 2, 128;" ::: "memory");
      asm volatile("bar.sync 1, 128;" ::: "memory");
      out[round * 64 + t - 64] = tile[127 - t];
    }
  }
}

// out[i] = in[i + 100] through state, with all blocks meeting between the two steps.
extern "C" __global__ void grid_barrier(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  state[1 + i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(&state[0], 1);
    while (((volatile int*)state)[0] < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  out[i] = state[1 + (i + 100) % n];
}

// Threads of a block count in a cell of theirs, by atomic steps of the block's scope.
extern "C" __global__ void block_scope(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd_block(&out[blockIdx.x], in[i]);
  }
}

// out[0] = the largest in[i] + i, by a plain load and then steps that compare and swap.
extern "C" __global__ void check_then_swap(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int old = out[0];
  while (i < n && old < in[i] + i) {
    int seen = atomicCAS(&out[0], old, in[i] + i);
    old = seen == old ? in[i] + i : seen;
  }
}

// A flag in one byte: released by a swap of its word, acquired by a load of the byte. A second
// store to another flag continues its release.
extern "C" __global__ void narrow_flags(const int* in, int* out, int* state, int n) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    state[4] = in[3];
    __threadfence();
    atomicCAS(&state[0], 0, 256);
    state[5] = in[3];
    asm volatile("st.release.gpu.global.s32 [%0], 1;" : : "l"(&state[1]) : "memory");
    asm volatile("st.relaxed.gpu.global.s32 [%0], 2;" : : "l"(&state[1]) : "memory");
  } else if (threadIdx.x == 0) {
    int flag = 0;
    while (flag == 0) {
      asm volatile("ld.acquire.gpu.global.u8 %0, [%1];" : "=r"(flag) : "l"((char*)state + 1) : "memory");
    }
    out[0] = state[4];
  } else if (threadIdx.x == 32 && blockIdx.x == 1) {
    int flag = 0;
    while (flag != 2) {
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(flag) : "l"(&state[1]) : "memory");
    }
    out[1] = state[5];
  }
}

// Every thread that sees the number says so: the same value.
extern "C" __global__ void same_value(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] == 3) {
    out[0] = 1;
  }
}

// Bytes side by side, by different threads.
extern "C" __global__ void bytes(const int* in, signed char* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = (signed char)in[i];
    out[i] += 1;
  }
}

// Wrong: the barrier of all blocks is one of each block.
extern "C" __global__ void block_for_grid(const int* in, int* out, int* state, int n) {
  int seen = out[0];
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[0] = 7;
  }
  state[blockIdx.x * blockDim.x + threadIdx.x] = seen;
}

extern "C" __global__ void later_block_first(const int* in, int* out, int* state, int n) {
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    out[0] = 1;
  }
  __syncthreads();
  __syncthreads();
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    out[16] = out[0];
  }
}

// Wrong: a plain store to what others compare and swap, which here always fails.
extern "C" __global__ void failing_swap(const int* in, int* out, int* state, int n) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    state[0] = atomicCAS(&out[0], 1, 2);
  }
  if (blockIdx.x == 1 && threadIdx.x == 0) {
    out[0] = 1;
  }
}

// Wrong: threads that have exited take no part in a barrier of others. Blocks have 256 threads.
extern "C" __global__ void exited_after_arrival(const int* in, int* out, int* state, int n) {
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    out[blockIdx.x] = 1;
  } else if (threadIdx.x >= 224) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    state[threadIdx.x + 256 * blockIdx.x] = out[blockIdx.x];
  }
}

extern "C" __global__ void exited_warp(const int* in, int* out, int* state, int n) {
  if (threadIdx.x < 32) {
    out[blockIdx.x] = 1;
  } else if (threadIdx.x >= 224) {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    state[threadIdx.x + 256 * blockIdx.x] = out[blockIdx.x];
  }
}

extern "C" __global__ void exited_lanes(const int* in, int* out, int* state, int n) {
  if (threadIdx.x < 16) {
    out[blockIdx.x] = 1;
  } else if (threadIdx.x < 32) {
    asm volatile("bar.warp.sync 0xffff0000;" ::: "memory");
    state[threadIdx.x + 256 * blockIdx.x] = out[blockIdx.x];
  }
}

// Wrong: hints to the cache order nothing.
extern "C" __global__ void hinted_store(const int* in, int* out, int* state, int n) {
  if (blockIdx.x == 0) {
    __stcg(&out[threadIdx.x], 1);
  } else {
    state[threadIdx.x] = out[threadIdx.x];
  }
}

extern "C" __global__ void hinted_load(const int* in, int* out, int* state, int n) {
  if (blockIdx.x == 1) {
    __stcg(&out[threadIdx.x], 1);
  } else if (blockIdx.x == 0) {
    state[threadIdx.x] = out[threadIdx.x];
  } else {
    out[threadIdx.x + 512] = __ldcg(&out[threadIdx.x + 256]);
  }
}

// Wrong: the mistakes that a GPU punishes now and then.
extern "C" __global__ void lost_updates(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[in[i]] = out[in[i]] + 1;
  }
}

extern "C" __global__ void shift_in_place(const int* in, int* out, int* state, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n) {
    out[i] = out[i + 1];
  }
}

extern "C" __global__ void unwritten(const int* in, int* out, int* state, int n) {
  __shared__ int part[256];
  if (threadIdx.x > 0) {
    part[threadIdx.x] = in[threadIdx.x] + n;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = part[threadIdx.x];
}

// The first block reads what every block then stores: a store of the same value does no harm to a
// store, but to the load before it.
extern "C" __global__ void read_then_same_value(const int* in, int* out, int* state, int n) {
  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      out[1] = state[0];
    }
    state[0] = 5;
  }
}

// The same within a block, in shared memory.
extern "C" __global__ void shared_read_then_same_value(const int* in, int* out, int* state, int n) {
  __shared__ int tile;
  if (threadIdx.x == 0) {
    tile = n;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    out[blockIdx.x] = tile;
    tile = 9;
  } else if (threadIdx.x == 40) {
    tile = 9;
  }
}
