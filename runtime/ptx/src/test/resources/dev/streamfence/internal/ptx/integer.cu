// Every integer instruction over arrays: row k of the result holds operation k of each triple.
// nvcc -ptx -O3 -arch=compute_75 integer.cu -o integer.ptx && sed -i 's/^\.version .*/.version 7.0/' integer.ptx

#define ROW(e) out[(k++) * n + i] = (e)
#define ASM1(t, q, ins, x) ({ t d; asm(ins " %0, %1;" : "=" q(d) : q(x)); d; })
#define ASM2(t, q, ins, x, y) ({ t d; asm(ins " %0, %1, %2;" : "=" q(d) : q(x), q(y)); d; })
#define ASM3(t, q, ins, x, y, z) \
  ({ t d; asm(ins " %0, %1, %2, %3;" : "=" q(d) : q(x), q(y), q(z)); d; })

typedef unsigned int u32;
typedef unsigned long long u64;
typedef unsigned short u16;

extern "C" __global__ void integer32(
    const u32* as, const u32* bs, const u32* cs, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 a = as[i], b = bs[i], c = cs[i];
  int sa = (int)a, sb = (int)b, sc = (int)c;
  int k = 0;
  u32 divisor = (b == 0 || b == 0xFFFFFFFFu) ? 3 : b;
  ROW(a + b);
  ROW(a - b);
  ROW(a * b);
  ROW(__mulhi(sa, sb));
  ROW(__umulhi(a, b));
  ROW(a * b + c);
  ROW(ASM3(u32, "r", "mad.hi.s32", a, b, c));
  ROW(ASM3(u32, "r", "mad.hi.u32", a, b, c));
  ROW(ASM2(u32, "r", "mul24.lo.s32", a, b));
  ROW(ASM2(u32, "r", "mul24.lo.u32", a, b));
  ROW(ASM2(u32, "r", "mul24.hi.s32", a, b));
  ROW(ASM2(u32, "r", "mul24.hi.u32", a, b));
  ROW(ASM3(u32, "r", "mad24.lo.s32", a, b, c));
  ROW(ASM3(u32, "r", "mad24.hi.u32", a, b, c));
  ROW(ASM2(u32, "r", "div.s32", a, divisor));
  ROW(ASM2(u32, "r", "div.u32", a, divisor));
  ROW(ASM2(u32, "r", "rem.s32", a, divisor));
  ROW(ASM2(u32, "r", "rem.u32", a, divisor));
  ROW(ASM1(u32, "r", "abs.s32", a));
  ROW(-sa);
  ROW(min(sa, sb));
  ROW(max(sa, sb));
  ROW(min(a, b));
  ROW(max(a, b));
  ROW(__sad(sa, sb, c));
  ROW(__usad(a, b, c));
  ROW(ASM2(u32, "r", "add.sat.s32", a, b));
  ROW(ASM2(u32, "r", "sub.sat.s32", a, b));
  ROW(ASM3(u32, "r", "mad.hi.sat.s32", a, b, c));
  ROW(a & b);
  ROW(a | b);
  ROW(a ^ b);
  ROW(~a);
  ROW(ASM1(u32, "r", "cnot.b32", a));
  ROW(ASM2(u32, "r", "shl.b32", a, b));
  ROW(ASM2(u32, "r", "shr.s32", a, b));
  ROW(ASM2(u32, "r", "shr.u32", a, b));
  ROW(__funnelshift_l(a, b, c));
  ROW(__funnelshift_lc(a, b, c));
  ROW(__funnelshift_r(a, b, c));
  ROW(__funnelshift_rc(a, b, c));
  ROW(ASM3(u32, "r", "{.reg .b32 t; mov.b32 t, %3; lop3.b32 %0, %1, %2, t, 0x96;} //", a, b, c));
  ROW(ASM3(u32, "r", "{.reg .b32 t; mov.b32 t, %3; lop3.b32 %0, %1, %2, t, 0xE8;} //", a, b, c));
  ROW(ASM3(u32, "r", "{.reg .b32 t; mov.b32 t, %3; lop3.b32 %0, %1, %2, t, 0x1B;} //", a, b, c));
  ROW(__popc(a));
  ROW(__clz(sa));
  ROW(__brev(a));
  ROW(ASM1(u32, "r", "bfind.u32", a));
  ROW(ASM1(u32, "r", "bfind.s32", a));
  ROW(ASM1(u32, "r", "bfind.shiftamt.u32", a));
  ROW(ASM1(u32, "r", "bfind.shiftamt.s32", a));
  ROW(ASM3(u32, "r", "bfe.u32", a, b, c));
  ROW(ASM3(u32, "r", "bfe.s32", a, b, c));
  u32 inserted;
  asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(inserted) : "r"(a), "r"(b), "r"(c), "r"(c >> 8));
  ROW(inserted);
  ROW(__fns(a, b & 31, sc % 9));
  ROW(__byte_perm(a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32", a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32.f4e", a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32.b4e", a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32.rc8", a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32.ecl", a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32.ecr", a, b, c));
  ROW(ASM3(u32, "r", "prmt.b32.rc16", a, b, c));
  ROW(ASM3(u32, "r", "dp4a.s32.s32", a, b, c));
  ROW(ASM3(u32, "r", "dp4a.u32.u32", a, b, c));
  ROW(ASM3(u32, "r", "dp4a.s32.u32", a, b, c));
  ROW(ASM3(u32, "r", "dp4a.u32.s32", a, b, c));
  ROW(ASM3(u32, "r", "dp2a.lo.s32.s32", a, b, c));
  ROW(ASM3(u32, "r", "dp2a.hi.u32.u32", a, b, c));
  ROW(sa < sb ? a : c);
  ROW(ASM3(u32, "r", "slct.b32.s32", a, b, c));
}

