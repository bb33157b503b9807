package dev.streamfence.internal.ptx.analysis;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Writes a kernel that moves pointers in all ways that keep them pointers, and accesses the memory
 * behind them. It takes three pointers, a number, and a structure of two more pointers.
 */
final class RandomPointerKernel {
  private static final String FUNCTIONS =
      """
      .version 8.0
      .target sm_80
      .address_size 64
      .func (.param .b64 r) same(.param .b64 a) {
        .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [a];
        st.param.b64 [r], %rd1;
        ret;
      }
      .func (.param .b64 r) choose(.param .b64 a, .param .b64 b, .param .b32 k) {
        .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<9>;
        ld.param.u64 %rd1, [a];
        ld.param.u64 %rd2, [b];
        ld.param.u32 %r1, [k];
        setp.eq.u32 %p1, %r1, 0;
        selp.b64 %rd3, %rd1, %rd2, %p1;
        st.param.b64 [r], %rd3;
        ret;
      }
      .func (.param .b64 r) pick(.param .align 8 .b8 a[16], .param .b32 k) {
        .reg .b64 %rd<9>; .reg .b32 %r<9>;
        ld.param.u32 %r1, [k];
        mov.b64 %rd1, a;
        mad.wide.u32 %rd1, %r1, 8, %rd1;
        ld.param.u64 %rd2, [%rd1];
        st.param.b64 [r], %rd2;
        ret;
      }
      .func touch(.param .b64 a) {
        .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [a];
        st.u32 [%rd1+8], 5;
        ret;
      }
      .func exchange(.param .b64 a, .param .b64 b) {
        .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [a];
        ld.param.u64 %rd2, [b];
        ld.u64 %rd3, [%rd1];
        ld.u64 %rd4, [%rd2];
        st.u64 [%rd1], %rd4;
        st.u64 [%rd2], %rd3;
        ret;
      }
      .func (.param .b64 r) walk(.param .b64 a, .param .b64 b, .param .b32 k) {
        .reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .pred %p<9>;
        ld.param.u64 %rd1, [a];
        ld.param.u64 %rd2, [b];
        ld.param.u32 %r1, [k];
        st.param.b64 [r], %rd1;
        setp.eq.u32 %p1, %r1, 0;
        @%p1 bra END;
        ld.u32 %r2, [%rd1];
        add.s32 %r1, %r1, -1;
        add.s64 %rd1, %rd1, 8;
        { .param .b64 x; .param .b64 y; .param .b32 z; .param .b64 w;
          st.param.b64 [x], %rd2; st.param.b64 [y], %rd1; st.param.b32 [z], %r1;
          call (w), walk, (x, y, z);
          ld.param.b64 %rd3, [w]; }
        st.param.b64 [r], %rd3;
        END: ret;
      }
      """;

  private static final String START =
      """
      .entry k(.param .u64 p, .param .u64 q, .param .u64 t, .param .u64 n,
          .param .align 8 .b8 s[16]) {
        .local .align 16 .b8 depot[128];
        .shared .align 8 .b8 tile[64];
        .reg .b64 %rd<2000>; .reg .b32 %r<2000>; .reg .b16 %w<9>; .reg .pred %p<2000>;
        .reg .b64 %x, %y, %d, %s, %n, %i; .reg .b32 %me, %k, %l, %g, %h;
        mov.u64 %d, depot;
        cvta.local.u64 %d, %d;
        mov.u64 %s, tile;
        cvta.shared.u64 %s, %s;
        mov.u32 %me, %tid.x;
        and.b32 %k, %me, 1;
        ld.param.u64 %n, [n];
        ld.param.u64 %rd0, [p];
        ld.param.u64 %rd1, [q];
        ld.param.u64 %rd2, [t];
        ld.param.u64 %rd3, [s];
        ld.param.u64 %rd4, [s+8];
      """;

  /** The text that marks kernels that multiply a pointer by an unknown number. */
  static final String MULTIPLIED = "sub.s64 %y, 1, %x;";

  private final Random random;
  private final StringBuilder text = new StringBuilder(FUNCTIONS).append(START);

  /** Registers that hold pointers. */
  private final List<String> pointers =
      new ArrayList<>(List.of("%rd0", "%rd1", "%rd2", "%rd3", "%rd4"));

  private int next = 5;

  RandomPointerKernel(Random random) {
    this.random = random;
  }

  String write(int statements) {
    for (int slot = 0; slot < 8; slot++) {
      add("st.u64 [%d+" + slot * 8 + "], " + pointer() + ";");
      add("st.shared.u64 [tile+" + slot * 8 + "], " + pointer() + ";");
    }
    for (int i = 0; i < statements; i++) {
      if (random.nextInt(3) == 0) {
        access();
      } else {
        derive();
      }
    }
    return text.append("ret;\n}\n").toString();
  }

