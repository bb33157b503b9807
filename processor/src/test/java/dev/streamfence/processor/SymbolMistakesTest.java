package dev.streamfence.processor;

import static dev.streamfence.processor.diagnostic.Problem.EMPTY_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.GENERIC;
import static dev.streamfence.processor.diagnostic.Problem.NO_SUCH_SYMBOL;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_AND_KERNEL;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_KIND;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_LAYOUT;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_NAME;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_NOT_ABSTRACT;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_OUTSIDE_MODULE;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_PARAMETERS;
import static dev.streamfence.processor.diagnostic.Problem.SYMBOL_TYPE;
import static dev.streamfence.processor.diagnostic.Problem.THROWS_CLAUSE;
import static dev.streamfence.processor.diagnostic.Problem.TOO_LARGE;

import dev.streamfence.processor.diagnostic.Problem;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes in methods that give variables of the module. */
class SymbolMistakesTest {
  private static final String KERNEL = "@Kernel void run(@ThreadCount int n); ";

  private static final String PTX =
      """
      .version 7.0
      .target sm_75
      .address_size 64
      .extern .global .f32 far;
      .visible .const .align 4 .f32 limit;
      .visible .const .align 4 .b8 weights[20];
      .global .align 4 .u32 _ZN2ns5totalE;
      .global .align 1 .b8 text[16];
      .visible .entry run(.param .u32 n) { ret; }
      """;

  /** Those that nvcc declares with a type, structures that look like them, and bits. */
  private static final String TYPED =
      """
      .global .align 8 .f64 big;
      .global .align 8 .u64 pointer;
      .global .align 2 .u16 small;
      .global .align 1 .u8 flag = 1;
      .global .align 8 .u64 counts[2] = {1, 2};
      .global .align 8 .u64 structure[2] = {8589934593, generic(big)};
      .global .align 8 .u64 place = generic(big);
      .global .align 4 .f32 factors[2] = {0f3F800000, 0f40000000};
      .global .align 8 .b64 bits;
      .global .align 16 .b8 vector[16];
      """;

