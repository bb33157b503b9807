package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.AMBIGUOUS_KERNEL;
import static dev.streamfence.processor.diagnostic.Problem.ATTRIBUTE_WITH_LAUNCH_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.AUTO_SHARED_BYTES;
import static dev.streamfence.processor.diagnostic.Problem.BLOCK_SIZE;
import static dev.streamfence.processor.diagnostic.Problem.CONFLICTING_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.ENTRY_NAME;
import static dev.streamfence.processor.diagnostic.Problem.GENERIC;
import static dev.streamfence.processor.diagnostic.Problem.KERNEL_NOT_ABSTRACT;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_ACCESS;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_KERNEL;
import static dev.streamfence.processor.diagnostic.Problem.MISSING_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.NEEDLESS_ALIAS;
import static dev.streamfence.processor.diagnostic.Problem.REQUIRED_BLOCK;
import static dev.streamfence.processor.diagnostic.Problem.REQUIRED_BLOCK_SIZE;
import static dev.streamfence.processor.diagnostic.Problem.REQUIRED_DIMENSIONS;
import static dev.streamfence.processor.diagnostic.Problem.RETURNS_VALUE;
import static dev.streamfence.processor.diagnostic.Problem.SECOND_LAUNCH_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.SECOND_SHARED_BYTES;
import static dev.streamfence.processor.diagnostic.Problem.SECOND_THREAD_COUNT;
import static dev.streamfence.processor.diagnostic.Problem.SHARED_BYTES;
import static dev.streamfence.processor.diagnostic.Problem.SHARED_BYTES_WITH_SHAPE;
import static dev.streamfence.processor.diagnostic.Problem.THROWS_CLAUSE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in a kernel method as a whole. */
class MethodMistakesTest {
  /** The characters of these escapes, as messages show them. */
  private static final Map<String, String> SHOWN =
      Map.of(
          "\\\"", "\"",
          "\\\\u0022", "\\u0022",
          "\\n", "\\u000a",
          "\\0", "\\u0000");

  private static final String NAME_RULE =
      " is not an entry name; an entry name starts with an ASCII letter, '_' or '$', continues"
          + " with these or digits, and has at most 1024 characters; give one as @Kernel(\"name\")";