  private void add(String statements) {
    text.append("  ").append(statements).append('\n');
  }

  private String pointer() {
    // The last ones have come the longest way.
    int size = pointers.size();
    return random.nextBoolean()
        ? pointers.get(random.nextInt(size))
        : pointers.get(size - 1 - random.nextInt(Math.min(4, size)));
  }

  private int slot() {
    return 8 * random.nextInt(8);
  }

  private void access() {
    String a = pointer();
    int m = next++;
    String access =
        switch (random.nextInt(10)) {
          case 0 -> "ld.u32 %rM, [A];";
          case 1 -> "ld.u32 %rM, [A+16];";
          case 2 -> "cvta.to.global.u64 %x, A; ld.global.u32 %rM, [%x];";
          case 3 -> "st.u32 [A], %me;";
          case 4 -> "st.global.v2.u32 [A+8], {%me, %me};";
          case 5 -> "atom.add.u32 %rM, [A+4], 1;";
          case 6 -> "red.global.add.u32 [A], 1;";
          case 7 -> "{ .param .b64 x; st.param.b64 [x], A; call touch, (x); }";
          case 8 -> "prefetch.global.L2 [A];";
          default -> "ld.global.v2.u32 {%rM, %k}, [A]; and.b32 %k, %me, 1;";
        };
    add(access.replace("A", a).replace("M", "" + m));
  }