  private static final String NAME_RULE =
      " is not a variable's name; such a name starts with an ASCII letter, '_' or '$', continues"
          + " with these or digits, and has at most 1024 characters; give one as @Symbol(\"name\")";

  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"default", "static"})
  void bodyGivesNoVariable(String modifier) {
    Mistakes.inKernels(
            KERNEL + "«@Symbol " + modifier + " DeviceArray<float[]> limit() { return null; }")
        .are(
            SYMBOL_NOT_ABSTRACT,
            "limit has a body, so it gives no variable; remove the body or @Symbol");
  }

  @Test
  void bodyGivesNoVariableInAnInterfaceWithoutAModule() {
    Mistakes.in(
            Sources.importing(
                "interface Plain { «@Symbol default DeviceArray<float[]> limit() { return null; }"
                    + " }"))
        .are(
            SYMBOL_NOT_ABSTRACT,
            "limit has a body, so it gives no variable; remove the body or @Symbol");
  }

  @Test
  void classHasNoLauncher() {
    Mistakes.in(
            Sources.importing(
                "abstract class Plain { «@Symbol abstract DeviceArray<float[]> limit(); }"))
        .are(
            SYMBOL_OUTSIDE_MODULE,
            "limit is declared in Plain; @Symbol needs an interface with @KernelModule");
  }

  @Test
  void methodIsAKernelOrGivesAVariable() {
    Mistakes.inKernels(KERNEL + "@Kernel «@Symbol DeviceArray<float[]> limit();")
        .are(
            SYMBOL_AND_KERNEL,
            "limit has both @Kernel and @Symbol; a method is a kernel or gives a variable");
  }

  @Test
  void methodTakesNothing() {
    Mistakes.inKernels(KERNEL + "@Symbol DeviceArray<float[]> limit(int «index, int more);")
        .are(SYMBOL_PARAMETERS, "limit takes parameters; a method with @Symbol takes none");
  }

  @Test
  void methodHasNoTypeParameters() {
    Mistakes.inKernels(KERNEL + "@Symbol <«T> DeviceArray<float[]> limit();")
        .are(
            GENERIC,
            "limit has the type parameter T; kernels are compiled for fixed types, so remove it");
  }

  @Test
  void methodThrowsNoCheckedException() {
    Mistakes.inKernels(KERNEL + "@Symbol DeviceArray<float[]> «limit() throws Exception;")
        .are(
            THROWS_CLAUSE,
            "limit declares Exception; a launcher throws only unchecked exceptions, so remove it");
    Mistakes.inKernels(KERNEL + "@Symbol DeviceArray<float[]> limit() throws DeviceException;")
        .areNone();
  }

  @ParameterizedTest
  @CsvSource({
    "void, float[]",
    "float, float[]",
    "int, int[]",
    "int[], int[]",
    "Integer[], int[]",
    "int[][], float[]",
    "DeviceArray<?>, float[]",
    "String, float[]",
    "DeviceArray<String[]>, float[]"
  })
  void methodReturnsAnArray(String type, String primitives) {
    Mistakes.inKernels(KERNEL + "@Symbol " + type + " «limit();")
        .are(
            SYMBOL_TYPE,
            "limit returns "
                + type
                + "; a method with @Symbol returns an array of primitives, such as DeviceArray<"
                + primitives
                + ">");
  }

  @Test
  void aComponentGivesNoVariable() {
    Mistakes.in(Sources.importing("«record Plain(@Symbol int limit) {}"))
        .are(
            SYMBOL_OUTSIDE_MODULE,
            "limit is declared in Plain; @Symbol needs an interface with @KernelModule");
  }

  @Test
  void nameIsOneThatCodeCanHave() {
    Mistakes.inKernels(KERNEL + "@Symbol(«\"my limit\") DeviceArray<float[]> limit();")
        .are(SYMBOL_NAME, "\"my limit\"" + NAME_RULE);
    Mistakes.inKernels(KERNEL + "@Symbol DeviceArray<float[]> «gr\u00f6\u00dfe();")
        .are(SYMBOL_NAME, "\"gr\\u00f6\\u00dfe\"" + NAME_RULE);
  }

  @Test
  void aModuleNeedsAKernel() {
    Mistakes.in(
            Sources.importing(
                "«@KernelModule(\"m.ptx\")\ninterface Only { @Symbol DeviceArray<float[]> limit();"
                    + " }"))
        .are(
            EMPTY_MODULE,
            "Only has no kernel; declare a method with @Kernel or remove @KernelModule");
  }

  @Test
  void tooManyVariablesDoNotFitALauncher() {
    StringBuilder members = new StringBuilder(KERNEL);
    for (int i = 0; i <= 300; i++) {
      members.append("@Symbol DeviceArray<int[]> v").append(i).append("();");
    }
    Mistakes.in(Sources.importing("@KernelModule(\"m.ptx\")\n«interface Large { " + members + " }"))
        .are(TOO_LARGE, "Large has 301 symbols, more than one launcher class can hold; split it");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "limi  | the code has no variable limi; it has limit, weights, _ZN2ns5totalE, text",
        "far   | the code has no variable far; it has limit, weights, _ZN2ns5totalE, text",
        "run   | the code has no variable run; it has limit, weights, _ZN2ns5totalE, text",
        "total | the code has no variable total; it has _ZN2ns5totalE; declare that extern \"C\","
            + " or name it by @Symbol(\"_ZN2ns5totalE\")",
      })
  void variableExists(String name, String message) throws Exception {
    Mistakes.in(
            code(),
            Sources.kernels(KERNEL + "@Symbol(«\"" + name + "\") DeviceArray<float[]> any();"))
        .are(NO_SUCH_SYMBOL, "k.ptx: " + message);
    Mistakes.in(code(), Sources.kernels(KERNEL + "@Symbol DeviceArray<float[]> «" + name + "1();"))
        .are(
            NO_SUCH_SYMBOL,
            "k.ptx: the code has no variable "
                + name
                + "1; it has limit, weights, _ZN2ns5totalE, text");
  }

  @ParameterizedTest
  @CsvSource({
    "SYMBOL_LAYOUT, limit, double, 'has 4 bytes, not a multiple of the 8 of a double'",
    "SYMBOL_LAYOUT, weights, long, 'has 20 bytes, not a multiple of the 8 of a long'",
    "SYMBOL_LAYOUT, text, int, 'has an alignment of 1 bytes, less than the 4 of a int'",
    "SYMBOL_KIND, limit, int, 'is declared as int[]; in the code, it is a .f32'",
    "SYMBOL_KIND, _ZN2ns5totalE, float, 'is declared as float[]; in the code, it is a .u32'",
    "SYMBOL_KIND, _ZN2ns5totalE, short, 'is declared as short[]; in the code, it is a .u32'",
    "SYMBOL_KIND, _ZN2ns5totalE, boolean, 'is declared as boolean[]; in the code, it is a .u32'",
    "SYMBOL_KIND, big, float, 'is declared as float[]; in the code, it is a .f64'",
    "SYMBOL_KIND, pointer, int, 'is declared as int[]; in the code, it is a .u64'",
    "SYMBOL_KIND, counts, int, 'is declared as int[]; in the code, it is a .u64'",
    "SYMBOL_KIND, place, int, 'is declared as int[]; in the code, it is a .u64'",
    "SYMBOL_KIND, factors, int, 'is declared as int[]; in the code, it is a .f32'",
  })
  void elementsFit(Problem problem, String name, String type, String message) throws Exception {
    Mistakes.in(
            code(PTX + TYPED),
            Sources.kernels(
                KERNEL + "@Symbol(\"" + name + "\") DeviceArray<" + type + "[]> «any();"))
        .are(
            problem == SYMBOL_KIND ? SYMBOL_KIND : SYMBOL_LAYOUT,
            "variable " + name + " " + message + "; declare other elements; see k.ptx");
  }

  @ParameterizedTest
  @CsvSource({
    "limit, float",
    "weights, float",
    "weights, int",
    "text, byte",
    "_ZN2ns5totalE, int",
    "weights, boolean",
    "big, double",
    "big, byte",
    "pointer, long",
    "small, short",
    "small, char",
    "flag, boolean",
    "flag, byte",
    "counts, long",
    "structure, int",
    "structure, float",
    "bits, float",
    "bits, long",
    "vector, float",
  })
  void variablesThatFitAreNoMistake(String name, String type) throws Exception {
    Mistakes.in(
            code(PTX + TYPED),
            Sources.kernels(
                KERNEL + "@Symbol(\"" + name + "\") DeviceArray<" + type + "[]> any();"))
        .areNone();
  }

  @Test
  void typeOfAnInheritedMethodIsThatOfTheInterface() throws Exception {
    Mistakes.in(
            code(),
            Sources.importing("interface Limited<A> { @Symbol DeviceArray<A> limit(); }"),
            Sources.importing(
                "@KernelModule(\"k.ptx\")\ninterface Floats extends Limited<float[]> { "
                    + KERNEL
                    + " }"))
        .areNone();
  }

  @Test
  void oneArrayBesideAVariableMayAlias() {
    Mistakes.inKernels(
            "@Symbol DeviceArray<float[]> limit();"
                + " @Kernel(mayAlias = true) void run(@Reads DeviceArray<float[]> x,"
                + " @ThreadCount int n);")
        .areNone();
  }

  private Resources code() throws Exception {
    return code(PTX);
  }

  private Resources code(String ptx) throws Exception {
    return Resources.in(folder).with("k.ptx", ptx);
  }
}
