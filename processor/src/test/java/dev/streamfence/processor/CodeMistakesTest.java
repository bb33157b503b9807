package dev.streamfence.processor;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.streamfence.internal.ptx.syntax.CodeLimits;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Interfaces that their own kernels contradict. */
class CodeMistakesTest {
  /** {@code target[i] = source[i]}, {@code values[i]++}, an untouched one, and a chosen one. */
  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .file 1 "copy.cu"
      .visible .entry copy(.param .u64 source, .param .u64 target, .param .u32 n)
      .maxntid 128, 1, 1
      {
        .reg .b32 %r<2>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [source];
        ld.param.u64 %rd2, [target];
        cvta.to.global.u64 %rd3, %rd1;
        cvta.to.global.u64 %rd4, %rd2;
        .loc 1 7 3
        ld.global.u32 %r1, [%rd3];
        .loc 1 8 3
        st.global.u32 [%rd4], %r1;
        ret;
      }
      .visible .entry increment(.param .u64 values, .param .u32 n)
      {
        .reg .b32 %r<3>;
        .reg .b64 %rd<3>;
        ld.param.u64 %rd1, [values];
        cvta.to.global.u64 %rd2, %rd1;
        ld.global.u32 %r1, [%rd2];
        add.s32 %r2, %r1, 1;
        st.global.u32 [%rd2], %r2;
        ret;
      }
      .visible .entry scale(.param .f32 factor, .param .u64 values)
      {
        .reg .f32 %f<4>;
        .reg .b64 %rd<3>;
        ld.param.f32 %f1, [factor];
        ld.param.u64 %rd1, [values];
        cvta.to.global.u64 %rd2, %rd1;
        ld.global.f32 %f2, [%rd2];
        mul.f32 %f3, %f1, %f2;
        st.global.f32 [%rd2], %f3;
        ret;
      }
      .visible .entry choose(.param .u64 a, .param .u64 b, .param .u32 n)
      {
        .reg .pred %p<2>;
        .reg .b32 %r<3>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [a];
        ld.param.u64 %rd2, [b];
        ld.param.u32 %r1, [n];
        setp.eq.u32 %p1, %r1, 3;
        selp.b64 %rd3, %rd1, %rd2, %p1;
        cvta.to.global.u64 %rd4, %rd3;
        mov.u32 %r2, 1;
        st.global.u32 [%rd4], %r2;
        ret;
      }
      """;

  /** Puts an address together from bits of {@code a}, in {@code %rd2}, in two lines. */
  private static final String VOTED_ADDRESS =
      "ld.param.u64 %rd1, [a]; cvt.u32.u64 %r1, %rd1; setp.ne.s32 %p1, %r1, 0;\n"
          + "vote.sync.ballot.b32 %r3, %p1, -1; cvt.u64.u32 %rd2, %r3;\n";

  @TempDir private Path folder;

  private Mistakes mistakes(String members) {
    return mistakesWith(PTX.getBytes(UTF_8), members);
  }

  private Mistakes mistakesWith(byte[] code, String members) {
    return Mistakes.in(
        Resources.in(folder).with("k/k.ptx", code),
        Sources.importing("@KernelModule(\"k/k.ptx\")\n" + members));
  }

  /** Mistakes that are reported on the name of the resource. */
  private Mistakes mistakesOfResource(byte[] code) {
    return Mistakes.in(
        Resources.in(folder).with("k/k.ptx", code),
        Sources.importing(
            "@KernelModule(«\"k/k.ptx\")\n" + kernels("@Kernel void run(@ThreadCount int n);")));
  }

  private static String kernels(String members) {
    return "interface Kernels {\n" + members + "\n}\n";
  }

  @Test
  void anInterfaceThatAgreesWithItsCodeHasNoMistake() {
    mistakes(
            kernels(
                """
                @Kernel(blockSize = 128)
                void copy(@Reads DeviceArray<int[]> from, @Writes DeviceArray<int[]> to, @ThreadCount int n);
                @Kernel
                void increment(@ReadWrites DeviceArray<int[]> values, @ThreadCount int n);
                @Kernel
                void scale(float factor, @ReadWrites DeviceArray<float[]> values, LaunchShape shape);
                """))
        .areNoneAtAll();
  }

  @Test
  void theLauncherCarriesTheHashOfTheCodeThatWasCompared() throws Exception {
    String hash =
        HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(PTX.getBytes(UTF_8)));
    String kernel = "@Kernel void increment(@ReadWrites DeviceArray<int[]> v, @ThreadCount int n);";
    assertThat(mistakes(kernels(kernel)).launcher()).contains("\"" + hash + "\"");
  }

  /** A kernel that adds 1 to the first element of the first array of a table. */
  private static final String TABLE =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .file 1 "bump.cu"
      .visible .entry bump(.param .u64 columns, .param .u32 n)
      {
        .reg .b32 %r<3>;
        .reg .b64 %rd<5>;
        ld.param.u64 %rd1, [columns];
        cvta.to.global.u64 %rd2, %rd1;
        ld.global.u64 %rd3, [%rd2];
        cvta.to.global.u64 %rd4, %rd3;
        ld.global.u32 %r1, [%rd4];
        add.s32 %r2, %r1, 1;
        .loc 1 5 3
        st.global.u32 [%rd4], %r2;
        ret;
      }
      """;

  @ParameterizedTest
  @ValueSource(strings = {"DeviceArray<int[]>[]", "java.util.List<? extends DeviceArray<?>>"})
  void aTableIsComparedByTheAccessesToItsArrays(String type) {
    byte[] code = TABLE.getBytes(UTF_8);
    mistakesWith(
            code, kernels("@Kernel void bump(@ReadWrites " + type + " v, @ThreadCount int n);"))
        .areNoneAtAll();
    mistakesWith(code, kernels("@Kernel void bump(@Reads " + type + " «v, @ThreadCount int n);"))
        .are(
            Problem.STORES_THROUGH_READS,
            "parameter 'v' of bump is @Reads, but the kernel stores to its arrays: st.global.u32 in"
                + " line 16 of k/k.ptx, bump.cu:5; declare @ReadWrites");
    mistakesWith(code, kernels("@Kernel void bump(" + type + " «v, @ThreadCount int n);"))
        .are(
            Problem.MISSING_ACCESS,
            "parameter 'v' of bump needs @Reads, @Writes or @ReadWrites; its code says"
                + " @ReadWrites");
  }

  @Test
  void aStoreToTheTableItselfIsReported() {
    byte[] code =
        TABLE.replace("st.global.u32 [%rd4], %r2", "st.global.u64 [%rd2], %rd3").getBytes(UTF_8);
    mistakesWith(
            code,
            kernels("@Kernel void bump(@ReadWrites DeviceArray<?>[] «v, @ThreadCount int n);"))
        .are(
            Problem.STORES_TO_TABLE,
            "parameter 'v' of bump is a table of arrays, but the kernel stores to the table itself:"
                + " st.global.u64 in line 16 of k/k.ptx, bump.cu:5; the table is the launcher's, so"
                + " store to an array of its own");
  }

  @Test
  void anArrayThatIsDeclaredAsATableIsReported() {
    mistakes(
            kernels(
                "@Kernel(blockSize = 128) void copy(@Reads DeviceArray<int[]>[] «from,"
                    + " @Writes DeviceArray<int[]> to, @ThreadCount int n);"))
        .are(
            Problem.NO_TABLE,
            "parameter 'from' of copy is a table of arrays, but the kernel takes no address from it:"
                + " ld.global.u32 in line 15 of k/k.ptx, copy.cu:7; take a DeviceArray");
  }

  @Test
  void aTableInARecordIsComparedByItsName() {
    mistakesWith(
            TABLE.getBytes(UTF_8),
            "interface Kernels {\n@Kernel void bump(Batch «batch, @ThreadCount int n);\n}\n"
                + "record Batch(@Writes DeviceArray<int[]>[] columns) {}\n")
        .are(
            Problem.LOADS_THROUGH_WRITES,
            "parameter 'batch.columns' of bump is @Writes, but the kernel loads from its arrays:"
                + " ld.global.u32 in line 13 of k/k.ptx; declare @ReadWrites");
  }