  private void derive() {
    int m = next++;
    String result = "%rd" + m;
    String statements =
        switch (random.nextInt(54)) {
          case 0 -> "add.s64 D, A, 24;";
          case 1 -> "add.s64 D, A, %n;";
          case 2 -> "mad.wide.s32 D, %me, 8, A;";
          case 3 -> "and.b64 D, A, -8;";
          case 4 -> "not.b64 %x, A; not.b64 D, %x;";
          case 5 -> "mov.b64 {%rM, %k}, A; mov.b64 D, {%rM, %k}; and.b32 %k, %me, 1;";
          case 6 ->
              "cvt.u32.u64 %rM, A; shr.u64 %x, A, 32; cvt.u64.u32 %y, %rM; shl.b64 %x, %x, 32;"
                  + " or.b64 D, %x, %y;";
          case 7 -> "setp.eq.u32 %pM, %me, K; selp.b64 D, A, B, %pM;";
          case 8 -> "st.u64 [%d+S], A; ld.u64 D, [%d+S];";
          case 9 -> "and.b64 %i, %n, 56; add.s64 %x, %d, %i; ld.u64 D, [%x];";
          case 10 -> "and.b64 %i, %n, 56; add.s64 %x, %d, %i; st.u64 [%x], A; mov.u64 D, B;";
          case 11 -> "st.shared.u64 [tile+S], A; ld.u64 D, [%s+S];";
          case 12 ->
              "{ .param .b64 x; .param .b64 y; st.param.b64 [x], A; call (y), same, (x);"
                  + " ld.param.b64 D, [y]; }";
          case 13 ->
              "{ .param .b64 x; .param .b64 y; .param .b32 z; .param .b64 w; st.param.b64 [x], A;"
                  + " st.param.b64 [y], B; st.param.b32 [z], %k; call (w), choose, (x, y, z);"
                  + " ld.param.b64 D, [w]; }";
          case 14 ->
              "add.s64 %x, %d, S; add.s64 %y, %d, R; { .param .b64 x; .param .b64 y;"
                  + " st.param.b64 [x], %x; st.param.b64 [y], %y; call exchange, (x, y); }"
                  + " ld.u64 D, [%d+S];";
          case 15 -> "sub.s64 %x, A, B; add.s64 D, B, %x;";
          case 16 -> "xor.b64 %x, A, B; xor.b64 D, %x, B;";
          case 17 -> "min.u64 D, A, B;";
          case 18 -> bytes();
          case 19 -> "st.global.u64 [A+32], B; ld.global.u64 D, [A+32];";
          case 20 ->
              "mov.b64 {%rM, %k}, A; prmt.b32 %k, %k, %rM, 0x3210; bfe.u32 %rM, %rM, 0, 32;"
                  + " mov.b64 D, {%rM, %k}; and.b32 %k, %me, 1;";
          case 21 -> "shr.u64 %x, A, 3; shl.b64 D, %x, 3;";
          case 22 -> "add.s64 %x, A, %n; sub.s64 D, %x, %n;";
          case 23 -> "neg.s64 %x, A; neg.s64 D, %x;";
          case 24 ->
              "mov.b64 {%rM, %k}, A; add.cc.u32 %rM, %rM, 8; addc.u32 %k, %k, 0;"
                  + " mov.b64 D, {%rM, %k}; and.b32 %k, %me, 1;";
          case 25 ->
              "mul.wide.u32 %i, %k, 8; mov.b64 %x, s; add.s64 %x, %x, %i;"
                  + " ld.param.u64 D, [%x];";
          case 26 ->
              "ld.param.u32 %rM, [s+8]; ld.param.u32 %k, [s+12]; mov.b64 D, {%rM, %k};"
                  + " and.b32 %k, %me, 1;";
          case 27 -> "atom.shared.exch.b64 D, [tile+S], A;";
          case 28 ->
              "{ .param .b64 x; .param .b64 y; .param .b32 z; .param .b64 w; st.param.b64 [x], A;"
                  + " st.param.b64 [y], B; st.param.b32 [z], 3; call (w), walk, (x, y, z);"
                  + " ld.param.b64 D, [w]; }";
          case 29 -> "mov.u64 %x, A; add.s64 %x, %x, 8; mov.u64 D, %x; mov.u64 %x, B;";
          case 30 ->
              "mov.u64 D, A; mov.u32 %rM, 3; LM: add.s64 D, D, 8; add.s32 %rM, %rM, -1;"
                  + " setp.ne.u32 %pM, %rM, 0; @%pM bra LM;";
          case 31 ->
              "setp.eq.u32 %pM, %me, K; @%pM bra LM; mov.u64 D, A; bra.uni NM; LM: mov.u64 D, B;"
                  + " NM: add.s64 D, D, 8;";
          case 32 -> "mov.u64 D, A; setp.eq.u32 %pM, %me, K; @%pM mov.u64 D, B;";
          case 33 -> "st.local.v2.u64 [depot+64], {A, B}; ld.v2.u64 {D, %x}, [%d+64];";
          case 34 -> "mov.b64 {%w1, %w2, %w3, %w4}, A; mov.b64 D, {%w1, %w2, %w3, %w4};";
          case 35 ->
              "sub.s64 %x, A, B; mul.wide.u32 %y, %k, 1; mul.lo.s64 %x, %x, %y;"
                  + " add.s64 D, B, %x;";
          case 36 -> "sub.s64 %x, B, A; shr.s64 %x, %x, 3; shl.b64 %x, %x, 3; add.s64 D, A, %x;";
          case 37 ->
              "mov.b64 {%rM, %k}, A; st.shared.v2.u32 [tile+S], {%rM, %k};"
                  + " ld.shared.u64 D, [tile+S]; and.b32 %k, %me, 1;";
          case 38 ->
              "mov.b64 {%rM, %k}, A; shf.r.clamp.b32 %rM, %rM, %k, 0;"
                  + " lop3.b32 %k, %k, 0, 0, 0xFC; mov.b64 D, {%rM, %k}; and.b32 %k, %me, 1;";
          case 39 ->
              "setp.eq.u32 %pM, %me, K; mov.b64 {%rM, %l}, A; mov.b64 {%g, %h}, B;"
                  + " selp.b32 %rM, %rM, %g, %pM; selp.b32 %l, %l, %h, %pM;"
                  + " mov.b64 D, {%rM, %l};";
          case 40 ->
              "and.b64 %i, %n, 56; add.s64 %x, %d, %i; ld.u32 %g, [%x]; ld.u32 %h, [%x+4];"
                  + " st.u32 [%d+S], %g; st.u32 [%d+S+4], %h; ld.u64 D, [%d+S];";
          case 41 ->
              "cvt.u64.u32 %x, %k; "
                  + MULTIPLIED
                  + " mul.lo.s64 %x, A, %x;"
                  + " mul.lo.s64 %y, B, %y; add.s64 D, %x, %y;";
          case 42 ->
              "mov.b64 {%g, %h}, A; cvt.u64.u32 %x, %h; cvt.u64.u32 %y, %g;"
                  + " bfi.b64 D, %x, %y, 32, 32;";
          case 43 ->
              "mov.b64 {%g, %h}, A; mul.wide.u32 %x, %h, 65536; mul.lo.s64 %x, %x, 65536;"
                  + " cvt.u64.u32 %y, %g; add.s64 D, %x, %y;";
          case 44 ->
              "{ .param .align 8 .b8 x[16]; .param .b32 y; .param .b64 z; st.param.b64 [x], A;"
                  + " st.param.b64 [x+8], B; st.param.b32 [y], %k; call (z), pick, (x, y);"
                  + " ld.param.b64 D, [z]; }";
          case 45 ->
              "add.s64 %x, %d, S; st.u64 [%d+112], %x; ld.u64 %y, [%d+112]; st.u64 [%y], A;"
                  + " ld.u64 D, [%d+S];";
          case 46 -> "mad.lo.s64 D, A, 1, 8; or.b64 D, D, 0;";
          case 47 -> "add.s64 %x, A, 127; shr.u64 %x, %x, 4; shl.b64 D, %x, 4;";
          case 48 ->
              "shl.b64 %x, A, 8; shr.u64 %x, %x, 8; bfe.u64 %y, A, 32, 32; shl.b64 %y, %y, 32;"
                  + " and.b64 %x, %x, 0xffffffff; or.b64 D, %x, %y;";
          case 50 ->
              "mov.b64 {%g, %h}, A; shfl.sync.bfly.b32 %g, %g, 1, 31, 3;"
                  + " shfl.sync.bfly.b32 %h, %h, 1, 31, 3; mov.b64 D, {%g, %h};";
          case 51 -> index() + " add.s64 %x, %d, %i; ld.u64 D, [%x+T];";
          case 52 -> index() + " add.s64 %x, %d, %i; st.u64 [%x+T], A; mov.u64 D, B;";
          case 53 ->
              index()
                  + " add.s64 %x, %d, 24; sub.s64 %x, %x, %i; st.u64 [%x+T], A; ld.u64 D, [%x];";
          default ->
              "mov.u64 %x, same; W: .callprototype (.param .b64 _) _ (.param .b64 _);"
                  + " { .param .b64 x; .param .b64 y; st.param.b64 [x], A;"
                  + " call (y), %x, (x), W; ld.param.b64 D, [y]; }";
        };
    add(
        statements
            .replace("A", pointer())
            .replace("B", pointer())
            .replace("D", result)
            .replace("K", "" + random.nextInt(2))
            .replace("R", "" + slot())
            .replace("S", "" + slot())
            .replace("T", "" + 8 * random.nextInt(5))
            .replace("W", "W" + m)
            .replace("M", "" + m));
    pointers.add(result);
  }