extern "C" __global__ void comparisons32(
    const u32* as, const u32* bs, const u32* cs, u32* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u32 a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  ROW(ASM2(u32, "r", "set.eq.u32.s32", a, b));
  ROW(ASM2(u32, "r", "set.ne.u32.s32", a, b));
  ROW(ASM2(u32, "r", "set.lt.u32.s32", a, b));
  ROW(ASM2(u32, "r", "set.le.u32.s32", a, b));
  ROW(ASM2(u32, "r", "set.gt.u32.s32", a, b));
  ROW(ASM2(u32, "r", "set.ge.u32.s32", a, b));
  ROW(ASM2(u32, "r", "set.lo.u32.u32", a, b));
  ROW(ASM2(u32, "r", "set.ls.u32.u32", a, b));
  ROW(ASM2(u32, "r", "set.hi.u32.u32", a, b));
  ROW(ASM2(u32, "r", "set.hs.u32.u32", a, b));
  ROW(ASM2(u32, "r", "set.lt.f32.s32", a, b));
  u32 first, second;
  asm("{.reg .pred p, q, c; setp.lt.s32 c, %2, %4; setp.gt.and.s32 p|q, %2, %3, c;"
      " selp.b32 %0, 1, 0, p; selp.b32 %1, 1, 0, q;}"
      : "=r"(first), "=r"(second) : "r"(a), "r"(b), "r"(c));
  ROW(first);
  ROW(second);
  asm("{.reg .pred p, q, c; setp.lt.s32 c, %2, %4; setp.le.or.u32 p|q, %2, %3, !c;"
      " selp.b32 %0, 1, 0, p; selp.b32 %1, 1, 0, q;}"
      : "=r"(first), "=r"(second) : "r"(a), "r"(b), "r"(c));
  ROW(first);
  ROW(second);
  asm("{.reg .pred p, c; setp.lt.s32 c, %1, %3; setp.ne.xor.b32 p, %1, %2, c;"
      " not.pred p, p; selp.b32 %0, 1, 0, p;}"
      : "=r"(first) : "r"(a), "r"(b), "r"(c));
  ROW(first);
}

