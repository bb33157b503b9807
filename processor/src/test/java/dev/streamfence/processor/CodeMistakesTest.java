package dev.streamfence.processor;

import static dev.streamfence.processor.KernelCode.kernels;
import static dev.streamfence.processor.KernelCode.mistakesIn;
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

  @TempDir private Path folder;

  private Mistakes mistakes(String members) {
    return mistakesIn(folder, PTX.getBytes(UTF_8), members);
  }

  /** Mistakes that are reported on the name of the resource. */
  private Mistakes mistakesOfResource(byte[] code) {
    return Mistakes.in(
        Resources.in(folder).with("k/k.ptx", code),
        Sources.importing(
            "@KernelModule(«\"k/k.ptx\")\n" + kernels("@Kernel void run(@ThreadCount int n);")));
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
    mistakesIn(
            folder,
            code,
            kernels("@Kernel void bump(@ReadWrites " + type + " v, @ThreadCount int n);"))
        .areNoneAtAll();
    mistakesIn(
            folder, code, kernels("@Kernel void bump(@Reads " + type + " «v, @ThreadCount int n);"))
        .are(
            Problem.STORES_THROUGH_READS,
            "parameter 'v' of bump is @Reads, but the kernel stores to its arrays: st.global.u32 in"
                + " line 16 of k/k.ptx, bump.cu:5; declare @ReadWrites");
    mistakesIn(folder, code, kernels("@Kernel void bump(" + type + " «v, @ThreadCount int n);"))
        .are(
            Problem.MISSING_ACCESS,
            "parameter 'v' of bump needs @Reads, @Writes or @ReadWrites; its code says"
                + " @ReadWrites");
  }

  @Test
  void aStoreToTheTableItselfIsReported() {
    byte[] code =
        TABLE.replace("st.global.u32 [%rd4], %r2", "st.global.u64 [%rd2], %rd3").getBytes(UTF_8);
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
            kernel("st.shared.u32 [room], 1;"),
            kernels("@Kernel(blockSize = 128) void «k(@ThreadCount int n);"))
        .areWarning(
            Problem.NO_DYNAMIC_SHARED,
            "k has no dynamic shared memory, but the kernel uses it: st.shared.u32 in line 10 of"
                + " k/k.ptx; give dynamicSharedBytes in @Kernel, or take a @DynamicSharedBytes int");
  }

  @Test
  void clustersWithoutASizeAreAWarning() {
    mistakesIn(
            folder,
            kernel("barrier.cluster.arrive;"),
            kernels("@Kernel void «k(@ThreadCount int n);"))
        .areWarning(
            Problem.NO_CLUSTER,
            "k is launched in clusters of one block, but the kernel uses clusters:"
                + " barrier.cluster.arrive in line 10 of k/k.ptx; compile it with __cluster_dims__,"
                + " which says how large they are");
  }

  @Test
  void warpGroupsThatABlockDoesNotFillAreAWarning() {
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
            kernel(
                "mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, tile;"
                    + " add.s32 %r4, %r3, %r2; st.shared.u32 [%r4], %r1;"),
            kernels("@Kernel(requiredBlock = {16, 16}) void k(int n, LaunchShape shape);"))
        .areNoneAtAll();
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
            many.toString().getBytes(UTF_8),
            kernels("@Kernel void «missing(@ThreadCount int n);"))
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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

  /** Without the directive, addresses have 32 bits. */
  @ParameterizedTest
  @ValueSource(strings = {".address_size 32", ""})
  void codeForShortAddressesIsRefusedAsAWhole(String size) {
    String code = ".version 7.0\n.target sm_75\n%s\n.entry run(.param .u32 x) { ret; }\n";
    mistakesOfResource(code.formatted(size).getBytes(UTF_8))
        .are(
            Problem.ADDRESS_SIZE,
            "k/k.ptx is PTX with addresses of 32 bits, which no current device or driver loads;"
                + " compile it with -m64, which says .address_size 64");
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
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
    mistakesIn(
            folder,
            (head + entry).getBytes(UTF_8),
            kernels("@Kernel void «scale(@ThreadCount int n);"))
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
    mistakesIn(
            folder,
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
    return mistakesIn(
        folder,
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
    mistakesIn(
            folder,
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

  @Test
  void aNumberThatBecomesAnAddressIsReported() {
    mistakes(kernels("@Kernel void increment(long «v, @ThreadCount int n);"))
        .are(
            Problem.NUMBER_AS_ADDRESS,
            "parameter 'v' of increment is passed by value, but the kernel uses it as an address:"
                + " ld.global.u32 in line 26 of k/k.ptx; take a DeviceArray");
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
}