  /** Leaves the offset of one of the first four slots in a register. */
  private String index() {
    String offset =
        switch (random.nextInt(11)) {
          case 0 -> "and.b64 %i, %n, 24;";
          case 1 -> "and.b64 %i, %n, 8; add.s64 %i, %i, 8;";
          case 2 -> "shr.u64 %i, %n, 3; rem.u64 %i, %i, 3; shl.b64 %i, %i, 3;";
          case 3 -> "min.u64 %i, %n, 16;";
          case 4 -> "bfe.u64 %i, %n, 3, 2; mul.lo.s64 %i, %i, 8;";
          case 5 -> "setp.eq.u32 %pM, %me, K; selp.b64 %i, 8, 24, %pM;";
          case 6 -> "and.b32 %g, %me, 3; mul.wide.u32 %i, %g, 8;";
          case 7 -> "and.b64 %i, %n, 16; or.b64 %i, %i, 8;";
          case 8 -> "cvt.u16.u64 %w1, %n; and.b16 %w1, %w1, 24; cvt.u64.u16 %i, %w1;";
          case 9 -> "and.b32 %g, %k, 1; mul24.lo.u32 %g, %g, 24; cvt.u64.u32 %i, %g;";
          default -> "shl.b64 %i, %n, 58; shr.u64 %i, %i, 62; mad.lo.s64 %i, %i, 8, 0;";
        };
    return offset + " " + sameOffset();
  }

  /** Computes the same offset, or the opposite one, in another way. */
  private String sameOffset() {
    return switch (random.nextInt(9)) {
      case 0 -> "sub.s64 %i, 24, %i;";
      case 1 -> "cvt.u32.u64 %g, %i; add.s32 %g, %g, -16; add.s32 %g, %g, 16; cvt.u64.u32 %i, %g;";
      case 2 ->
          "cvt.u32.u64 %g, %i; add.u32 %g, %g, 16777216; mul24.lo.u32 %g, %g, 1;"
              + " cvt.u64.u32 %i, %g;";
      case 3 ->
          "st.u64 [%d+120], 0; cvt.u16.u64 %w1, %i; st.u8 [%d+121], %w1; ld.u64 %i, [%d+120];"
              + " shr.u64 %i, %i, 8;";
      case 4 -> "st.u32 [%d+120], %g; st.u64 [%d+120], %i; ld.u64 %i, [%d+120];";
      case 5 -> "cvt.u16.u64 %w1, %i; add.u16 %w1, %w1, 256; cvt.u64.u8 %i, %w1;";
      case 6 -> "cvt.u32.u64 %g, %i; mul.hi.u32 %g, %g, -2147483648; mul.wide.u32 %i, %g, 2;";
      case 7 -> "add.s64 %i, %i, 4294967296; cvt.u32.u64 %g, %i; cvt.u64.u32 %i, %g;";
      default -> "";
    };
  }

  private static String bytes() {
    StringBuilder copy = new StringBuilder("st.u64 [%d+80], A; ");
    for (int i = 0; i < 8; i++) {
      copy.append("ld.u8 %w1, [%d+").append(80 + i).append("]; ");
      copy.append("st.u8 [%d+").append(96 + i).append("], %w1; ");
    }
    return copy + "ld.u64 D, [%d+96];";
  }
}