extern "C" __global__ void integer64(
    const u64* as, const u64* bs, const u64* cs, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 a = as[i], b = bs[i], c = cs[i];
  long long sa = (long long)a, sb = (long long)b;
  u64 divisor = (b == 0 || b == ~0ull) ? 3 : b;
  int k = 0;
  ROW(a + b);
  ROW(a - b);
  ROW(a * b);
  ROW(__mul64hi(sa, sb));
  ROW(__umul64hi(a, b));
  ROW(a * b + c);
  ROW(ASM3(u64, "l", "mad.hi.u64", a, b, c));
  ROW(ASM3(u64, "l", "mad.hi.s64", a, b, c));
  ROW((long long)(int)a * (int)b);
  ROW((u64)(u32)a * (u32)b);
  u64 wide;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"((int)a), "r"((int)b), "l"(c));
  ROW(wide);
  asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(wide) : "r"((u32)a), "r"((u32)b), "l"(c));
  ROW(wide);
  ROW(ASM2(u64, "l", "div.s64", a, divisor));
  ROW(ASM2(u64, "l", "div.u64", a, divisor));
  ROW(ASM2(u64, "l", "rem.s64", a, divisor));
  ROW(ASM2(u64, "l", "rem.u64", a, divisor));
  ROW(ASM1(u64, "l", "abs.s64", a));
  ROW(-sa);
  ROW(min(sa, sb));
  ROW(max(sa, sb));
  ROW(min(a, b));
  ROW(max(a, b));
  ROW(ASM3(u64, "l", "sad.s64", a, b, c));
  ROW(ASM3(u64, "l", "sad.u64", a, b, c));
  ROW(a & b);
  ROW(a | b);
  ROW(a ^ b);
  ROW(~a);
  ROW(ASM1(u64, "l", "cnot.b64", a));
  u64 shifted;
  asm("shl.b64 %0, %1, %2;" : "=l"(shifted) : "l"(a), "r"((u32)b));
  ROW(shifted);
  asm("shr.s64 %0, %1, %2;" : "=l"(shifted) : "l"(a), "r"((u32)b));
  ROW(shifted);
  asm("shr.u64 %0, %1, %2;" : "=l"(shifted) : "l"(a), "r"((u32)b));
  ROW(shifted);
  ROW(__popcll(a));
  ROW(__clzll(sa));
  ROW(__brevll(a));
  u32 found;
  asm("bfind.u64 %0, %1;" : "=r"(found) : "l"(a));
  ROW(found);
  asm("bfind.s64 %0, %1;" : "=r"(found) : "l"(a));
  ROW(found);
  u64 field;
  asm("bfe.u64 %0, %1, %2, %3;" : "=l"(field) : "l"(a), "r"((u32)b & 255), "r"((u32)c & 255));
  ROW(field);
  asm("bfe.s64 %0, %1, %2, %3;" : "=l"(field) : "l"(a), "r"((u32)b & 255), "r"((u32)c & 255));
  ROW(field);
  asm("bfi.b64 %0, %1, %2, %3, %4;"
      : "=l"(field) : "l"(a), "l"(b), "r"((u32)c & 255), "r"((u32)c >> 8 & 255));
  ROW(field);
  ROW(sa < sb ? 1 : 0);
  ROW(a < b ? 1 : 0);
  ROW(sa >= sb ? 1 : 0);
  ROW(a >= b ? 1 : 0);
}