  @Test
  void abstractMethodIsAKernel() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n); void «other(@Reads int[] x);")
        .are(
            MISSING_KERNEL,
            "other needs @Kernel or @Symbol; each abstract method of a kernel interface is a kernel"
                + " or gives a variable");
  }

  @ParameterizedTest
  @ValueSource(strings = {"default", "static", "private", "private static"})
  void methodWithABodyIsNoKernel(String modifiers) {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n); «@Kernel "
                + modifiers
                + " void other(@ThreadCount int n) {}")
        .are(
            KERNEL_NOT_ABSTRACT,
            "other has a body, so no kernel is launched; remove the body or @Kernel");
  }

  @Test
  void kernelMayReturnACompletionThatItsInterfaceLeftOpen() {
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels extends Base<Completion> {}\n"
                    + "@SuppressWarnings(\"streamfence:KernelWithoutLauncher\")\n"
                    + "interface Base<T> { @Kernel T run(@ThreadCount int n); }"))
        .areNone();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "float                         | float",
        "Void                          | Void",
        "DeviceArray<float[]>          | DeviceArray<float[]>",
        "java.util.concurrent.Future<?> | Future<?>",
      })
  void kernelReturnsNothing(String type, String described) {
    Mistakes.inKernels("@Kernel " + type + " «sum(@ThreadCount int n);")
        .are(
            RETURNS_VALUE,
            "sum returns "
                + described
                + "; a kernel returns void or a Completion, and results go through @Writes"
                + " parameters");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Exception            | Exception",
        "Throwable            | Throwable",
        "java.io.IOException  | IOException",
        "InterruptedException, java.io.IOException | InterruptedException, IOException",
        "IllegalStateException, InterruptedException | InterruptedException",
      })
  void kernelThrowsNoCheckedException(String thrown, String described) {
    Mistakes.inKernels("@Kernel void «run(@ThreadCount int n) throws " + thrown + ";")
        .are(
            THROWS_CLAUSE,
            "run declares "
                + described
                + "; a launcher throws only unchecked exceptions, so remove it");
  }

  @ParameterizedTest
  @ValueSource(strings = {"IllegalStateException", "Error", "DeviceException, RuntimeException"})
  void kernelMayDeclareUncheckedExceptions(String thrown) {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n) throws " + thrown + ";").areNone();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<«T>                         | @Reads DeviceArray<T[]> x, T y",
        "<«T>                         | @Reads DeviceArray<T> x",
        "<«T extends Number>          | T x",
        "<«T extends LaunchShape>     | T x",
        "<«T extends DeviceArray<?>>  | @Reads T x",
      })
  void kernelIsNotGeneric(String declared, String parameters) {
    Mistakes.inKernels("@Kernel " + declared + " void run(" + parameters + ", @ThreadCount int n);")
        .are(
            GENERIC,
            "run has the type parameter T; kernels are compiled for fixed types, so remove it");
  }

  @Test
  void eachTypeParameterIsOneMistake() {
    Mistakes.inKernels("@Kernel <«S, «T extends S> void run(S a, T b, @ThreadCount int n);")
        .are(GENERIC, GENERIC);
  }

  @Test
  void kernelSaysHowManyThreadsRun() {
    Mistakes.inKernels("@Kernel void «run(int n);")
        .are(
            MISSING_SHAPE,
            "run does not say how many threads it needs; add @ThreadCount to an int or long, or a"
                + " LaunchShape parameter");
  }

  @Test
  void threadCountAfterLaunchShapeConflicts() {
    Mistakes.inKernels("@Kernel void run(LaunchShape shape, «@ThreadCount int n);")
        .are(
            CONFLICTING_SHAPE,
            "run has both @ThreadCount 'n' and LaunchShape 'shape'; keep one of them");
  }

  @Test
  void launchShapeAfterThreadCountConflicts() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n, LaunchShape «shape);")
        .are(
            CONFLICTING_SHAPE,
            "run has both @ThreadCount 'n' and LaunchShape 'shape'; keep one of them");
  }

  @Test
  void oneThreadCountIsEnough() {
    Mistakes.inKernels("@Kernel void run(@ThreadCount int n, «@ThreadCount long m);")
        .are(SECOND_THREAD_COUNT, "'n' and 'm' of run are both @ThreadCount; keep one");
  }

  @Test
  void oneLaunchShapeIsEnough() {
    Mistakes.inKernels("@Kernel void run(LaunchShape a, LaunchShape «b);")
        .are(SECOND_LAUNCH_SHAPE, "'a' and 'b' of run are both LaunchShapes; keep one");
  }

  @Test
  void sharedBytesAreGivenOnce() {
    Mistakes.inKernels(
            "@Kernel void run(@ThreadCount int n, @DynamicSharedBytes int a,"
                + " «@DynamicSharedBytes int b);")
        .are(SECOND_SHARED_BYTES, "'a' and 'b' of run are both @DynamicSharedBytes; keep one");
  }

  @Test
  void sharedBytesBesideALaunchShapeAreRefused() {
    Mistakes.inKernels("@Kernel void run(LaunchShape shape, «@DynamicSharedBytes int bytes);")
        .are(
            SHARED_BYTES_WITH_SHAPE,
            "LaunchShape 'shape' already sets the dynamic shared bytes of run; remove"
                + " @DynamicSharedBytes 'bytes'");
  }

  @ParameterizedTest
  @CsvSource({"blockSize, 128", "dynamicSharedBytes, 64", "blockSize, 0"})
  void attributesBesideALaunchShapeAreRefused(String attribute, String value) {
    Mistakes.inKernels("@Kernel(" + attribute + " = «" + value + ") void run(LaunchShape shape);")
        .are(
            ATTRIBUTE_WITH_LAUNCH_SHAPE,
            "'shape' already sets the launch shape of run; remove " + attribute);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "1025", "2147483647"})
  void blockHasOneToManyThreads(String size) {
    Mistakes.inKernels("@Kernel(blockSize = «" + size + ") void run(@ThreadCount int n);")
        .are(BLOCK_SIZE, "blockSize " + size + " of run is outside 1..1024");
  }

  @ParameterizedTest
  @ValueSource(strings = {"1", "1024"})
  void smallestAndLargestBlockAreLegal(String size) {
    Mistakes.inKernels("@Kernel(blockSize = " + size + ") void run(@ThreadCount int n);").areNone();
  }

  @Test
  void automaticBlockSizeIsLegal() {
    Mistakes.inKernels(
            "@Kernel(blockSize = Kernel.AUTO, dynamicSharedBytes = 64) void run(@ThreadCount int"
                + " n);")
        .areNone();
  }

  @Test
  void automaticBlockSizeNeedsSharedMemoryThatIsKnown() {
    Mistakes.inKernels(
            "@Kernel(blockSize = Kernel«.AUTO) void run(@ThreadCount int n,"
                + " @DynamicSharedBytes int bytes);")
        .are(
            AUTO_SHARED_BYTES,
            "blockSize AUTO of run is chosen before 'bytes' sets its dynamic shared memory; give a"
                + " number, or dynamicSharedBytes in @Kernel");
  }

  @Test
  void automaticBlockSizeBesideALaunchShapeIsRefused() {
    Mistakes.inKernels("@Kernel(blockSize = Kernel«.AUTO) void run(LaunchShape shape);")
        .are(
            ATTRIBUTE_WITH_LAUNCH_SHAPE,
            "'shape' already sets the launch shape of run; remove blockSize");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "256                          | @ThreadCount int n",
        "{256}                        | @ThreadCount int n",
        "{256, 1, 1}                  | @ThreadCount int n",
        "256, blockSize = 256         | @ThreadCount int n",
        "{}                           | @ThreadCount int n",
        "{}, blockSize = Kernel.AUTO  | @ThreadCount int n",
        "{16, 16}                     | LaunchShape s",
        "{4, 4, 64}                   | LaunchShape s",
        "1024                         | LaunchShape s",
      })
  void requiredBlocksThatLaunchesCanHaveAreLegal(String block, String parameter) {
    Mistakes.inKernels("@Kernel(requiredBlock = " + block + ") void run(" + parameter + ");")
        .areNone();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0                 | 0",
        "{16, -1}          | 16 x -1",
        "{1025}            | 1025",
        "{64, 32}          | 64 x 32",
        "{1, 1, 65}        | 1 x 1 x 65",
        "{2, 2, 2, 2}      | 2 x 2 x 2 x 2",
        "{65536, 65536, 1} | 65536 x 65536 x 1",
      })
  void aRequiredBlockThatNoDeviceRunsIsRefused(String block, String inWords) {
    Mistakes.inKernels("@Kernel(requiredBlock = «" + block + ") void run(LaunchShape shape);")
        .are(
            REQUIRED_BLOCK,
            "requiredBlock "
                + inWords
                + " of run is no block; a block has 1 to 3 sizes of at least 1, at most 1024"
                + " threads, and at most 64 of them in z");
  }

  @Test
  void aThreadCountCannotHaveARequiredBlockOfSeveralDimensions() {
    Mistakes.inKernels(
            "@Kernel(requiredBlock = «{16, 16}, blockSize = 256) void run(@ThreadCount int n);")
        .are(
            REQUIRED_DIMENSIONS,
            "requiredBlock 16 x 16 of run has several dimensions, and @ThreadCount 'n' launches"
                + " one; take a LaunchShape");
  }

  @ParameterizedTest
  @CsvSource({"«128, 128", "Kernel«.AUTO, AUTO", "«0, 0"})
  void aBlockSizeThatIsNotTheRequiredOneIsRefused(String written, String inWords) {
    Mistakes.inKernels(
            "@Kernel(requiredBlock = 256, blockSize = "
                + written
                + ") void run(@ThreadCount int n);")
        .are(
            REQUIRED_BLOCK_SIZE,
            "blockSize " + inWords + " of run is not its requiredBlock 256; remove blockSize");
  }

  @Test
  void everyAttributeIsChecked() {
    Mistakes.inKernels(
            "@Kernel(value = «\"-\", blockSize = «0, dynamicSharedBytes = «-1)"
                + " void run(@ThreadCount int n);")
        .are(ENTRY_NAME, BLOCK_SIZE, SHARED_BYTES);
  }

  @ParameterizedTest
  @ValueSource(ints = {-4, 16_777_217, Integer.MAX_VALUE})
  void sharedBytesAreWithinTheLimit(int bytes) {
    Mistakes.inKernels("@Kernel(dynamicSharedBytes = «" + bytes + ") void run(@ThreadCount int n);")
        .are(SHARED_BYTES, "dynamicSharedBytes " + bytes + " of run is outside 0..16777216");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 16_777_216})
  void sharedBytesMayBeTheLimit(int bytes) {
    Mistakes.inKernels("@Kernel(dynamicSharedBytes = " + bytes + ") void run(@ThreadCount int n);")
        .areNone();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1st",
        "a-b",
        "a b",
        " ",
        "a.b",
        "\\u00e9",
        "\\\"",
        "\\\\u0022",
        "\\n",
        "\\u202e",
        "\\0",
        "*/",
        "${x}"
      })
  void entryNameThatNoModuleCanHaveIsRefused(String name) {
    String shown = SHOWN.getOrDefault(name, name);
    Mistakes.inKernels("@Kernel(«\"" + name + "\") void run(@ThreadCount int n);")
        .are(ENTRY_NAME, "\"" + shown + "\"" + NAME_RULE);
  }

  @Test
  void longEntryNameIsCutInTheMessage() {
    String longest = "a".repeat(1024);
    Mistakes.inKernels("@Kernel(\"" + longest + "\") void run(@ThreadCount int n);").areNone();
    Mistakes.inKernels("@Kernel(«\"" + longest + "a\") void run(@ThreadCount int n);")
        .are(ENTRY_NAME, "\"" + "a".repeat(60) + "\"..." + NAME_RULE);
  }

  @Test
  void methodNameThatIsNoEntryNameNeedsAnEntryName() {
    Mistakes.inKernels("@Kernel void «gr\\u00f6\\u00dfe(@ThreadCount int n);")
        .are(ENTRY_NAME, "\"gr\\u00f6\\u00dfe\"" + NAME_RULE);
    Mistakes.inKernels("@Kernel(\"size\") void gr\\u00f6\\u00dfe(@ThreadCount int n);").areNone();
  }

  @Test
  void valueThatTheCompilerRefusesIsNotReportedTwice() {
    Mistakes.inKernels("@Kernel(blockSize = \"many\") void run(@ThreadCount int n);").are();
    Mistakes.inKernels("@Kernel(value = 3) void run(@ThreadCount int n);").are();
  }

  @Test
  void cyclicConstantsAreLeftToTheCompiler() {
    Mistakes.in(
            Sources.importing(
                """
                @KernelModule(Sizes.NAME)
                interface Kernels {
                  @Kernel(blockSize = Sizes.FIRST) void run(@ThreadCount int n);
                }
                """),
            Sources.importing(
                """
                class Sizes {
                  static final int FIRST = Others.SECOND;
                  static final String NAME = Others.NAME + "x";
                }
                """),
            Sources.importing(
                """
                class Others {
                  static final int SECOND = Sizes.FIRST;
                  static final String NAME = Sizes.NAME;
                }
                """))
        .isLeftToTheCompiler();
  }

  @Test
  void mistakeInAnInheritedKernelIsReportedOnTheInterface() {
    Mistakes.in(
            Sources.importing(
                """
                @KernelModule("k.ptx")
                «interface Kernels extends Base {}
                @SuppressWarnings("streamfence:KernelWithoutLauncher")
                interface Base {
                  @Kernel void run(DeviceArray<int[]> x, @ThreadCount int n);
                }
                """))
        .are(
            MISSING_ACCESS,
            "parameter 'x' of run needs @Reads, @Writes or @ReadWrites (inherited from Base)");
  }

  @Test
  void mistakeInAKernelFromAClassFileIsReportedOnTheInterface() {
    Mistakes.in(
            Sources.importing(
                """
                @KernelModule("k.ptx")
                «interface Kernels extends dev.streamfence.processor.CompiledKernels<int[]> {}
                """))
        .are(
            MISSING_ACCESS,
            "parameter 'arg0' of copy needs @Reads, @Writes or @ReadWrites (inherited from"
                + " CompiledKernels)");
  }

  @Test
  void kernelFromAClassFileKeepsItsAnnotations() {
    Mistakes.in(
            Sources.importing(
                """
                @KernelModule("k.ptx")
                interface Kernels extends dev.streamfence.processor.CompiledKernels<int[]> {
                  @Override default void copy(DeviceArray<int[]> values, int count) {}
                }
                """))
        .areNone();
  }

  @Test
  void inheritedMethodIsAKernelAsWell() {
    Mistakes.in(
            Sources.importing(
                """
                @KernelModule("k.ptx")
                «interface Kernels extends Runnable {
                  @Kernel void fill(@ThreadCount int n);
                }
                """))
        .are(
            MISSING_KERNEL,
            "run needs @Kernel or @Symbol; each abstract method of a kernel interface is a kernel or"
                + " gives a variable (inherited"
                + " from Runnable)");
  }

  @Test
  void inheritedMethodWithABodyIsNoKernel() {
    Mistakes.in(
            Sources.importing(
                """
                @KernelModule("k.ptx")
                interface Kernels extends Base {
                  @Kernel void fill(@ThreadCount int n);
                }
                interface Base extends Runnable {
                  @Override default void run() {}
                }
                """))
        .areNone();
  }

  @Test
  void kernelInheritedTwiceHasToBeDeclared() {
    String bases =
        """
        @SuppressWarnings("streamfence:KernelWithoutLauncher")
        interface A { @Kernel("a") void run(@ThreadCount int n); }
        @SuppressWarnings("streamfence:KernelWithoutLauncher")
        interface B { @Kernel("b") void run(@ThreadCount int n); }
        """;
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\n«interface Kernels extends B, A {}\n" + bases))
        .are(
            AMBIGUOUS_KERNEL,
            "run is inherited from A and from B; declare it in Kernels to choose one");
    Mistakes.in(
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Kernels extends B, A {"
                    + " @Override @Kernel void run(@ThreadCount int n); }\n"
                    + bases))
        .areNone();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ", @Writes DeviceArray<int[]> a",
        ", @Reads DeviceArray<int[]> a, @Reads DeviceArray<int[]> b"
      })
  void aliasesOfReadArraysNeedNoPermission(String arrays) {
    Mistakes needless =
        Mistakes.inKernels("@Kernel(mayAlias = «true) void run(@ThreadCount int n" + arrays + ");");
    needless.areWarning(
        NEEDLESS_ALIAS,
        "mayAlias has no effect on run, which takes fewer than two arrays or writes none;"
            + " remove it");
    assertThat(needless.launcher()).contains(".mayAlias()");
  }
}
