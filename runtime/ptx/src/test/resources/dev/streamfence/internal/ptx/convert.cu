// Conversions between all types: row k of the result holds conversion k, widened to 64 bits.
// nvcc -ptx -O3 -arch=compute_75 convert.cu -o convert.ptx && sed -i 's/^\.version .*/.version 7.0/' convert.ptx

#define ROW(e) out[(k++) * n + i] = (e)
// A conversion to an integer type, which is then sign- or zero-extended by its declared type.
#define INT32(ins, q, x) ({ u32 d; asm(ins " %0, %1;" : "=r"(d) : q(x)); d; })
#define INT64(ins, q, x) ({ u64 d; asm(ins " %0, %1;" : "=l"(d) : q(x)); d; })
#define SINGLE(ins, q, x) \
  ({ float d; asm(ins " %0, %1;" : "=f"(d) : q(x)); __float_as_uint(d); })
#define DOUBLE(ins, q, x) \
  ({ double d; asm(ins " %0, %1;" : "=d"(d) : q(x)); (u64)__double_as_longlong(d); })
#define HALF(ins, q, x) ({ u16 d; asm(ins " %0, %1;" : "=h"(d) : q(x)); d; })

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short u16;

extern "C" __global__ void integer_conversions(const u64* as, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 a = as[i];
  u32 w = (u32)a;
  u16 h = (u16)a;
  int k = 0;
  ROW(INT32("cvt.u32.u8", "r", w));
  ROW(INT32("cvt.s32.s8", "r", w));
  ROW(INT32("cvt.u32.u16", "h", h));
  ROW(INT32("cvt.s32.s16", "h", h));
  ROW(INT64("cvt.u64.u32", "r", w));
  ROW(INT64("cvt.s64.s32", "r", w));
  ROW(INT64("cvt.s64.s8", "r", w));
  ROW(INT64("cvt.u64.u16", "h", h));
  ROW(INT32("cvt.u32.u64", "l", a));
  ROW(INT32("cvt.sat.s8.s32", "r", w));
  ROW(INT32("cvt.sat.u8.s32", "r", w));
  ROW(INT32("cvt.sat.u8.u32", "r", w));
  ROW(INT32("cvt.sat.s16.s32", "r", w));
  ROW(INT32("cvt.sat.u16.s32", "r", w));
  ROW(INT32("cvt.sat.s32.u32", "r", w));
  ROW(INT32("cvt.sat.u32.s32", "r", w));
  ROW(INT32("cvt.sat.s32.s64", "l", a));
  ROW(INT32("cvt.sat.u32.s64", "l", a));
  ROW(INT32("cvt.sat.u32.u64", "l", a));
  ROW(INT32("cvt.sat.s32.u64", "l", a));
  ROW(INT64("cvt.sat.s64.u64", "l", a));
  ROW(INT64("cvt.sat.u64.s64", "l", a));
}

extern "C" __global__ void integers_to_floats(const u64* as, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 a = as[i];
  u32 w = (u32)a;
  u16 h = (u16)a;
  int k = 0;
  ROW(SINGLE("cvt.rn.f32.s32", "r", w));
  ROW(SINGLE("cvt.rz.f32.s32", "r", w));
  ROW(SINGLE("cvt.rm.f32.s32", "r", w));
  ROW(SINGLE("cvt.rp.f32.s32", "r", w));
  ROW(SINGLE("cvt.rn.f32.u32", "r", w));
  ROW(SINGLE("cvt.rp.f32.u32", "r", w));
  ROW(SINGLE("cvt.rn.f32.s64", "l", a));
  ROW(SINGLE("cvt.rz.f32.s64", "l", a));
  ROW(SINGLE("cvt.rn.f32.u64", "l", a));
  ROW(SINGLE("cvt.rp.f32.u64", "l", a));
  ROW(SINGLE("cvt.rn.f32.s16", "h", h));
  ROW(SINGLE("cvt.rn.f32.u16", "h", h));
  ROW(DOUBLE("cvt.rn.f64.s32", "r", w));
  ROW(DOUBLE("cvt.rn.f64.u32", "r", w));
  ROW(DOUBLE("cvt.rn.f64.s64", "l", a));
  ROW(DOUBLE("cvt.rz.f64.s64", "l", a));
  ROW(DOUBLE("cvt.rm.f64.s64", "l", a));
  ROW(DOUBLE("cvt.rp.f64.s64", "l", a));
  ROW(DOUBLE("cvt.rn.f64.u64", "l", a));
  ROW(DOUBLE("cvt.rp.f64.u64", "l", a));
  ROW(HALF("cvt.rn.f16.s32", "r", w));
  ROW(HALF("cvt.rn.f16.u16", "h", h));
  ROW(HALF("cvt.rz.f16.s64", "l", a));
  ROW(SINGLE("cvt.rn.sat.f32.s32", "r", w));
}

