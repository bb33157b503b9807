// Arithmetic of both precisions in every rounding: row k of the result holds operation k.
// nvcc -ptx -O3 -arch=compute_75 float.cu -o float.ptx && sed -i 's/^\.version .*/.version 7.0/' float.ptx

#define ROW(e) out[(k++) * n + i] = (e)
#define BITS(e) __float_as_uint(e)
#define ASM1(ins, x) ({ float d; asm(ins " %0, %1;" : "=f"(d) : "f"(x)); BITS(d); })
#define ASM2(ins, x, y) ({ float d; asm(ins " %0, %1, %2;" : "=f"(d) : "f"(x), "f"(y)); BITS(d); })
#define ASM3(ins, x, y, z) \
  ({ float d; asm(ins " %0, %1, %2, %3;" : "=f"(d) : "f"(x), "f"(y), "f"(z)); BITS(d); })
#define SET(ins, x, y) ({ u32 d; asm(ins " %0, %1, %2;" : "=r"(d) : "f"(x), "f"(y)); d; })
#define TEST(ins, x) \
  ({ u32 d; asm("{.reg .pred p; " ins " p, %1; selp.u32 %0, 1, 0, p;}" : "=r"(d) : "f"(x)); d; })
#define ROUNDINGS1(pre, post, x) \
  ROW(ASM1(pre ".rn" post, x)); \
  ROW(ASM1(pre ".rz" post, x)); \
  ROW(ASM1(pre ".rm" post, x)); \
  ROW(ASM1(pre ".rp" post, x))
#define ROUNDINGS2(pre, post, x, y) \
  ROW(ASM2(pre ".rn" post, x, y)); \
  ROW(ASM2(pre ".rz" post, x, y)); \
  ROW(ASM2(pre ".rm" post, x, y)); \
  ROW(ASM2(pre ".rp" post, x, y))
#define ROUNDINGS3(pre, post, x, y, z) \
  ROW(ASM3(pre ".rn" post, x, y, z)); \
  ROW(ASM3(pre ".rz" post, x, y, z)); \
  ROW(ASM3(pre ".rm" post, x, y, z)); \
  ROW(ASM3(pre ".rp" post, x, y, z))

typedef unsigned int u32;
typedef unsigned long long u64;

extern "C" __global__ void single_precision(
    const float* as, const float* bs, const float* cs, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  ROUNDINGS2("add", ".f32", a, b);
  ROUNDINGS2("sub", ".f32", a, b);
  ROUNDINGS2("mul", ".f32", a, b);
  ROUNDINGS3("fma", ".f32", a, b, c);
  ROUNDINGS2("div", ".f32", a, b);
  ROUNDINGS1("rcp", ".f32", a);
  ROUNDINGS1("sqrt", ".f32", a);
  ROW(ASM2("add.rn.ftz.f32", a, b));
  ROW(ASM2("mul.rn.ftz.f32", a, b));
  ROW(ASM3("fma.rn.ftz.f32", a, b, c));
  ROW(ASM2("add.rn.sat.f32", a, b));
  ROW(ASM2("mul.rn.sat.f32", a, b));
  ROW(ASM3("fma.rn.sat.f32", a, b, c));
  ROW(ASM1("abs.f32", a));
  ROW(ASM1("neg.f32", a));
  ROW(ASM2("min.f32", a, b));
  ROW(ASM2("max.f32", a, b));
  ROW(ASM2("copysign.f32", a, b));
}

