// What came with compute capability 8.0: the brain format, reductions, copies in the background.
// nvcc -ptx -O3 -arch=compute_80 ampere.cu -o ampere.ptx && sed -i 's/^\.version .*/.version 7.0/' ampere.ptx

#define ROW(e) out[(k++) * n + i] = (e)
#define ASM1(ins, x) ({ u16 d; asm(ins " %0, %1;" : "=h"(d) : "h"(x)); d; })
#define ASM2(ins, x, y) ({ u16 d; asm(ins " %0, %1, %2;" : "=h"(d) : "h"(x), "h"(y)); d; })
#define ASM3(ins, x, y, z) \
  ({ u16 d; asm(ins " %0, %1, %2, %3;" : "=h"(d) : "h"(x), "h"(y), "h"(z)); d; })
#define FROM_SINGLE(ins, x) ({ u16 d; asm(ins " %0, %1;" : "=h"(d) : "f"(x)); d; })

typedef unsigned int u32;
typedef unsigned short u16;

extern "C" __global__ void brain_floats(
    const u16* as, const u16* bs, const u16* cs, u16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u16 a = as[i], b = bs[i], c = cs[i];
  float f = __uint_as_float((u32)a << 16 | b);
  int k = 0;
  ROW(ASM3("fma.rn.bf16", a, b, c));
  ROW(ASM3("fma.rn.relu.bf16", a, b, c));
  ROW(ASM1("neg.bf16", a));
  ROW(ASM1("abs.bf16", a));
  ROW(ASM2("min.bf16", a, b));
  ROW(ASM2("max.NaN.bf16", a, b));
  ROW(FROM_SINGLE("cvt.rn.bf16.f32", f));
  ROW(FROM_SINGLE("cvt.rz.bf16.f32", f));
  ROW(FROM_SINGLE("cvt.rn.relu.bf16.f32", f));
  u32 pair;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(f), "f"(1.5f));
  ROW((u16)pair);
  ROW((u16)(pair >> 16));
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(f), "f"(-2.5f));
  ROW((u16)pair);
  ROW((u16)(pair >> 16));
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(pair) : "f"(f));
  ROW((u16)(pair >> 16));
  ROW((u16)(pair & 0xE000));
}

extern "C" __global__ void newer_extrema(
    const u32* as, const u32* bs, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 a = as[i], b = bs[i];
  float x = __uint_as_float(a), y = __uint_as_float(b), f;
  int k = 0;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y));
  ROW(__float_as_uint(f));
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(f) : "f"(x), "f"(y));
  ROW(__float_as_uint(f));
  u32 d;
  asm("min.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  ROW(d);
  asm("max.NaN.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  ROW(d);
  asm("fma.rn.relu.f16x2 %0, %1, %2, %1;" : "=r"(d) : "r"(a), "r"(b));
  ROW(d);
}

extern "C" __global__ void warp_reductions(const u32* in, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  u32 v = in[i];
  int k = 0;
  ROW(__reduce_add_sync(~0u, v));
  ROW(__reduce_min_sync(~0u, v));
  ROW(__reduce_max_sync(~0u, v));
  ROW(__reduce_min_sync(~0u, (int)v));
  ROW(__reduce_max_sync(~0u, (int)v));
  ROW(__reduce_and_sync(~0u, v | 0xFF));
  ROW(__reduce_or_sync(~0u, v & 0xF0F));
  ROW(__reduce_xor_sync(~0u, v));
}

extern "C" __global__ void background_copies(const u32* in, u32* out, int n) {
  __shared__ __align__(16) u32 tile[256];
  int t = threadIdx.x;
  u32 to = (u32)__cvta_generic_to_shared(tile + t);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" : : "r"(to), "l"(in + t) : "memory");
  if (t < 16) {
    to = (u32)__cvta_generic_to_shared(tile + 128 + 4 * t);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(to), "l"(in + 4 * t)
                 : "memory");
    to = (u32)__cvta_generic_to_shared(tile + 192 + 4 * t);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" : : "r"(to), "l"(in + 4 * t),
                 "r"(t) : "memory");
  }
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[t] = tile[127 - t];
  out[t + 128] = tile[t + 128];
}