#define TO_INTEGERS(type, q, x) \
  ROW(INT32("cvt.rni.s32." type, q, x)); \
  ROW(INT32("cvt.rzi.s32." type, q, x)); \
  ROW(INT32("cvt.rmi.s32." type, q, x)); \
  ROW(INT32("cvt.rpi.s32." type, q, x)); \
  ROW(INT32("cvt.rni.u32." type, q, x)); \
  ROW(INT32("cvt.rzi.u32." type, q, x)); \
  ROW(INT64("cvt.rni.s64." type, q, x)); \
  ROW(INT64("cvt.rzi.s64." type, q, x)); \
  ROW(INT64("cvt.rmi.s64." type, q, x)); \
  ROW(INT64("cvt.rpi.s64." type, q, x)); \
  ROW(INT64("cvt.rzi.u64." type, q, x)); \
  ROW(INT32("cvt.rzi.s16." type, q, x)); \
  ROW(INT32("cvt.rzi.u16." type, q, x)); \
  ROW(INT32("cvt.rni.s8." type, q, x)); \
  ROW(INT32("cvt.rni.u8." type, q, x))

extern "C" __global__ void floats_to_integers(const double* as, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = as[i];
  float f = (float)a;
  u16 h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  int k = 0;
  TO_INTEGERS("f64", "d", a);
  TO_INTEGERS("f32", "f", f);
  TO_INTEGERS("f16", "h", h);
}

extern "C" __global__ void floats_to_floats(const double* as, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = as[i];
  float f = (float)a;
  u16 h = (u16)__double_as_longlong(a) ^ (u16)(__double_as_longlong(a) >> 48);
  int k = 0;
  ROW(SINGLE("cvt.rn.f32.f64", "d", a));
  ROW(SINGLE("cvt.rz.f32.f64", "d", a));
  ROW(SINGLE("cvt.rm.f32.f64", "d", a));
  ROW(SINGLE("cvt.rp.f32.f64", "d", a));
  ROW(DOUBLE("cvt.f64.f32", "f", f));
  ROW(HALF("cvt.rn.f16.f32", "f", f));
  ROW(HALF("cvt.rz.f16.f32", "f", f));
  ROW(HALF("cvt.rm.f16.f32", "f", f));
  ROW(HALF("cvt.rp.f16.f32", "f", f));
  ROW(HALF("cvt.rn.f16.f64", "d", a));
  ROW(SINGLE("cvt.f32.f16", "h", h));
  ROW(DOUBLE("cvt.f64.f16", "h", h));
  ROW(SINGLE("cvt.rni.f32.f32", "f", f));
  ROW(SINGLE("cvt.rzi.f32.f32", "f", f));
  ROW(SINGLE("cvt.rmi.f32.f32", "f", f));
  ROW(SINGLE("cvt.rpi.f32.f32", "f", f));
  ROW(DOUBLE("cvt.rni.f64.f64", "d", a));
  ROW(DOUBLE("cvt.rpi.f64.f64", "d", a));
  ROW(SINGLE("cvt.sat.f32.f32", "f", f));
  ROW(SINGLE("cvt.ftz.f32.f32", "f", f));
  ROW(SINGLE("cvt.rn.sat.f32.f64", "d", a));
  ROW(HALF("cvt.rn.sat.f16.f32", "f", f));
}