extern "C" __global__ void single_comparisons(
    const float* as, const float* bs, const float* cs, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  ROW(SET("set.eq.u32.f32", a, b));
  ROW(SET("set.ne.u32.f32", a, b));
  ROW(SET("set.lt.u32.f32", a, b));
  ROW(SET("set.le.u32.f32", a, b));
  ROW(SET("set.gt.u32.f32", a, b));
  ROW(SET("set.ge.u32.f32", a, b));
  ROW(SET("set.equ.u32.f32", a, b));
  ROW(SET("set.neu.u32.f32", a, b));
  ROW(SET("set.ltu.u32.f32", a, b));
  ROW(SET("set.leu.u32.f32", a, b));
  ROW(SET("set.gtu.u32.f32", a, b));
  ROW(SET("set.geu.u32.f32", a, b));
  ROW(SET("set.num.u32.f32", a, b));
  ROW(SET("set.nan.u32.f32", a, b));
  ROW(SET("set.eq.ftz.u32.f32", a, b));
  ROW(TEST("testp.finite.f32", a));
  ROW(TEST("testp.infinite.f32", a));
  ROW(TEST("testp.number.f32", a));
  ROW(TEST("testp.notanumber.f32", a));
  ROW(TEST("testp.normal.f32", a));
  ROW(TEST("testp.subnormal.f32", a));
  ROW(ASM3("slct.f32.f32", a, b, c));
}

// Inputs within the range in which the approximations promise their errors.
extern "C" __global__ void approximations(
    const float* as, const float* bs, const float* cs, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = as[i], b = bs[i];
  int k = 0;
  ROW(__uint_as_float(ASM2("div.approx.f32", a, b)));
  ROW(__uint_as_float(ASM2("div.full.f32", a, b)));
  ROW(__uint_as_float(ASM1("rcp.approx.f32", b)));
  ROW(__uint_as_float(ASM1("sqrt.approx.f32", fabsf(a))));
  ROW(__uint_as_float(ASM1("rsqrt.approx.f32", fabsf(b))));
  ROW(__uint_as_float(ASM1("sin.approx.f32", cs[i])));
  ROW(__uint_as_float(ASM1("cos.approx.f32", cs[i])));
  ROW(__uint_as_float(ASM1("lg2.approx.f32", fabsf(b))));
  ROW(__uint_as_float(ASM1("ex2.approx.f32", cs[i])));
  ROW(__uint_as_float(ASM1("tanh.approx.f32", cs[i])));
  ROW(sinf(cs[i]));
  ROW(expf(cs[i]));
  ROW(logf(fabsf(b)));
  ROW(powf(fabsf(b), 0.3f));
  ROW(a / b);
  ROW(sqrtf(fabsf(a)));
}

#undef BITS
#undef ASM1
#undef ASM2
#undef ASM3
#define BITS(e) __double_as_longlong(e)
#define ASM1(ins, x) ({ double d; asm(ins " %0, %1;" : "=d"(d) : "d"(x)); BITS(d); })
#define ASM2(ins, x, y) \
  ({ double d; asm(ins " %0, %1, %2;" : "=d"(d) : "d"(x), "d"(y)); BITS(d); })
#define ASM3(ins, x, y, z) \
  ({ double d; asm(ins " %0, %1, %2, %3;" : "=d"(d) : "d"(x), "d"(y), "d"(z)); BITS(d); })

extern "C" __global__ void double_precision(
    const double* as, const double* bs, const double* cs, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  ROUNDINGS2("add", ".f64", a, b);
  ROUNDINGS2("sub", ".f64", a, b);
  ROUNDINGS2("mul", ".f64", a, b);
  ROUNDINGS3("fma", ".f64", a, b, c);
  ROUNDINGS2("div", ".f64", a, b);
  ROUNDINGS1("rcp", ".f64", a);
  ROUNDINGS1("sqrt", ".f64", a);
  ROW(ASM1("abs.f64", a));
  ROW(ASM1("neg.f64", a));
  ROW(ASM2("min.f64", a, b));
  ROW(ASM2("max.f64", a, b));
  ROW(ASM2("copysign.f64", a, b));
  ROW(a < b ? 1 : 0);
  ROW(a <= b ? 1 : 0);
  ROW(a == b ? 1 : 0);
  ROW(a != b ? 1 : 0);
  ROW(!(a >= b) ? 1 : 0);
}
