// Control flow: switches, loops, early returns, divergence, indexed branches.
// nvcc -ptx -O3 -arch=compute_75 control.cu -o control.ptx && sed -i 's/^\.version .*/.version 7.0/' control.ptx

#define ROW(e) out[(k++) * n + i] = (e)
typedef unsigned int u32;

__device__ __noinline__ int collatz(u32 v) {
  int steps = 0;
  while (v > 1) {
    v = (v & 1) ? 3 * v + 1 : v / 2;
    if (++steps == 200) break;
  }
  return steps;
}

__device__ __noinline__ int even(int v);
__device__ __noinline__ int odd(int v) { return v == 0 ? 0 : even(v - 1); }
__device__ __noinline__ int even(int v) { return v == 0 ? 1 : odd(v - 1); }

struct Shape {
  __device__ virtual int area(int scale) const = 0;
};

struct Square : Shape {
  int side;
  __device__ int area(int scale) const override { return side * side * scale; }
};

struct Strip : Shape {
  int length;
  __device__ int area(int scale) const override { return length * scale; }
};

extern "C" __global__ void control(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 v = in[i];
  int k = 0;
  u32 chosen;
  switch (v % 9) {
    case 0: chosen = v + 1; break;
    case 1: chosen = v * 3; break;
    case 2:
    case 3: chosen = v >> 3; break;
    case 5: chosen = v - 7; break;
    case 7: chosen = ~v; break;
    default: chosen = 12345;
  }
  ROW(chosen);
  ROW(collatz(v % 1000 + 1));
  ROW(odd(v % 20));
  u32 sum = 0;
  for (u32 a = 0; a < v % 7; a++) {
    for (u32 b = a; b < v % 5; b++) {
      if ((a ^ b) == 3) continue;
      if (a + b > 8) goto out;
      sum += a * 10 + b;
    }
  }
out:
  ROW(sum);
  Square square;
  square.side = v & 0xFF;
  Strip strip;
  strip.length = v & 0xFFF;
  const Shape* shape = (v & 0x1000) ? (const Shape*)&square : (const Shape*)&strip;
  ROW(shape->area(3));
  u32 indexed;
  asm volatile(
      "{\n"
      " targets: .branchtargets L0, L1, L2;\n"
      " brx.idx %1, targets;\n"
      " L0: mov.u32 %0, 100; bra.uni DONE;\n"
      " L1: mov.u32 %0, 200; bra.uni DONE;\n"
      " L2: mov.u32 %0, 300;\n"
      " DONE:\n"
      "}"
      : "=r"(indexed) : "r"(v % 3));
  ROW(indexed);
  asm volatile("nanosleep.u32 20;");
  long long start = clock64();
  while (clock64() - start < 100) {
  }
  ROW(clock64() > start);
  if (v & 1) asm volatile("exit;");
  ROW(v);
}
