// Half precision, alone and in pairs: row k of the result holds operation k.
// nvcc -ptx -O3 -arch=compute_75 half.cu -o half.ptx && sed -i 's/^\.version .*/.version 7.0/' half.ptx

#define ROW(e) out[(k++) * n + i] = (e)
#define ASM1(ins, x) ({ u16 d; asm(ins " %0, %1;" : "=h"(d) : "h"(x)); d; })
#define ASM2(ins, x, y) ({ u16 d; asm(ins " %0, %1, %2;" : "=h"(d) : "h"(x), "h"(y)); d; })
#define ASM3(ins, x, y, z) \
  ({ u16 d; asm(ins " %0, %1, %2, %3;" : "=h"(d) : "h"(x), "h"(y), "h"(z)); d; })
#define PAIR1(ins, x) ({ u32 d; asm(ins " %0, %1;" : "=r"(d) : "r"(x)); d; })
#define PAIR2(ins, x, y) ({ u32 d; asm(ins " %0, %1, %2;" : "=r"(d) : "r"(x), "r"(y)); d; })
#define PAIR3(ins, x, y, z) \
  ({ u32 d; asm(ins " %0, %1, %2, %3;" : "=r"(d) : "r"(x), "r"(y), "r"(z)); d; })
#define TEST(ins, x, y) \
  ({ u16 d; asm("{.reg .pred p; " ins " p, %1, %2; selp.u16 %0, 1, 0, p;}" \
     : "=h"(d) : "h"(x), "h"(y)); d; })

typedef unsigned int u32;
typedef unsigned short u16;

extern "C" __global__ void half_precision(
    const u16* as, const u16* bs, const u16* cs, u16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u16 a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  ROW(ASM2("add.rn.f16", a, b));
  ROW(ASM2("sub.rn.f16", a, b));
  ROW(ASM2("mul.rn.f16", a, b));
  ROW(ASM3("fma.rn.f16", a, b, c));
  ROW(ASM2("add.rn.ftz.f16", a, b));
  ROW(ASM2("mul.rn.sat.f16", a, b));
  ROW(ASM3("fma.rn.ftz.sat.f16", a, b, c));
  ROW(ASM1("neg.f16", a));
  ROW(ASM1("abs.f16", a));
  ROW(TEST("setp.eq.f16", a, b));
  ROW(TEST("setp.lt.f16", a, b));
  ROW(TEST("setp.geu.f16", a, b));
  ROW(TEST("setp.nan.f16", a, b));
}

extern "C" __global__ void half_pairs(
    const u32* as, const u32* bs, const u32* cs, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  ROW(PAIR2("add.rn.f16x2", a, b));
  ROW(PAIR2("sub.rn.f16x2", a, b));
  ROW(PAIR2("mul.rn.f16x2", a, b));
  ROW(PAIR3("fma.rn.f16x2", a, b, c));
  ROW(PAIR1("neg.f16x2", a));
  ROW(PAIR1("abs.f16x2", a));
  ROW(PAIR2("set.lt.f16x2.f16x2", a, b));
  u32 both;
  asm("{.reg .pred p, q; .reg .u32 low; setp.gt.f16x2 p|q, %1, %2; selp.u32 low, 1, 0, p;"
      " selp.u32 %0, 2, 0, q; or.b32 %0, %0, low;}" : "=r"(both) : "r"(a), "r"(b));
  ROW(both);
}

extern "C" __global__ void half_functions(const u16* as, u16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u16 a = as[i];
  int k = 0;
  ROW(ASM1("ex2.approx.f16", a));
  ROW(ASM1("tanh.approx.f16", a));
}