// Long numbers: 128 bits as two 64-bit words, and 96 bits as three 32-bit words.
extern "C" __global__ void carries(
    const u64* as, const u64* bs, const u64* cs, u64* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u64 a = as[i], b = bs[i], c = cs[i];
  int k = 0;
  u64 low, high;
  asm("add.cc.u64 %0, %2, %3; addc.u64 %1, %3, %4;"
      : "=l"(low), "=l"(high) : "l"(a), "l"(b), "l"(c));
  ROW(low);
  ROW(high);
  asm("sub.cc.u64 %0, %2, %3; subc.u64 %1, %3, %4;"
      : "=l"(low), "=l"(high) : "l"(a), "l"(b), "l"(c));
  ROW(low);
  ROW(high);
  asm("mad.lo.cc.u64 %0, %2, %3, %4; madc.hi.u64 %1, %2, %3, 0;"
      : "=l"(low), "=l"(high) : "l"(a), "l"(b), "l"(c));
  ROW(low);
  ROW(high);
  u32 w0, w1, w2;
  asm("add.cc.u32 %0, %3, %4; addc.cc.u32 %1, %5, %6; addc.u32 %2, %7, %8;"
      : "=r"(w0), "=r"(w1), "=r"(w2)
      : "r"((u32)a), "r"((u32)b), "r"((u32)(a >> 32)), "r"((u32)(b >> 32)), "r"((u32)c),
        "r"((u32)(c >> 32)));
  ROW(w0 | (u64)w1 << 32);
  ROW(w2);
  asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, %5, %6; subc.u32 %2, %7, %8;"
      : "=r"(w0), "=r"(w1), "=r"(w2)
      : "r"((u32)a), "r"((u32)b), "r"((u32)(a >> 32)), "r"((u32)(b >> 32)), "r"((u32)c),
        "r"((u32)(c >> 32)));
  ROW(w0 | (u64)w1 << 32);
  ROW(w2);
  asm("mad.lo.cc.u32 %0, %2, %3, %4; madc.hi.u32 %1, %2, %3, %5;"
      : "=r"(w0), "=r"(w1)
      : "r"((u32)a), "r"((u32)b), "r"((u32)c), "r"((u32)(c >> 32)));
  ROW(w0 | (u64)w1 << 32);
}

extern "C" __global__ void integer16(
    const u16* as, const u16* bs, const u16* cs, u16* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  u16 a = as[i], b = bs[i], c = cs[i];
  u16 divisor = (b == 0 || b == 0xFFFF) ? 3 : b;
  int k = 0;
  ROW(ASM2(u16, "h", "add.s16", a, b));
  ROW(ASM2(u16, "h", "sub.u16", a, b));
  ROW(ASM2(u16, "h", "mul.lo.s16", a, b));
  ROW(ASM2(u16, "h", "mul.hi.s16", a, b));
  ROW(ASM2(u16, "h", "mul.hi.u16", a, b));
  u32 wide;
  asm("mul.wide.s16 %0, %1, %2;" : "=r"(wide) : "h"(a), "h"(b));
  ROW((u16)(wide >> 16));
  asm("mul.wide.u16 %0, %1, %2;" : "=r"(wide) : "h"(a), "h"(b));
  ROW((u16)(wide >> 16));
  asm("mad.wide.u16 %0, %1, %2, %3;" : "=r"(wide) : "h"(a), "h"(b), "r"((u32)c << 8));
  ROW((u16)(wide >> 16));
  ROW(ASM3(u16, "h", "mad.lo.u16", a, b, c));
  ROW(ASM2(u16, "h", "div.s16", a, divisor));
  ROW(ASM2(u16, "h", "div.u16", a, divisor));
  ROW(ASM2(u16, "h", "rem.s16", a, divisor));
  ROW(ASM2(u16, "h", "rem.u16", a, divisor));
  ROW(ASM2(u16, "h", "min.s16", a, b));
  ROW(ASM2(u16, "h", "max.s16", a, b));
  ROW(ASM2(u16, "h", "min.u16", a, b));
  ROW(ASM2(u16, "h", "max.u16", a, b));
  ROW(ASM1(u16, "h", "abs.s16", a));
  ROW(ASM1(u16, "h", "neg.s16", a));
  ROW(ASM3(u16, "h", "sad.s16", a, b, c));
  ROW(ASM2(u16, "h", "and.b16", a, b));
  ROW(ASM2(u16, "h", "or.b16", a, b));
  ROW(ASM2(u16, "h", "xor.b16", a, b));
  ROW(ASM1(u16, "h", "not.b16", a));
  ROW(ASM1(u16, "h", "cnot.b16", a));
  u16 shifted;
  asm("shl.b16 %0, %1, %2;" : "=h"(shifted) : "h"(a), "r"((u32)b));
  ROW(shifted);
  asm("shr.s16 %0, %1, %2;" : "=h"(shifted) : "h"(a), "r"((u32)b));
  ROW(shifted);
  asm("shr.u16 %0, %1, %2;" : "=h"(shifted) : "h"(a), "r"((u32)b));
  ROW(shifted);
}