  @Test
  void unseenCodeIsReportedOnce() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k/k.ptx\")\n"
                    + kernels(
                        "@Kernel void a(@ThreadCount int n);\n@Kernel void b(@ThreadCount int n);")))
        .say("[" + Problem.UNSEEN_MODULE.id() + "] k/k.ptx is not visible to the compiler");
  }

  @Test
  void aMissingEntryIsReportedWithTheExistingOnes() {
    mistakes(kernels("@Kernel void «missing(@ThreadCount int n);"))
        .are(
            Problem.NO_SUCH_ENTRY,
            "k/k.ptx: the code has no entry missing; it has copy, increment, scale, choose");
  }

  @Test
  void aWrongNumberOfParametersIsReportedWithBothNumbers() {
    mistakes(kernels("@Kernel void «increment(@ThreadCount int n);"))
        .are(
            Problem.PARAMETER_COUNT,
            "increment takes 2 parameters; the interface passes 1; see entry increment in line 20"
                + " of k/k.ptx");
  }

  @Test
  void aWrongParameterSizeIsReportedWithBothSizes() {
    mistakes(
            kernels(
                "@Kernel void increment(@ReadWrites DeviceArray<int[]> v, @ThreadCount long «n);"))
        .are(
            Problem.PARAMETER_SIZE,
            "parameter 'n' of increment has 8 bytes; parameter 2 of the kernel has 4; see entry"
                + " increment in line 20 of k/k.ptx");
  }

  @Test
  void anIntegerForAFractionIsReported() {
    mistakes(
            kernels(
                "@Kernel void scale(int «f, @ReadWrites DeviceArray<float[]> v, LaunchShape s);"))
        .are(
            Problem.PARAMETER_KIND,
            "parameter 'f' of scale is an int; parameter 1 of the kernel is a floating-point number;"
                + " see entry scale in line 31 of k/k.ptx");
  }

  @Test
  void aBlockSizeThatTheCodeDoesNotAllowIsReportedWithBothSizes() {
    mistakes(
            kernels(
                "@Kernel void «copy(@Reads DeviceArray<int[]> a, @Writes DeviceArray<int[]> b,"
                    + " @ThreadCount int n);"))
        .are(
            Problem.BLOCK_SIZE_OF_CODE,
            "copy is launched with 256 threads per block; the kernel allows 128; see entry copy in"
                + " line 5 of k/k.ptx");
  }

  @Test
  void aThreadCountCannotHaveTheRequiredBlockOfSeveralDimensions() {
    String square =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".visible .entry square(.param .u32 n)\n.reqntid 16, 16, 1\n{ ret; }\n";
    mistakesWith(
            square.getBytes(UTF_8),
            kernels("@Kernel(blockSize = «256) void square(@ThreadCount int n);"))
        .are(
            Problem.BLOCK_SIZE_OF_CODE,
            "square is launched with 256 threads per block; the kernel allows exactly 16 x 16 x 1;"
                + " see entry square in line 4 of k/k.ptx");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "«{16, 8}  | 16 x 8 x 1  | LaunchShape s      | exactly 16 x 16 x 1 | .reqntid 16, 16",
        "«{16, 16} | 16 x 16 x 1 | LaunchShape s      | 128                 | .maxntid 128",
        "«256      | 256 x 1 x 1 | @ThreadCount int n | exactly 128 x 1 x 1 | .reqntid 128",
      })
  void aRequiredBlockThatTheCodeDoesNotAllowIsReportedOnIt(
      String block, String required, String parameter, String allowed, String directive) {
    String ptx =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry tile("
            + (parameter.contains("int") ? ".param .u32 n" : "")
            + ")\n"
            + directive
            + "\n{ ret; }\n";
    mistakesWith(
            ptx.getBytes(UTF_8),
            kernels("@Kernel(requiredBlock = " + block + ") void tile(" + parameter + ");"))
        .are(
            Problem.BLOCK_SIZE_OF_CODE,
            "tile requires blocks of "
                + required
                + " threads; the kernel allows "
                + allowed
                + "; see entry tile in line 4 of k/k.ptx");
  }

  @Test
  void anAutomaticBlockSizeIsRefusedForATile() {
    String sum =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry sum(.param .u32 n)
        {
          .shared .align 4 .b8 _ZZ3sumE4tile[1024];
          .reg .b32 %r<6>;
          mov.u32 %r1, %tid.x;
          mov.u32 %r2, %ntid.x;
          shl.b32 %r3, %r1, 2;
          mov.u32 %r4, _ZZ3sumE4tile;
          add.s32 %r5, %r4, %r3;
          st.shared.u32 [%r5], %r1;
          ret;
        }
        """;
    mistakesWith(
            sum.getBytes(UTF_8),
            kernels("@Kernel(blockSize = Kernel«.AUTO) void sum(@ThreadCount int n);"))
        .are(
            Problem.ONE_BLOCK_SIZE,
            "sum has an automatic block size, but its code is written for one: st.shared.u32 in"
                + " line 13 of k/k.ptx (the address in shared memory 'tile' is computed from"
                + " %tid); give that blockSize");
  }

  /** A kernel without effects, apart from these instructions. */
  private static byte[] kernel(String instructions) {
    return """
        .version 8.0
        .target sm_90a
        .address_size 64
        .extern .shared .align 4 .b8 room[];
        .visible .entry k(.param .u32 n)
        {
          .shared .align 4 .b8 tile[512];
          .reg .b32 %%r<6>;
          .reg .b64 %%rd<6>;
          %s
          ret;
        }
        """
        .formatted(instructions)
        .getBytes(UTF_8);
  }

  @Test
  void aGridBarrierWithoutCooperationIsRefused() {
    mistakesWith(
            kernel(
                "mov.u32 %r1, %envreg1; cvt.u64.u32 %rd1, %r1; add.s64 %rd2, %rd1, 4;"
                    + " atom.add.release.gpu.u32 %r2, [%rd2], 1;"),
            kernels("@Kernel void «k(@ThreadCount int n);"))
        .are(
            Problem.GRID_BARRIER,
            "k is not cooperative, but the kernel waits for its whole grid: atom.add.release.gpu.u32"
                + " in line 10 of k/k.ptx; add cooperative = true to @Kernel");
  }

  @Test
  void dynamicSharedMemoryThatALaunchLacksIsAWarning() {
    mistakesWith(
            kernel("st.shared.u32 [room], 1;"),
            kernels("@Kernel(blockSize = 128) void «k(@ThreadCount int n);"))
        .areWarning(
            Problem.NO_DYNAMIC_SHARED,
            "k has no dynamic shared memory, but the kernel uses it: st.shared.u32 in line 10 of"
                + " k/k.ptx; give dynamicSharedBytes in @Kernel, or take a @DynamicSharedBytes int");
  }

  @Test
  void clustersWithoutASizeAreAWarning() {
    mistakesWith(kernel("barrier.cluster.arrive;"), kernels("@Kernel void «k(@ThreadCount int n);"))
        .areWarning(
            Problem.NO_CLUSTER,
            "k is launched in clusters of one block, but the kernel uses clusters:"
                + " barrier.cluster.arrive in line 10 of k/k.ptx; compile it with __cluster_dims__,"
                + " which says how large they are");
  }

  @Test
  void warpGroupsThatABlockDoesNotFillAreAWarning() {
    mistakesWith(
            kernel("setmaxnreg.dec.sync.aligned.u32 40;"),
            kernels("@Kernel(blockSize = «192) void k(@ThreadCount int n);"))
        .areWarning(
            Problem.WARP_GROUPS,
            "k is launched with 192 threads per block; the kernel takes warp groups of 128 threads:"
                + " setmaxnreg.dec.sync.aligned.u32 in line 10 of k/k.ptx; give a block of a multiple"
                + " of that");
  }

  @Test
  void aBlockThatLeavesATileIsRefused() {
    mistakesWith(
            kernel(
                "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile;"
                    + " add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;"),
            kernels("@Kernel(requiredBlock = {16, 16}) void k(int n, LaunchShape shape);"))
        .areNoneAtAll();
    mistakesWith(
            kernel(
                "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile;"
                    + " add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;"),
            kernels("@Kernel(blockSize = «256) void k(@ThreadCount int n);"))
        .are(
            Problem.TILE_SIZE,
            "k: thread 128 of a block of 256 accesses byte 512 of the shared array 'tile', which has"
                + " 512 bytes: st.shared.u32 in line 10 of k/k.ptx; give a block that the array is"
                + " made for");
  }

  @Test
  void anAutomaticBlockSizeIsRefusedForBlocksOfSeveralDimensions() {
    String square =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".visible .entry square(.param .u32 n)\n.reqntid 16, 16, 1\n{ ret; }\n";
    mistakesWith(
            square.getBytes(UTF_8),
            kernels("@Kernel(blockSize = Kernel«.AUTO) void square(@ThreadCount int n);"))
        .are(
            Problem.BLOCK_SIZE_OF_CODE,
            "square is launched with blocks of one dimension; the kernel allows exactly 16 x 16 x"
                + " 1; see entry square in line 4 of k/k.ptx");
  }

  @Test
  void aStructureForANumberIsReported() {
    mistakes(
            kernels(
                "record Pair(short x, short y) {}\n"
                    + "@Kernel void scale(Pair «pair, @ReadWrites DeviceArray<float[]> v,"
                    + " LaunchShape s);"))
        .are(
            Problem.PARAMETER_KIND,
            "parameter 'pair' of scale is a structure; parameter 1 of the kernel is a floating-point"
                + " number; see entry scale in line 31 of k/k.ptx");
  }

  @Test
  void aMissingEntryIsReportedOnTheNameInTheAnnotation() {
    mistakes(kernels("@Kernel(«\"copi\") void copy(@ThreadCount int n);"))
        .are(
            Problem.NO_SUCH_ENTRY,
            "k/k.ptx: the code has no entry copi; it has copy, increment, scale, choose");
  }

  @Test
  void onlyAFewOfManyEntriesAreNamed() {
    StringBuilder many = new StringBuilder(".version 7.0\n.target sm_75\n.address_size 64\n");
    for (int i = 0; i < 100; i++) {
      many.append(".visible .entry e").append(i).append("() { ret; }\n");
    }
    mistakesWith(
            many.toString().getBytes(UTF_8), kernels("@Kernel void «missing(@ThreadCount int n);"))
        .are(
            Problem.NO_SUCH_ENTRY,
            "k/k.ptx: the code has no entry missing; it has e0, e1, e2, e3, e4, e5, e6, e7 and"
                + " 92 more");
  }

  @Test
  void aStoreThroughReadsIsReportedWithItsLine() {
    mistakes(kernels("@Kernel void increment(@Reads DeviceArray<int[]> «v, @ThreadCount int n);"))
        .are(
            Problem.STORES_THROUGH_READS,
            "parameter 'v' of increment is @Reads, but the kernel stores to it: st.global.u32 in line"
                + " 28 of k/k.ptx;"
                + " declare @ReadWrites");
  }

  @Test
  void aLoadThroughWritesIsReportedWithItsLine() {
    mistakes(kernels("@Kernel void increment(@Writes DeviceArray<int[]> «v, @ThreadCount int n);"))
        .are(
            Problem.LOADS_THROUGH_WRITES,
            "parameter 'v' of increment is @Writes, but the kernel loads from it: ld.global.u32 in line"
                + " 26 of k/k.ptx;"
                + " declare @ReadWrites");
  }

  @Test
  void theSourceLineIsReportedWhereThePtxHasIt() {
    mistakes(
            kernels(
                "@Kernel(blockSize = 64) void copy(@Writes DeviceArray<int[]> «a,"
                    + " @Reads DeviceArray<int[]> «b, @ThreadCount int n);"))
        .say("line 15 of k/k.ptx, copy.cu:7;", "line 17 of k/k.ptx, copy.cu:8;");
  }

  @Test
  void anArrayThatIsNeverStoredToIsReported() {
    mistakes(
            kernels(
                "@Kernel(blockSize = 64) void copy(@ReadWrites DeviceArray<int[]> a,"
                    + " @ReadWrites DeviceArray<int[]> b, @ThreadCount int n);"))
        .say("[" + Problem.NEEDLESS_WRITE.id() + "] parameter 'a' of copy is @ReadWrites");
    String untouched =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".visible .entry idle(.param .u64 a) { ret; }\n";
    mistakesWith(
            untouched.getBytes(UTF_8),
            kernels("@Kernel void idle(@Writes DeviceArray<int[]> «a, LaunchShape s);"))
        .are(
            Problem.NEVER_STORED,
            "parameter 'a' of idle is @Writes, but the kernel never stores to it; declare @Reads, or"
                + " pass the array that it stores to; see entry idle in line 4 of k/k.ptx");
  }

  @Test
  void aNeedlessDeclarationOfWritingIsAWarning() {
    mistakes(
            kernels(
                "@Kernel(blockSize = 64) void copy(@ReadWrites DeviceArray<int[]> «a,"
                    + " @Writes DeviceArray<int[]> b, @ThreadCount int n);"))
        .areWarning(
            Problem.NEEDLESS_WRITE,
            "parameter 'a' of copy is @ReadWrites, but the kernel only loads from it; declare @Reads,"
                + " so that launches can run side by side; see entry copy in line 5 of k/k.ptx");
  }

  @Test
  void anArrayOfWiderElementsThanTheKernelsWordsIsAWarning() {
    String negate =
        """
        .version 7.0
        .target sm_75
        .address_size 64
        .visible .entry negate(.param .u64 x, .param .u64 n)
        {
          .reg .b32 %r<3>;
          .reg .b64 %rd<4>;
          ld.param.u64 %rd1, [x];
          mov.u32 %r1, %tid.x;
          mul.wide.u32 %rd2, %r1, 4;
          add.s64 %rd3, %rd1, %rd2;
          ld.global.u32 %r2, [%rd3];
          st.global.u32 [%rd3], %r2;
          ret;
        }
        .file 1 "negate.cu"
        """;
    String kernel = "@Kernel%s void negate(@ReadWrites DeviceArray<%s[]> «x, @ThreadCount long n);";
    mistakesWith(negate.getBytes(UTF_8), kernels(kernel.formatted("", "double")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'x' of negate is double[], whose elements have 8 bytes, but the kernel only"
                + " touches words of 4 bytes at a stride of 4: ld.global.u32 in line 12 of k/k.ptx;"
                + " take a DeviceArray<int[]> or DeviceArray<float[]>");
    String floats =
        negate
            .replace(".reg .b32", ".reg .f32 %f1; .reg .b32")
            .replace("u32 %r2, [", "f32 %f1, [")
            .replace("u32 [%rd3], %r2", "f32 [%rd3], %f1");
    mistakesWith(floats.getBytes(UTF_8), kernels(kernel.formatted("", "double")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'x' of negate is double[], whose elements have 8 bytes, but the kernel only"
                + " touches words of 4 bytes at a stride of 4: ld.global.f32 in line 12 of k/k.ptx;"
                + " take a DeviceArray<float[]>");
    for (String fitting : new String[] {"float", "int", "short", "byte"}) {
      mistakesWith(negate.getBytes(UTF_8), kernels(kernel.formatted("", fitting).replace("«", "")))
          .areNoneAtAll();
    }
    mistakesWith(
            negate.getBytes(UTF_8),
            kernels(
                kernel
                    .formatted(" @SuppressWarnings(\"streamfence:ElementWidth\")", "double")
                    .replace("«", "")))
        .areNoneAtAll();
  }

  @Test
  void aNumberThatBecomesAnAddressIsReported() {
    mistakes(kernels("@Kernel void increment(long «v, @ThreadCount int n);"))
        .are(
            Problem.NUMBER_AS_ADDRESS,
            "parameter 'v' of increment is passed by value, but the kernel uses it as an address:"
                + " ld.global.u32 in line 26 of k/k.ptx; take a DeviceArray");
  }

  private static final String SCATTER =
      """
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      mov.u32 %r1, %tid.x;
      mul.wide.u32 %rd3, %r1, 4;
      add.s64 %rd4, %rd1, %rd3;
      ld.global.u32 %r2, [%rd4];
      mul.wide.u32 %rd5, %r2, 4;
      add.s64 %rd6, %rd2, %rd5;
      st.global.u32 [%rd6], %r1;""";

  /** The same, with the index of the thread in the grid. */
  private static final String OWN_SCATTER =
      SCATTER.replace(
          "mov.u32 %r1, %tid.x;",
          "mov.u32 %r3, %tid.x;\nmov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;"
              + "\nmad.lo.s32 %r1, %r4, %r5, %r3;");

  @Test
  void boundsThatTheCodeDoesNotShowAreAnErrorWhereTheyAreRequired() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", SCATTER);
    String declared =
        "@Kernel%s void run(@Reads DeviceArray<int[]> a, @Trusted(\"any of them\") @Writes DeviceArray<int[]> %sb,"
            + " @ThreadCount int n);";

    mistakesWith(code, kernels(declared.formatted("(bounds = Bounds.REQUIRED)", "«")))
        .are(
            Problem.UNPROVED_BOUNDS,
            "parameter 'b' of run has no provable bounds: the index is a value that the kernel"
                + " loads or receives, and nothing limits it from above: st.global.u32 in line 14 of"
                + " k/k.ptx;"
                + " limit the index by a comparison with a number of the launch, declare the limit of"
                + " numbers that are loaded as @Reads(below = ...), or remove bounds ="
                + " Bounds.REQUIRED");
    mistakesWith(code, kernels(declared.formatted("", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("(bounds = Bounds.CHECKED)", ""))).areNoneAtAll();
  }

  @Test
  void anOptionListsTheBoundsOfEachArray() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", SCATTER);
    String source =
        kernels(
            "@Kernel void run(@Reads DeviceArray<int[]> a, @Trusted(\"any of them\") @Writes DeviceArray<int[]> b,"
                + " @ThreadCount int n);");

    Mistakes.in(
            Resources.in(folder).with("k/k.ptx", code),
            List.of("-Astreamfence.bounds"),
            Sources.importing("@KernelModule(\"k/k.ptx\")\n" + source))
        .say(
            "bounds of run: 'a' provable and checked at launch; 'b' unknown (the index is a value"
                + " that the kernel loads or receives, and nothing limits it from above); races: threads"
                + " conflict if numbers in 'a' are equal ('b')");
    assertThat(mistakesWith(code, source).launcher())
        .contains("<p>Bounds: 'a' provable and checked at launch; 'b' unknown")
        .contains("<p>Races: threads conflict if numbers in 'a' are equal ('b').");
  }

  @Test
  void numbersThatMayBeEqualAreAWarningUnlessTheyAreDeclaredToBeDistinct() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", OWN_SCATTER);
    String declared =
        "@Kernel%s void run(@Reads%s DeviceArray<int[]> a, %s @Writes DeviceArray<int[]> %sb,"
            + " @ThreadCount int n);";
    String what =
        "two threads access the same bytes of 'b' if numbers in 'a' are equal; both make the same"
            + " access: st.global.u32 in line 17 of k/k.ptx; ";

    mistakesWith(code, kernels(declared.formatted("", "", "", "«")))
        .areWarning(
            Problem.DATA_DEPENDENT_RACE,
            "run: "
                + what
                + "use atomic operations, or declare the numbers as @Reads(distinct = true) if they"
                + " are, or add @Trusted(\"reason\") to the array");
    mistakesWith(code, kernels(declared.formatted("", "", "@Trusted(\"last one wins\")", "")))
        .areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("(races = Races.REFUSED)", "", "", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races: "
                + what
                + "declare what is known of the numbers, as @Reads(distinct = true) or"
                + " @Reads(below = ...), or remove races = Races.REFUSED");
    Mistakes distinct =
        mistakesWith(
            code,
            kernels(declared.formatted("(races = Races.REFUSED)", "(distinct = true)", "", "")));
    distinct.areNoneAtAll();
    assertThat(distinct.launcher())
        .contains(".reads(\"a\", int[].class).distinct()")
        .contains(
            "<p>Races: no two threads of a launch conflict if the numbers in 'a' are as declared");
  }

  @Test
  void numbersWithADeclaredLimitKeepThreadsInTheirRows() {
    String inOwnRow =
        OWN_SCATTER.replace(
            "mul.wide.u32 %rd5, %r2, 4;",
            "ld.param.u32 %r6, [n];\nmad.lo.s32 %r7, %r1, %r6, %r2;\nmul.wide.s32 %rd5, %r7, 4;");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", inOwnRow);
    String declared =
        "@Kernel(races = Races.REFUSED) void run(@Reads%s DeviceArray<int[]> a,"
            + " @Writes DeviceArray<int[]> b, @ThreadCount int n);";

    Mistakes limited = mistakesWith(code, kernels(declared.formatted("(below = \"n\")")));
    limited.areNoneAtAll();
    assertThat(limited.launcher())
        .contains(
            "<p>Races: no two threads of a launch conflict if the numbers in 'a' are as declared");
    assertThat(mistakesWith(code, kernels(declared.formatted("(atMost = \"n\")"))).ids())
        .containsExactly("ERROR [UnprovedRaces]");
    // A proof that does not need the limit has no condition.
    String own = OWN_SCATTER.replace("%rd2, %rd5", "%rd2, %rd3");
    byte[] plain = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", own);
    assertThat(mistakesWith(plain, kernels(declared.formatted("(below = \"n\")"))).launcher())
        .contains("<p>Races: no two threads of a launch conflict.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"DeviceArray<float[]>", "DeviceArray<char[]>", "DeviceArray<int[]>[]"})
  void onlyArraysOfWholeNumbersAreDistinct(String type) {
    Mistakes.inKernels(
            "@Kernel void run(@Reads(distinct = «true) " + type + " x, @ThreadCount int n);")
        .are(
            Problem.NOT_WHOLE,
            "'x' is " + type + "; remove distinct, which is for arrays of whole numbers");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "below = \"b\", least = -1 | negative | ",
        "atMost = \"b\" | beyond the array | ",
        "below = \"b\", least = -1 | negative | guarded",
        "atMost = \"b\" | beyond the array | guarded",
      })
  void aLimitThatLeavesTheArrayProvesNothing(String limit, String where, String guarded) {
    String guard =
        guarded == null
            ? ""
            : "ld.param.u32 %r9, [n];\nsetp.ge.s32 %p1, %r1, %r9;\n@%p1 bra END;\n";
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u64 b, .param .u32 n",
            SCATTER
                    .replace("mul.wide.u32 %rd5, %r2, 4;", "mul.wide.s32 %rd5, %r2, 4;")
                    .replace("ld.global.u32 %r2", guard + "ld.global.u32 %r2")
                + "\nEND:");
    String declared =
        "@Kernel%s void run(@Reads(%s) DeviceArray<int[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> %sb, @ThreadCount int n);";
    String reason = "the index may be " + where + " as the numbers in 'a' are declared";

    assertThat(mistakesWith(code, kernels(declared.formatted("", limit, ""))).launcher())
        .contains("'b' unknown (" + reason + ")");
    mistakesWith(code, kernels(declared.formatted("(bounds = Bounds.REQUIRED)", limit, "«")))
        .are(
            Problem.UNPROVED_BOUNDS,
            "parameter 'b' of run has no provable bounds: "
                + reason
                + "; limit the index by a comparison with a number of the launch, declare the limit"
                + " of numbers that are loaded as @Reads(below = ...), or remove bounds ="
                + " Bounds.REQUIRED");
  }

  @Test
  void numbersWithADeclaredLimitProveBoundsUnderThatCondition() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", SCATTER);
    String declared =
        "@Kernel(bounds = Bounds.REQUIRED) void run(@Reads(%s) DeviceArray<int[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> b, @ThreadCount int n);";
    String proved = "'b' provable if the numbers in 'a' are as declared";

    Mistakes below = mistakesWith(code, kernels(declared.formatted("below = \"b\"")));
    below.areNoneAtAll();
    assertThat(below.launcher())
        .contains(".reads(\"a\", int[].class).below(\"b\")\n")
        .contains("<p>Bounds: 'a' provable and checked at launch; " + proved);
    Mistakes both =
        mistakesWith(code, kernels(declared.formatted("below = {\"b\", \"n\"}, atMost = \"a\"")));
    both.areNoneAtAll();
    assertThat(both.launcher())
        .contains(".reads(\"a\", int[].class).below(\"b\").below(\"n\").atMost(\"a\")");
  }

  @Test
  void aProofNamesOnlyTheNumbersThatItNeeds() {
    String twice =
        SCATTER
            + """

            ld.param.u64 %rd7, [c];
            ld.param.u64 %rd8, [d];
            add.s64 %rd4, %rd7, %rd3;
            ld.global.u32 %r2, [%rd4];
            mul.wide.u32 %rd5, %r2, 4;
            add.s64 %rd6, %rd8, %rd5;
            st.global.u32 [%rd6], %r1;""";
    String parameters = ".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d, .param .u32 n";
    String declared =
        "@Kernel(bounds = Bounds.REQUIRED) void run(@Reads(below = \"b\") DeviceArray<int[]> a,"
            + " @Trusted(\"any\") @Writes DeviceArray<int[]> b,"
            + " @Reads(below = \"d\") dev.streamfence.column.DeviceColumn<int[]> c,"
            + " @Trusted(\"any\") @Writes dev.streamfence.column.DeviceColumn<int[]> d, @ThreadCount int n);";
    Mistakes mistakes = mistakesWith(kernel("sm_75", parameters, twice), kernels(declared));
    mistakes.areNoneAtAll();
    assertThat(mistakes.launcher())
        .contains(
            "'b' provable if the numbers in 'a' are as declared",
            "'d' provable if the numbers in 'c' are as declared");
  }

  @Test
  void aLimitOfAnArrayToWhichTheKernelMayStoreDoesNotCount() {
    String either =
        SCATTER.replace(
            "add.s64 %rd6, %rd2, %rd5;",
            "setp.eq.s32 %p1, %r1, 0; selp.b64 %rd7, %rd1, %rd2, %p1; add.s64 %rd6, %rd7, %rd5;"
                + " add.s64 %rd8, %rd2, %rd5; st.global.u32 [%rd8], %r1;");
    Mistakes mistakes =
        mistakesWith(
            kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", either),
            kernels(
                "@Kernel void run(@Trusted(\"never\") @Reads(below = \"b\") DeviceArray<int[]> a,"
                    + " @Trusted(\"any\") @Writes DeviceArray<int[]> b, @ThreadCount int n);"));
    assertThat(mistakes.launcher().replaceAll("\\s+(\\* )?", " "))
        .contains(
            "'b' unknown (the index is a value that the kernel loads from an array to which it may"
                + " store, so the declared limit of its numbers does not count");
  }

  @Test
  void aLimitThatIsMissingIsReportedWithTheFirstOfManyNames() {
    Mistakes.inKernels(
            "@Kernel void run(@Reads(below = «\"m\") DeviceArray<int[]> x, int a, int b, int c,"
                + " int d, int e, int f, int g, int h, @ThreadCount int n);")
        .are(
            Problem.UNKNOWN_LIMIT,
            "'x' has numbers below 'm', which is neither an array nor a whole number of run; name"
                + " one of 'x', 'a', 'b', 'c', 'd', 'e', 'f', 'g' and 2 more");
  }

  @Test
  void aProofThatOnlyTheLimitMakesNarrowEnoughNamesTheCondition() {
    // A byte is at most 255 without a declaration.
    String bytes =
        SCATTER
            .replace("mul.wide.u32 %rd3, %r1, 4;", "cvt.u64.u32 %rd3, %r1;")
            .replace("ld.global.u32 %r2", "ld.global.u8 %r2");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", bytes);
    String declared =
        "@Kernel void run(@Reads%s DeviceArray<byte[]> a,"
            + " @Trusted(\"any of them\") @Writes DeviceArray<int[]> b, @ThreadCount int n);";
    assertThat(mistakesWith(code, kernels(declared.formatted("(below = \"n\")"))).launcher())
        .contains("'b' provable if the numbers in 'a' are as declared");
    assertThat(mistakesWith(code, kernels(declared.formatted(""))).launcher())
        .contains("'b' provable.");
  }

  @Test
  void theLeastNumberBelongsToALimit() {
    Mistakes limited =
        Mistakes.inKernels(
            "@Kernel void run(@Reads(below = \"n\", least = -1) DeviceArray<int[]> x,"
                + " @Reads(atMost = \"n\", least = -5_000_000_000L) DeviceArray<long[]> y,"
                + " @ThreadCount int n);");
    assertThat(limited.launcher())
        .contains(".below(\"n\").least(-1)", ".atMost(\"n\").least(-5000000000L)");
    Mistakes needless =
        Mistakes.inKernels(
            "@Kernel void run(@Reads(least = «-1) DeviceArray<int[]> x, @ThreadCount int n);");
    needless.areWarning(
        Problem.NEEDLESS_LEAST,
        "'x' declares least, but neither below nor atMost; remove least, or name the limit");
    // A warning does not cost the launcher.
    assertThat(needless.launcher()).contains(".reads(\"x\", int[].class)");
  }

  @Test
  void componentsOfARecordLimitEachOther() {
    Mistakes mistakes =
        Mistakes.inKernels(
            "record Rows(@Reads(atMost = \"values\") DeviceArray<int[]> ends,"
                + " @Reads(below = \"n\") DeviceArray<long[]> columns,"
                + " @Reads DeviceArray<float[]> values) {}"
                + " @Kernel void run(Rows rows, @ThreadCount int n);");
    assertThat(mistakes.launcher())
        .contains(
            ".reads(\"ends\", int[].class).atMost(\"values\")",
            ".reads(\"columns\", long[].class).below(\"n\")");
  }

  @ParameterizedTest
  @CsvSource({
    "DeviceArray<float[]>, below = «\"x\", below",
    "DeviceArray<char[]>, atMost = «\"n\", atMost",
    "DeviceArray<int[]>[], below = «\"n\", below"
  })
  void onlyWholeNumbersHaveLimits(String type, String limit, String attribute) {
    Mistakes.inKernels(
            "@Kernel void run(@Reads(" + limit + ") " + type + " x, @ThreadCount int n);")
        .are(
            Problem.NOT_WHOLE,
            "'x' is " + type + "; remove " + attribute + ", which is for arrays of whole numbers");
  }

  @ParameterizedTest
  @CsvSource({
    "below = «\"other\", below 'other'",
    "atMost = «\"\", at most ''",
    "below = «\"factor\", below 'factor'",
    "below = «\"all\", below 'all'"
  })
  void aLimitIsALengthOrAWholeNumber(String limit, String named) {
    Mistakes.inKernels(
            "@Kernel void run(@Reads("
                + limit
                + ") DeviceArray<int[]> x, float factor, @Reads DeviceArray<int[]>[] all,"
                + " @ThreadCount int n);")
        .are(
            Problem.UNKNOWN_LIMIT,
            "'x' has numbers "
                + named
                + ", which is neither an array nor a whole number of run; name one of 'x', 'n'");
  }

  @Test
  void arraysAndTablesOfAnotherDeviceAreDeclared() {
    Mistakes peers =
        Mistakes.inKernels(
            "@Kernel void run(@Reads(peer = true, distinct = true) DeviceArray<int[]> a,"
                + " @Writes(peer = true) DeviceArray<int[]>[] all,"
                + " @Trusted(\"why\") @ReadWrites(peer = true) DeviceArray<int[]> b,"
                + " @ReadWrites(peer = false) DeviceArray<int[]> c,"
                + " @ThreadCount int n);");
    assertThat(peers.launcher())
        .contains(
            ".reads(\"a\", int[].class).peer().distinct()",
            ".writes(\"all\", int[][].class).peer()",
            ".readWrites(\"b\", int[].class).trusted().peer()")
        .containsPattern("readWrites\\(\"c\", int\\[].class\\)\\s");
  }

  private static final String SHIFT =
      "ld.param.u64 %rd1, [a]; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;"
          + " mad.lo.s32 %r4, %r1, %r2, %r3; mul.wide.s32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
          + " ld.global.u32 %r5, [%rd3+4];\nst.global.u32 [%rd3], %r5;";

  @Test
  void aTrustedArrayMayHaveRaces() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", SHIFT);
    String declared =
        "@Kernel%s void run(%s @ReadWrites DeviceArray<int[]> %sa, @ThreadCount int n);";
    String what =
        "two threads of one launch access the same bytes of 'a' without an order, whatever the data"
            + " are: st.global.u32 in line 7 of k/k.ptx, and ld.global.u32 in line 6; ";

    mistakesWith(code, kernels(declared.formatted("", "", "«")))
        .areWarning(
            Problem.RACE,
            "run: "
                + what
                + "order them by a barrier or an atomic operation, or add @Trusted(\"reason\") to the"
                + " array");
    mistakesWith(code, kernels(declared.formatted("", "@Trusted(\"one thread\")", "")))
        .areNoneAtAll();
    mistakesWith(
            code, kernels(declared.formatted("(races = Races.REFUSED)", "@Trusted(\"why\")", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races: "
                + what
                + "order them by a barrier or an atomic operation, or remove races ="
                + " Races.REFUSED");
  }

  @Test
  void aKernelWhoseThreadsAreApartMayRefuseRaces() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", SHIFT.replace("+4]", "]"));
    String declared = "@Kernel(%s) void run(@ReadWrites DeviceArray<int[]> a, @ThreadCount int n);";

    mistakesWith(code, kernels(declared.formatted("races = Races.REFUSED"))).areNoneAtAll();
  }

  /**
   * A place in a table of n columns, of which each coordinate is loaded, and a row of the thread.
   */
  private static final String COORDINATES =
      """
      ld.param.u64 %rd1, [a];
      ld.param.u64 %rd2, [b];
      ld.param.u64 %rd3, [c];
      ld.param.u64 %rd4, [out];
      ld.param.u64 %rd5, [own];
      ld.param.u32 %r9, [n];
      mov.u32 %r3, %tid.x;
      mov.u32 %r4, %ctaid.x;
      mov.u32 %r5, %ntid.x;
      mad.lo.s32 %r1, %r4, %r5, %r3;
      mul.wide.s32 %rd6, %r1, 4;
      add.s64 %rd7, %rd1, %rd6;
      ld.global.u32 %r2, [%rd7];
      add.s64 %rd7, %rd2, %rd6;
      ld.global.u32 %r6, [%rd7];
      add.s64 %rd7, %rd3, %rd6;
      ld.global.u32 %r7, [%rd7];
      mad.lo.s32 %r8, %r1, %r9, %r7;
      mul.wide.s32 %rd8, %r8, 4;
      add.s64 %rd9, %rd5, %rd8;
      st.global.u32 [%rd9], 1;
      setp.ge.s32 %p1, %r6, %r9;
      @%p1 bra END;
      setp.lt.s32 %p1, %r6, 0;
      @%p1 bra END;
      mad.lo.s32 %r8, %r2, %r9, %r6;
      mul.wide.s32 %rd8, %r8, 4;
      add.s64 %rd9, %rd4, %rd8;
      st.global.u32 [%rd9], 1;
      END:""";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "distinct = true | | 'a' and 'c'",
        "| distinct = true | 'b' and 'c'",
        "distinct = true | distinct = true | 'a' and 'b' and 'c'",
        "distinct = true | below = \"n\" | 'a' and 'c'",
      })
  void theConditionsOfAProofAreEnoughForIt(String rows, String columns, String conditions) {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u64 b, .param .u64 c, .param .u64 out, .param .u64 own,"
                + " .param .u32 n",
            COORDINATES);
    String declared =
        "@Kernel(races = Races.REFUSED) void run(@Reads%s DeviceArray<int[]> a,"
            + " @Reads%s DeviceArray<int[]> b, @Reads(below = \"n\") DeviceArray<int[]> c,"
            + " @Writes DeviceArray<int[]> out, @Writes DeviceArray<int[]> own, @ThreadCount int n);";
    String first = rows == null ? "" : "(" + rows + ")";
    String second = columns == null ? "" : "(" + columns + ")";

    assertThat(mistakesWith(code, kernels(declared.formatted(first, second))).launcher())
        .contains("conflict if the numbers in " + conditions + " are as declared");
  }

  @Test
  void aProofOfArraysThatMayOverlapNeedsThemApart() {
    String own = OWN_SCATTER.replace("%rd2, %rd5", "%rd2, %rd3");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", own);
    String declared =
        "@Kernel(%sraces = Races.REFUSED) void %srun(@Reads DeviceArray<int[]> a,"
            + " @Writes DeviceArray<int[]> b, @ThreadCount int n);";

    mistakesWith(code, kernels(declared.formatted("", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("mayAlias = true, ", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races: its arrays may overlap; remove mayAlias = true,"
                + " or remove races = Races.REFUSED");
  }

  @Test
  void aRaceOnAVariableOfTheCodeCannotBeTrusted() {
    byte[] shared =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u32 n",
            ".shared .align 4 .b8 _ZZ3runE4tile[1024];\nld.param.u64 %rd1, [a];"
                + " mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, _ZZ3runE4tile;"
                + " add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;\n"
                + "sub.s32 %r5, %r3, %r2; ld.shared.u32 %r6, [%r5+508];"
                + " mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r6;");

    mistakesWith(
            shared,
            kernels(
                "@Kernel(blockSize = 128) void «run(@Writes DeviceArray<int[]> a, @ThreadCount int"
                    + " n);"))
        .areWarning(
            Problem.RACE,
            "run: two threads of one launch access the same bytes of 'tile' without an order,"
                + " whatever the data are: st.shared.u32 in line 7 of k/k.ptx, and ld.shared.u32 in"
                + " line 8; order them by a barrier or an atomic operation");
  }

  @Test
  void aProofForSmallBlocksNeedsADeclaredOne() {
    String index = SHIFT.replace("mov.u32 %r2, %ntid.x", "mov.u32 %r2, 128");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", index.replace("+4]", "]"));
    String declared =
        "@Kernel(races = Races.REFUSED%s) void %srun(@ReadWrites DeviceArray<int[]> a,"
            + " int n, LaunchShape shape);";

    mistakesWith(code, kernels(declared.formatted(", requiredBlock = 128", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("", "«")))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races except in launches with blockDim.x at most 128,"
                + " which no requiredBlock declares; declare one, or remove races = Races.REFUSED");
  }

  @Test
  void aProofForBlocksInXNeedsADeclaredOneWhereTheCodeAsksForTheRank() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 a, .param .u32 n",
            "ld.param.u64 %rd1, [a]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x;"
                + " mov.u32 %r3, %ctaid.x; mad.lo.s32 %r4, %r3, %r2, %r1; mov.u32 %r5, %tid.y;"
                + " mad.lo.s32 %r6, %r5, %r2, %r1; setp.gt.s32 %p1, %r6, 511; @%p1 ret;"
                + " mul.wide.u32 %rd2, %r4, 4; add.s64 %rd3, %rd1, %rd2;"
                + " st.global.u32 [%rd3], %r4;");
    String declared =
        "@Kernel(races = Races.REFUSED%s) void %srun(@Writes DeviceArray<int[]> a, %s);";

    String count = "@ThreadCount int n";
    String shape = "int n, LaunchShape shape";
    mistakesWith(code, kernels(declared.formatted("", "", count))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted(", requiredBlock = 128", "", shape)))
        .areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("", "«", shape)))
        .are(
            Problem.UNPROVED_RACES,
            "run is not proved to be free of races except in launches with blockDim.y = 1, which no"
                + " requiredBlock declares; declare one, or remove races = Races.REFUSED");
  }

  @Test
  void aStoreThroughAnAddressOfUnknownOriginMayBeOneToAnyArray() {
    byte[] code =
        kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + "st.global.u32 [%rd2], 5;");
    String declared = "@Kernel void run(%s DeviceArray<int[]> %sa, @ThreadCount int n);";

    mistakesWith(code, kernels(declared.formatted("@Writes", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("@ReadWrites", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("@Reads", "«")))
        .areWarning(
            Problem.UNCLEAR_ACCESS,
            "parameter 'a' of run is @Reads, but the kernel may store to it: st.global.u32 in line 8"
                + " of k/k.ptx (the origin of its address is unknown); check it, and add"
                + " @Trusted(\"reason\") if it never does");
    byte[] shared =
        kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + "st.shared.u32 [%rd2], 5;");
    mistakesWith(shared, kernels(declared.formatted("@Reads", ""))).areNoneAtAll();
    mistakesWith(
            shared, kernels("@Kernel void run(@Writes DeviceArray<int[]> «a, @ThreadCount int n);"))
        .are(Problem.NEVER_STORED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"st.global.u32 [%rd2], 5;", "ld.global.u32 %r4, [%rd2];"})
  void anAddressOfUnknownOriginMayBeANumberThatHasRoomForOne(String access) {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + access);
    String difference =
        " of run is passed by value, but the kernel may use it as an address: "
            + (access.substring(0, access.indexOf(' '))
                + " in line 8 of k/k.ptx (the origin of its address is unknown)");

    mistakesWith(code, kernels("@Kernel void run(long «a, @ThreadCount int n);"))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'a'" + difference + "; if it is one, take a DeviceArray");
    mistakesWith(
            code, kernels("record Box(long p) {} @Kernel void run(Box «a, @ThreadCount int n);"))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'a.p'" + difference + "; if it is one, make this component a DeviceArray");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "mov.u64 %rd2, 4096;",
        "ld.global.u64 %rd2, [pointer];",
        "ld.const.u64 %rd2, [constants+8];",
        "{ .param .b64 s; .param .b64 r; st.param.b64 [s], 16; call.uni (r), malloc, (s);"
            + " ld.param.b64 %rd2, [r]; }",
      })
  void anAddressThatNoBitsOfNumbersMakeIsNone(String address) {
    byte[] code =
        (".version 7.0\n.target sm_75\n.address_size 64\n.global .u64 pointer; .const .u64"
                + " constants[2]; .extern .func (.param .b64 p) malloc (.param .b64 s);\n"
                + ".visible .entry run(.param .u64 a, .param .u64 b, .param .u32 n)"
                + " { .reg .b32 %r<10>; .reg .b64 %rd<10>; ld.param.u64 %rd1, [a];\n"
                + (address + " ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd2], 5;")
                + " st.global.u32 [%rd1], %r1; ret; }\n")
            .getBytes(UTF_8);

    mistakesWith(
            code,
            kernels("@Kernel void run(@Writes DeviceArray<int[]> a, long b, @ThreadCount int n);"))
        .areNoneAtAll();
  }

  @Test
  void anArrayMayBeLoadedThroughAnAddressOfUnknownOrigin() {
    String both = "st.global.u32 [%rd1], 5; ld.global.u32 %r4, [%rd2];";
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", VOTED_ADDRESS + both);
    String declared = "@Kernel void run(%s DeviceArray<int[]> %sa, @ThreadCount int n);";

    mistakesWith(code, kernels(declared.formatted("@ReadWrites", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("@Trusted(\"no\") @Writes", ""))).areNoneAtAll();
    mistakesWith(code, kernels(declared.formatted("@Writes", "«")))
        .areWarning(
            Problem.UNCLEAR_ACCESS,
            "parameter 'a' of run is @Writes, but the kernel may load from it: ld.global.u32 in line"
                + " 8 of k/k.ptx (the origin of its address is unknown); check it, and add"
                + " @Trusted(\"reason\") if it never does");
  }

  @Test
  void onlyTheAddressOfTheGridsWorkspaceIsKnownToBeNoParameters() {
    String own =
        "ld.param.u64 %rd0, [a]; ld.global.u32 %r0, [%rd0];\n"
            + "mov.u32 %r1, %envreg2; mov.u32 %r2, %envreg1; cvt.u64.u32 %rd1, %r1;"
            + " cvt.u64.u32 %rd2, %r2; bfi.b64 %rd3, %rd2, %rd1, 32, 32;";
    String add = " atom.add.release.gpu.u32 %r3, [%rd4+4], 1;";
    String declared =
        "@Kernel(cooperative = true) void run(@Reads DeviceArray<int[]> %sa, @ThreadCount int n);";

    mistakesWith(
            kernel("sm_75", ".param .u64 a, .param .u32 n", own + " mov.u64 %rd4, %rd3;" + add),
            kernels(declared.formatted("")))
        .areNoneAtAll();
    for (String other :
        List.of(
            "mov.u32 %r4, %tid.x; cvt.u64.u32 %rd5, %r4; add.s64 %rd4, %rd3, %rd5;",
            "mov.u32 %r4, %clock; cvt.u64.u32 %rd4, %r4;",
            "st.global.u64 [%rd3], %rd3; mov.u64 %rd4, %rd3;")) {
      mistakesWith(
              kernel("sm_75", ".param .u64 a, .param .u32 n", own + other + add),
              kernels(declared.formatted("«")))
          .are(Problem.UNCLEAR_ACCESS);
    }
  }

  @Test
  void anArrayOfIntegersWhoseNumbersAreFloatsIsAWarning() {
    String own =
        "ld.param.u64 %rd1, [a]; mov.u32 %r3, %tid.x; mul.wide.s32 %rd2, %r3, 4;"
            + " add.s64 %rd3, %rd1, %rd2;\nld.global.f32 %f1, [%rd3];";
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", ".reg .f32 %f<2>; " + own);
    String declared = "@Kernel void run(@Reads DeviceArray<%s[]> %sa, @ThreadCount int n);";

    mistakesWith(code, kernels(declared.formatted("int", "«")))
        .areWarning(
            Problem.ELEMENT_WIDTH,
            "parameter 'a' of run is int[], but the kernel only touches numbers of type float:"
                + " ld.global.f32 in line 7 of k/k.ptx; take a DeviceArray<float[]>");
    mistakesWith(code, kernels(declared.formatted("float", ""))).areNoneAtAll();
    byte[] bits =
        kernel("sm_75", ".param .u64 a, .param .u32 n", own.replace("f32 %f1", "b32 %r4"));
    mistakesWith(bits, kernels(declared.formatted("float", ""))).areNoneAtAll();
  }

  @ParameterizedTest
  @CsvSource({
    "int,    v2.f32, f, float, false",
    "short,  v2.f32, f, float, false",
    "char,   v2.f32, f, float, false",
    "double, v2.f32, f, float, false",
    "float,  v2.f32, f, float, true",
    "byte,   v2.f32, f, float, true",
    "long,   v2.f32, f, float, true",
    "short,  nc.f32, f, float, false",
    "float,  f64,    fd, double, false",
    "int,    v2.f64, fd, double, false",
    "long,   v2.f64, fd, double, false",
    "double, v2.f64, fd, double, true",
  })
  void anArrayOfOtherNumbersThanTheKernelComputesWithIsAWarning(
      String declared, String type, String register, String numbers, boolean isRight) {
    boolean isVector = type.startsWith("v2");
    String loaded = isVector ? "{%" + register + "1, %" + register + "2}" : "%" + register + "1";
    String plain = type.substring(type.length() - 3);
    String own =
        ".reg .f32 %f<4>; .reg .f64 %fd<4>; ld.param.u64 %rd1, [a]; ld.param.u32 %r4, [n];\n"
            + ("ld.global." + type + " " + loaded + ", [%rd1];\n")
            + ("add." + plain + " %" + register + "3, %" + register + "1, %" + register + "1;");
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u32 n", own);
    String kernel = "@Kernel void run(@Reads DeviceArray<%s[]> %sa, @ThreadCount int n);";

    if (isRight) {
      mistakesWith(code, kernels(kernel.formatted(declared, ""))).areNoneAtAll();
    } else {
      mistakesWith(code, kernels(kernel.formatted(declared, "«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter 'a' of run is "
                  + (declared + "[], but the kernel only touches numbers of type " + numbers)
                  + (": ld.global." + type + " in line 7 of k/k.ptx; take a DeviceArray<")
                  + (numbers + "[]>"));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int x, float y    | ld.global.f32 %f1, [%rd3+4];           | none | none",
        "float x, int y    | ld.global.f32 %f1, [%rd3+4];           | whose component 2 is of type int | float",
        "float x, int y    | ld.global.f32 %f1, [%rd3];             | none | none",
        "float x, float y  | ld.global.v2.f32 {%f1, %f2}, [%rd3];   | none | none",
        "int x, float y    | ld.global.v2.f32 {%f1, %f2}, [%rd3];   | whose component 1 is of type int | float",
        "int x, float y    | ld.global.v2.u32 {%r4, %r5}, [%rd3]; mov.b32 %f1, %r5; | none | none",
        "int x, int y      | ld.global.v2.u32 {%r4, %r5}, [%rd3]; mov.b32 %f1, %r5; | whose component 2 is of type int | float",
        "double x          | ld.global.f32 %f1, [%rd3+4];           | which has no component at byte 4 | float",
        "double x          | ld.global.f32 %f1, [%rd3];             | whose component 1 is of type double | float",
        "float x, float y  | ld.global.f64 %fd1, [%rd3];            | whose component 1 is of type float | double",
        "int x, int y      | st.global.f32 [%rd3-4], %f3;           | whose component 2 is of type int | float",
        "int x, int y      | mov.b32 %r4, %f3; st.global.u32 [%rd3], %r4; | whose component 1 is of type int | float",
        "int x, int y      | red.global.add.f32 [%rd3], %f3;        | whose component 1 is of type int | float",
        "int x, int y      | red.global.add.v2.f32 [%rd3], {%f3, %f3}; | whose component 1 is of type int | float",
        "int x, int y      | ld.global.f32 %f2, [%rd3]; red.shared.add.f32 [0], %f2; | whose component 1 is of type int | float",
        "int x, int y | ld.global.f32 %f2, [%rd3]; cvt.rzi.s32.f32 %r4, %f2; | whose component 1 is of type int | float",
        "int x, int y | cvt.rn.f32.s32 %f1, %r3; st.global.f32 [%rd3], %f1; | whose component 1 is of type int | float",
        // Bytes are any memory, and a long may hold a pair.
        "byte x, byte y, short z, int w | ld.global.f32 %f1, [%rd3]; | none | none",
        "long x            | ld.global.f32 %f1, [%rd3+4];           | none | none",
        // What is converted to a floating-point number is none, and neither is an address.
        "int x, int y | ld.global.u32 %r4, [%rd3]; cvt.rn.f32.s32 %f1, %r4; | none | none",
        "int x, int y | cvt.rzi.s32.f32 %r4, %f2; st.global.u32 [%rd3], %r4; | none | none",
        "short x, short y, int z | ld.global.u16 %h1, [%rd3]; cvt.f32.f16 %f1, %h1; | none | none",
        "short x, short y, int z | ld.global.u32 %r4, [%rd3]; mov.b32 {%h1, %h2}, %r4; cvt.f32.f16 %f1, %h1; | none | none",
        "int x, int y | ld.global.u32 %r4, [%rd3]; red.shared.add.f32 [%r4], %f3; | none | none",
        // Nothing is known of other distances, of bits, and of numbers that are only copied.
        "int x, int y, int z | ld.global.f32 %f1, [%rd3+4];         | none | none",
        "int x, int y      | ld.global.b32 %r4, [%rd3];             | none | none",
        "int x, int y      | ld.global.f32 %f2, [%rd3]; st.global.f32 [%rd3], %f2; | none | none",
        "int x, int y      | ld.global.f32 %f3, [%rd3]; bra B; B: mov.f32 %f3, %f2; bra C; C: add.f32 %f2, %f3, %f3; | none | none",
        // A union has both.
        "int x, int y      | ld.global.f32 %f1, [%rd3+4]; ld.global.u32 %r4, [%rd3+4]; add.s32 %r5, %r4, 1; | none | none",
        "int x, int y      | ld.global.u32 %r4, [%rd3]; mov.b32 %f1, %r4; cvt.rn.f32.s32 %f2, %r4; | none | none",
      })
  void recordsWithOtherComponentsThanTheKernelComputesWithAreAWarning(
      String components, String access, String difference, String number) {
    String kernel = "record Pair(" + components + ") {}\n" + recordKernel(access, "Pair");
    byte[] code = recordCode(8, access);

    if (difference.equals("none")) {
      mistakesWith(code, kernels(kernel.formatted(""))).areNoneAtAll();
    } else {
      mistakesWith(code, kernels(kernel.formatted("«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter 'a' of run is Pair[], "
                  + (difference + ", but the kernel computes with a " + number + " there: ")
                  + accessWord(access)
                  + " in line 7 of k/k.ptx; take a record with the components of the kernel's"
                  + " structure, in the same order");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "double x, int y           | 24 | 16",
        "double x, double y, int z | 32 | 24",
        "int x, short y            | 12 | 8",
        // What is smaller may be a part of the element, and a multiple of it several.
        "double x, int y           | 16 | 0",
        "double x, double y, int z | 16 | 0",
        "double x, int y           | 8  | 0",
        "double x, int y           | 48 | 0",
        // Numbers of one type may be taken several at a time.
        "float x, float y, float z | 16 | 0",
        "float x, float y, float z | 4  | 0",
      })
  void recordsOfAnotherSizeThanTheKernelsElementsAreAWarning(
      String components, int distance, int size) {
    String access = "ld.global.u32 %r4, [%rd3];";
    String kernel = "record Item(" + components + ") {}\n" + recordKernel(access, "Item");
    byte[] code = recordCode(distance, access);

    if (size == 0) {
      mistakesWith(code, kernels(kernel.formatted(""))).areNoneAtAll();
    } else {
      mistakesWith(code, kernels(kernel.formatted("«")))
          .areWarning(
              Problem.ELEMENT_WIDTH,
              "parameter 'a' of run is Item[], whose elements have "
                  + (size + " bytes, but the kernel accesses elements at a distance of " + distance)
                  + ": ld.global.u32 in line 7 of k/k.ptx; take a record with the components of the"
                  + " kernel's structure, in the same order");
    }
  }

  /** A kernel that accesses the elements of an array, at a distance of so many bytes. */
  private static byte[] recordCode(int distance, String access) {
    String own =
        ".reg .b16 %h<4>; .reg .f32 %f<4>; .reg .f64 %fd<4>; ld.param.u64 %rd1, [a]; mov.u32 %r3, %tid.x;"
            + " mul.wide.u32"
            + (" %rd2, %r3, " + distance + "; add.s64 %rd3, %rd1, %rd2; mov.f32 %f2, 0f00000000;")
            + " add.f32 %f3, %f2, %f2;\n"
            + (access + "\nadd.f32 %f2, %f1, %f1; add.f64 %fd2, %fd1, %fd1;");
    return kernel("sm_75", ".param .u64 a, .param .u32 n", own);
  }

  private static String recordKernel(String access, String element) {
    boolean stores = access.contains("st.") || access.contains("red.global");
    boolean loads = access.contains("ld.") || access.contains("red.global");
    return "@Kernel void run("
        + (loads ? stores ? "@ReadWrites" : "@Reads" : "@Writes")
        + (" DeviceArray<" + element + "[]> %sa, @ThreadCount int n);");
  }

  /** The first instruction that accesses global memory. */
  private static String accessWord(String access) {
    return access.replaceAll(".*?((?:ld|st|red)\\.global\\S*) .*", "$1");
  }

  @Test
  void aWarningIsNoReasonToLeaveOutTheProofOfBounds() {
    String own =
        ".reg .f32 %f<4>; ld.param.u64 %rd1, [a]; ld.param.u64 %rd4, [x];"
            + " mov.u32 %r3, %tid.x; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd5, %rd4, %rd2;"
            + " ld.global.u32 %r4, [%rd5]; mul.wide.u32 %rd6, %r4, 4; add.s64 %rd3, %rd1, %rd6;\n"
            + "ld.global.f32 %f1, [%rd3]; add.f32 %f2, %f1, %f1;";
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 x, .param .u32 n", own);
    String kernel =
        "@SuppressWarnings(\"streamfence:ElementWidth\") @Kernel(bounds = Bounds.REQUIRED)"
            + " void run(@Reads DeviceArray<int[]> «a, @Reads DeviceArray<int[]> x,"
            + " @ThreadCount int n);";

    mistakesWith(code, kernels(kernel)).are(Problem.UNPROVED_BOUNDS);
  }

  /** The head of a module with one kernel, to which its statements are added. */
  private static byte[] kernel(String target, String parameters, String body) {
    return (".version 7.0\n.target "
            + target
            + "\n.address_size 64\n.visible .entry run("
            + parameters
            + ")\n{ .reg .pred %p<9>; .reg .b32 %r<10>; .reg .b64 %rd<10>;\n"
            + body
            + "\nret; }\n")
        .getBytes(UTF_8);
  }

  @Test
  void aRecordComponentThatBecomesAnAddressIsReportedWithItsRemedy() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .align 8 .b8 box[16], .param .u32 n",
            "ld.param.u64 %rd1, [box+8]; cvta.to.global.u64 %rd2, %rd1;");

    mistakesWith(
            code,
            kernels(
                "record Box(long n, long x) {} @Kernel void run(Box «box, @ThreadCount int n);"))
        .are(
            Problem.NUMBER_AS_ADDRESS,
            "parameter 'box.x' of run is passed by value, but the kernel uses it as an address:"
                + " cvta.to.global.u64 in line 6 of k/k.ptx; make this component a DeviceArray");
    mistakesWith(
            code,
            kernels(
                "record Box(long n, @Reads DeviceArray<int[]> x) {}"
                    + " @Kernel void run(Box box, @ThreadCount int n);"))
        .areNoneAtAll();
  }

  @Test
  void twoHalvesOfAnAddressAreReportedWithTheirRemedy() {
    mistakesWith(
            kernel(
                "sm_75",
                ".param .u32 low, .param .u32 high, .param .u32 n",
                "ld.param.u32 %r1, [low]; ld.param.u32 %r2, [high]; mov.b64 %rd1, {%r1, %r2};\n"
                    + "st.global.u32 [%rd1], 1;"),
            kernels("@Kernel void run(int «low, int high, @ThreadCount int n);"))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'low' of run is passed by value, but the kernel may use it as an address:"
                + " st.global.u32 in line 7 of k/k.ptx (its address may come from 'low' or"
                + " 'high' since mov.b64 in line 6 of k/k.ptx); if it is one, take one DeviceArray instead of the parts of its"
                + " address; suppress this with"
                + " @SuppressWarnings(\"streamfence:PossibleAddress\")");
  }

  private static final String CHOOSING =
      "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b];\n"
          + "selp.b64 %rd3, %rd1, %rd2, %p1;\nst.global.u32 [%rd3], 1;";

  @Test
  void aNumberThatMayBeAnAddressIsAWarning() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", CHOOSING);
    String chosen =
        "@Kernel void run(@Writes DeviceArray<int[]> a, %slong «b, @ThreadCount int n);";

    mistakesWith(code, kernels(chosen.formatted("")))
        .areWarning(
            Problem.POSSIBLE_ADDRESS,
            "parameter 'b' of run is passed by value, but the kernel may use it as an address:"
                + " st.global.u32 in line 8 of k/k.ptx (its address may come from 'a' or 'b' since"
                + " selp.b64 in line 7 of k/k.ptx); if it is one, take a DeviceArray; suppress this with"
                + " @SuppressWarnings(\"streamfence:PossibleAddress\")");
    mistakesWith(
            code,
            kernels(
                chosen
                    .formatted("@SuppressWarnings(\"streamfence:PossibleAddress\") ")
                    .replace("«", "")))
        .areNoneAtAll();
    mistakesWith(code, kernels("@Kernel void run(long «a, long b, @ThreadCount int n);"))
        .are(Problem.POSSIBLE_ADDRESS);
  }

  @Test
  void aCauseIsReportedOnceWithTheNamesOfItsParameters() {
    byte[] code =
        kernel(
            "sm_75, debug",
            ".param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n",
            "ld.param.u64 %rd4, [c];\n"
                + CHOOSING
                    .replace("[%rd3]", "[%rd5]")
                    .replace("st.", "selp.b64 %rd5, %rd3, %rd4, %p2; st."));
    mistakesWith(
            code,
            kernels(
                "@Kernel void run(@Reads DeviceArray<int[]> «from, @Reads DeviceArray<int[]> to,"
                    + " @ReadWrites DeviceArray<int[]> other, @ThreadCount int n);"))
        .areWarning(
            Problem.UNCLEAR_ACCESS,
            "parameter 'from' of run is @Reads, but the kernel may store to it: st.global.u32 in"
                + " line 9 of k/k.ptx (its address may come from 'from' or 'to' or 'other' since"
                + " selp.b64 in line 8 of k/k.ptx); check it, and add @Trusted(\"reason\") if it"
                + " never does; the module was compiled with -G, and is clearer without; suppress"
                + " this with @SuppressWarnings(\"streamfence:UnclearAccess\")");
  }

  @Test
  void aStoreThroughOneOfSeveralArraysThatAreOnlyReadIsAnError() {
    byte[] code = kernel("sm_75", ".param .u64 a, .param .u64 b, .param .u32 n", CHOOSING);
    String arrays =
        "@Kernel void run(@%s DeviceArray<int[]> a, @%s DeviceArray<int[]> b, @ThreadCount int n);";

    mistakesWith(code, kernels(arrays.formatted("Reads", "Reads").replace("> a", "> «a")))
        .are(
            Problem.STORES_THROUGH_READS,
            "parameter 'a' of run is @Reads, but the kernel stores to it or another array that is"
                + " @Reads: st.global.u32 in line 8 of k/k.ptx (its address may come from 'a' or 'b'"
                + " since selp.b64 in line 7 of k/k.ptx); declare @Writes");
    mistakesWith(code, kernels(arrays.formatted("Writes", "Writes"))).areNoneAtAll();
    mistakesWith(
            kernel(
                "sm_75",
                ".param .u64 a, .param .u64 b, .param .u32 n",
                CHOOSING.replace("st.global.u32 [%rd3], 1", "ld.global.u32 %r1, [%rd3]")),
            kernels(arrays.formatted("Reads", "Reads")))
        .areNoneAtAll();
  }

  @Test
  void addressesInAnArrayAreAWarningThatTrustSilences() {
    byte[] code =
        kernel(
            "sm_75",
            ".param .u64 rows, .param .u32 n",
            "ld.param.u64 %rd1, [rows];\nld.global.u64 %rd2, [%rd1];\n"
                + "ld.global.u32 %r1, [%rd2];\nst.global.u32 [%rd2+4], %r1;");
    String kernel = "@Kernel void run(%s@Reads DeviceArray<long[]> «rows, @ThreadCount int n);";

    mistakesWith(code, kernels(kernel.formatted("")))
        .areWarning(
            Problem.ADDRESSES_IN_ARRAY,
            "parameter 'rows' of run is declared to hold values, but the kernel takes addresses"
                + " from it and loads and stores through them: st.global.u32 in line 9 of k/k.ptx,"
                + " which the runtime does not track; pass the arrays themselves in an array or"
                + " List of DeviceArrays, or add @Trusted(\"reason\") if you order their uses;"
                + " suppress this with @SuppressWarnings(\"streamfence:AddressesInArray\")");
    mistakesWith(
            code, kernels(kernel.formatted("@Trusted(\"rows are never freed\") ").replace("«", "")))
        .areNoneAtAll();
    mistakesWith(
            code,
            kernels("@Kernel void run(@ReadWrites DeviceArray<int[]>[] rows, @ThreadCount int n);"))
        .areNoneAtAll();
  }

  @Test
  void anUnclearAccessIsAWarningThatTrustSilences() {
    String kernel =
        "@Kernel void choose(%s@Reads DeviceArray<int[]> a, @ReadWrites DeviceArray<int[]> b,"
            + " @ThreadCount int n);";
    mistakes(kernels(kernel.formatted("")))
        .say(
            "["
                + Problem.UNCLEAR_ACCESS.id()
                + "] parameter 'a' of choose is @Reads, but the kernel may store to it:");
    mistakes(kernels(kernel.formatted("@Trusted(\"n is never 3\") "))).areNoneAtAll();
  }

  @Test
  void anUnclearAccessIsReportedOnItsParameter() {
    mistakes(
            kernels(
                "@Kernel void choose(@Reads DeviceArray<int[]> «a, @ReadWrites DeviceArray<int[]> b,"
                    + " @ThreadCount int n);"))
        .are(Problem.UNCLEAR_ACCESS);
  }

  @Test
  void trustDoesNotSilenceAContradiction() {
    mistakes(
            kernels(
                "@Kernel void increment(@Trusted(\"sure\") @Reads DeviceArray<int[]> «v,"
                    + " @ThreadCount int n);"))
        .are(Problem.STORES_THROUGH_READS);
  }

  @Test
  void aMissingAccessIsSuggestedFromTheCode() {
    mistakes(
            kernels(
                "@Kernel(blockSize = 64) void copy(DeviceArray<int[]> a, DeviceArray<int[]> b,"
                    + " @ThreadCount int n);"))
        .say(
            "'a' of copy needs @Reads, @Writes or @ReadWrites; its code says @Reads",
            "'b' of copy needs @Reads, @Writes or @ReadWrites; its code says @Writes");
  }

  @Test
  void readsIsSuggestedForAnArrayThatIsNeverWritten() {
    String choosing =
        ".version 7.0\n.target sm_75\n.address_size 64\n"
            + ".visible .entry choose(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n)\n"
            + "{ .reg .pred %p; .reg .b32 %r<3>; .reg .b64 %rd<5>;\n"
            + "ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u64 %rd3, [c];\n"
            + "ld.param.u32 %r1, [n]; setp.eq.u32 %p, %r1, 3; selp.b64 %rd4, %rd1, %rd2, %p;\n"
            + "ld.global.u32 %r2, [%rd4]; st.global.u32 [%rd3], %r2; ret; }\n";
    mistakesWith(
            choosing.getBytes(UTF_8),
            kernels(
                "@Kernel void choose(DeviceArray<int[]> a, DeviceArray<int[]> b,"
                    + " DeviceArray<int[]> c, @ThreadCount int n);"))
        .say(
            "'a' of choose needs @Reads, @Writes or @ReadWrites; its code says @Reads",
            "'b' of choose needs @Reads, @Writes or @ReadWrites; its code says @Reads",
            "'c' of choose needs @Reads, @Writes or @ReadWrites; its code says @Writes");
  }

  @Test
  void textThatIsNotPtxIsReportedWithItsLine() {
    mistakesOfResource(".version 7.0\n.target sm_75\nnonsense (\n".getBytes(UTF_8))
        .are(Problem.UNREADABLE_MODULE);
  }

  @Test
  void aBinaryIsReportedAsUnchecked() {
    mistakesOfResource(new byte[] {0x7f, 'E', 'L', 'F', 2, 1})
        .areWarning(
            Problem.UNCHECKED_MODULE,
            "k/k.ptx is a binary, so its code cannot be compared with Kernels; name the PTX"
                + " that it was compiled from");
  }

  @Test
  void theParametersOfABinaryAreComparedByNumberAndSize() throws IOException {
    byte[] binary;
    try (InputStream in = getClass().getResourceAsStream("/binary/sizes.sm_90.cubin")) {
      binary = in.readAllBytes();
    }
    String box = "record Box(float width, float height, boolean periodic) {}\n";
    mistakesWith(
            binary,
            kernels(
                box
                    + "@Kernel void move(@ReadWrites DeviceArray<float[]> a, Box box,"
                    + " float «seconds, @ThreadCount int n);\n"
                    + "@Kernel void «nothing(@ThreadCount int n);\n"
                    + "@Kernel void «other(@ThreadCount int n);"))
        .say(
            "parameter 'seconds' of move has 4 bytes; parameter 3 of the kernel has 8; see entry move of"
                + " k/k.ptx",
            "nothing takes 0 parameters; the interface passes 1",
            "k/k.ptx: the code has no entry other; it has move, nothing",
            "[UncheckedModule]");
  }

  @Test
  void aFileThatIsTooLargeIsNotCompared() {
    byte[] large = new byte[CodeLimits.FILE_BYTES + 1];
    Arrays.fill(large, (byte) ' ');
    mistakesOfResource(large)
        .areWarning(
            Problem.UNCHECKED_MODULE,
            "k/k.ptx is larger than 16 MiB, so its code cannot be compared with Kernels; split"
                + " it");
  }

  @Test
  void anOptionThatNamesNoFolderIsTheOnlyMistakeReported() {
    Mistakes.in(
            Resources.in(folder),
            List.of("-Astreamfence.resources=" + folder.resolve("nowhere")),
            Sources.importing(
                "@KernelModule(\"k/k.ptx\")\n«"
                    + kernels("@Kernel void first(@ThreadCount int n);")
                    + "@KernelModule(\"k/l.ptx\") interface Others {"
                    + " @Kernel void second(@ThreadCount int n); }"))
        .are(Problem.RESOURCE_FOLDER);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-Astreamfence.resources=", "-Astreamfence.resources"})
  void anOptionWithoutAValueNamesNoFolder(String option) {
    Mistakes.in(
            Resources.in(folder).with("k/k.ptx", PTX),
            List.of(option),
            Sources.importing(
                "@KernelModule(\"k/k.ptx\")\n"
                    + kernels(
                        "@Kernel void increment(@ReadWrites DeviceArray<int[]> v,"
                            + " @ThreadCount int n);")))
        .areNoneAtAll();
  }

  @Test
  void aPathThatIsNoFileInOneFolderIsSearchedInTheNext() throws IOException {
    Path first = folder.resolve("first");
    Files.createDirectories(first);
    Files.writeString(first.resolve("k"), "no folder");
    Path second = folder.resolve("second");
    Files.createDirectories(second.resolve("k/k.ptx"));
    Mistakes.in(
            Resources.in(folder).with("k/k.ptx", PTX),
            List.of("-Astreamfence.resources=" + first + File.pathSeparator + second),
            Sources.importing(
                "@KernelModule(\"k/k.ptx\")\n"
                    + kernels(
                        "@Kernel void increment(@ReadWrites DeviceArray<int[]> v,"
                            + " @ThreadCount int n);")))
        .areNoneAtAll();
  }

  @Test
  void aMistakeInOneKernelHidesNoneInAnother() {
    mistakes(
            kernels(
                "@Kernel void increment(@Reads DeviceArray<int[]> «v, @ThreadCount int n);\n"
                    + "@Kernel(blockSize = 64) void copy(DeviceArray<int[]> «a,"
                    + " @Writes DeviceArray<int[]> b, @ThreadCount int n);"))
        .are(Problem.STORES_THROUGH_READS, Problem.MISSING_ACCESS);
  }

  @Test
  void aMistakeInOneParameterHidesNoneInAnother() {
    mistakes(
            kernels(
                "@Kernel void increment(@Reads DeviceArray<int[]> «v, long «n, LaunchShape s);"))
        .are(Problem.STORES_THROUGH_READS, Problem.PARAMETER_SIZE);
  }

  @Test
  void nothingIsSuggestedForAKernelWithOtherParameters() {
    mistakes(
            kernels("@Kernel(blockSize = 64) void copy(DeviceArray<int[]> b, @ThreadCount int n);"))
        .say("'b' of copy needs @Reads, @Writes or @ReadWrites");
  }

  @Test
  void theRemedyIsTheAccessThatTheCodeHas() {
    String copies = "@Kernel(blockSize = 64) void copy(%s, %s, @ThreadCount int n);";
    mistakes(
            kernels(
                String.format(
                    copies, "@Reads DeviceArray<int[]> a", "@Reads DeviceArray<int[]> b")))
        .say("line 17 of k/k.ptx, copy.cu:8; declare @Writes");
    mistakes(
            kernels(
                String.format(
                    copies, "@Writes DeviceArray<int[]> a", "@Writes DeviceArray<int[]> b")))
        .say("line 15 of k/k.ptx, copy.cu:7; declare @Reads");
  }

  @Test
  void theKernelsSourceIsNamedWhereItLiesBesideThePtx() {
    String source = "// copies\n\nextern \"C\" __global__ void\nincrement(int* values, int n) {}\n";
    Mistakes.in(
            Resources.in(folder).with("k/k.ptx", PTX).with("k/k.cu", source),
            Sources.importing(
                "@KernelModule(\"k/k.ptx\")\n"
                    + kernels(
                        "@Kernel void increment(@Reads DeviceArray<int[]> v, long n,"
                            + " LaunchShape s);")))
        .say("of k/k.ptx, kernel in k/k.cu:4; declare @ReadWrites", "of k/k.ptx, k/k.cu:4");
  }

  @Test
  void allMangledNamesOfAFunctionAreListed() {
    String head = ".version 7.0\n.target sm_75\n.address_size 64\n";
    mistakesWith(
            (head + ".entry _Z4fillIfEvPT_i() { ret; }\n.entry _Z4fillIdEvPT_i() { ret; }")
                .getBytes(UTF_8),
            kernels("@Kernel void «fill(@ThreadCount int n);"))
        .are(
            Problem.NO_SUCH_ENTRY,
            "k/k.ptx: the code has no entry fill; it has _Z4fillIfEvPT_i, _Z4fillIdEvPT_i; name"
                + " one of them by @Kernel(\"…\")");
  }

  @Test
  void aMangledNameIsExplained() {
    String head = ".version 7.0\n.target sm_75\n.address_size 64\n";
    String entry = ".visible .entry _Z5scalePfi(.param .u64 a, .param .u32 n) { ret; }";
    mistakesWith(
            (head + entry).getBytes(UTF_8), kernels("@Kernel void «scale(@ThreadCount int n);"))
        .are(
            Problem.NO_SUCH_ENTRY,
            "k/k.ptx: the code has no entry scale; it has _Z5scalePfi; declare that extern \"C\", or"
                + " name it by @Kernel(\"_Z5scalePfi\")");
  }

  @Test
  void anUnsignedParameterIsNamedWhereTheMangledNameTellsIt() {
    String head = ".version 7.0\n.target sm_75\n.address_size 64\n";
    String entries =
        ".visible .entry _Z4skipj(.param .u32 n) { ret; }\n"
            + ".visible .entry _Z5scalehd(.param .u8 a, .param .f64 b) { ret; }";
    mistakesWith(
            (head + entries).getBytes(UTF_8),
            kernels(
                "@Kernel(\"_Z4skipj\") void skip(@ThreadCount long «n);\n"
                    + "@Kernel(\"_Z5scalehd\") void scale(short «a, long «b, LaunchShape s);"))
        .say(
            "parameter 'n' of _Z4skipj has 8 bytes; parameter 1 of the kernel has 4: a 32-bit"
                + " unsigned integer (unsigned int), passed as an int; see entry _Z4skipj",
            "parameter 'a' of _Z5scalehd has 2 bytes; parameter 1 of the kernel has 1: an 8-bit"
                + " unsigned integer (unsigned char), passed as a byte; see entry _Z5scalehd",
            "parameter 'b' of _Z5scalehd is a long; parameter 2 of the kernel is a 64-bit"
                + " floating-point number (double), passed as a double; see entry _Z5scalehd");
  }

  private Mistakes ofParameter(String ptx, String java) {
    return mistakesWith(
        (".version 7.0\n.target sm_75\n.address_size 64\n"
                + ".visible .entry run(.param "
                + ptx
                + ", .param .u32 n) { ret; }")
            .getBytes(UTF_8),
        kernels(
            "record Wide(long x) {} record Two(int x, int y) {}\n"
                + "@Kernel void run("
                + java
                + ", @ThreadCount int n);"));
  }

  /** Sizes agree, and arguments are passed by address: a packed structure may be the same. */
  @Test
  void aStructureMayHaveTheAlignmentOfItsKernel() {
    ofParameter(".align 1 .b8 p[8]", "Wide w").areNone();
    ofParameter(".align 8 .b8 p[8]", "Two w").areNone();
  }

  @Test
  void aPointerIntoAnotherSpaceIsANumber() {
    ofParameter(".u32 .ptr .shared .align 4 p", "int p").areNone();
    ofParameter(".u64 .ptr .shared .align 4 p", "long p").areNone();
    ofParameter(".u64 .ptr .shared .align 4 p", "@Reads DeviceArray<int[]> «p")
        .are(Problem.PARAMETER_KIND);
  }

  @Test
  void aDeclaredPointerIsNoNumber() {
    ofParameter(".u64 .ptr .global .align 4 p", "long «p").are(Problem.PARAMETER_KIND);
    ofParameter(".u64 .ptr .global .align 4 p", "Wide «p").are(Problem.PARAMETER_KIND);
    ofParameter(".u64 .ptr .global .align 4 p", "@Reads DeviceArray<int[]> p").areNone();
  }

  @Test
  void aFileNameInThePtxCannotControlTheTerminal() {
    mistakesWith(
            PTX.replace("copy.cu", "\u001b[31mcopy.cu").getBytes(UTF_8),
            kernels(
                "@Kernel(blockSize = 64) void copy(@Reads DeviceArray<int[]> a,"
                    + " @Reads DeviceArray<int[]> b, @ThreadCount int n);"))
        .say("?[31mcopy.cu:8");
  }

  @Test
  void anOptionThatNamesNoFolderIsRefused() {
    Path nowhere = folder.resolve("nowhere");
    Mistakes.in(
            Resources.in(folder).with("k/k.ptx", PTX),
            List.of("-Astreamfence.resources=" + folder + File.pathSeparator + nowhere),
            Sources.importing(
                "@KernelModule(\"k/k.ptx\")\n«"
                    + kernels(
                        "@Kernel void increment(@ReadWrites DeviceArray<int[]> v,"
                            + " @ThreadCount int n);")))
        .are(
            Problem.RESOURCE_FOLDER,
            "-Astreamfence.resources names " + nowhere + ", which is not a folder");
  }
}
