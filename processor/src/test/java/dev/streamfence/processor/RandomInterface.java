package dev.streamfence.processor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Source text of a random kernel interface: declarations that the processor accepts, that it
 * refuses, and that javac refuses. The same seed gives the same text.
 */
final class RandomInterface {
  private static final List<String> KINDS =
      List.of(
          "interface",
          "interface",
          "interface",
          "interface",
          "public interface",
          "sealed interface",
          "abstract class",
          "enum",
          "record",
          "@interface");
  private static final List<String> SUPERTYPES =
      List.of(
          "",
          "",
          "",
          "",
          " extends Base<float[]>",
          " extends Base",
          " extends Kernels",
          " extends CompiledKernels<int[]>",
          " extends Base<int[]>, Other");
  private static final List<String> TYPES =
      List.of(
          "int",
          "long",
          "float",
          "double",
          "boolean",
          "byte",
          "char",
          "short",
          "int",
          "long",
          "DeviceArray<int[]>",
          "DeviceArray<float[]>",
          "DeviceArray<double[]>",
          "DeviceArray<boolean[]>",
          "DeviceArray<?>",
          "DeviceArray",
          "DeviceArray<String>",
          "DeviceArray<? extends float[]>",
          "DeviceArray<T>",
          "DeviceArray<int[][]>",
          "LaunchShape",
          "LaunchShape[]",
          "Completion",
          "Missing",
          "java.util.List<String>",
          "java.util.List<DeviceArray<int[]>>",
          "java.util.List<? extends DeviceArray<?>>",
          "DeviceArray<float[]>[]",
          "DeviceArray<?>[]",
          "ReadableArray<float[]>",
          "ReadableArray<?>[]",
          "dev.streamfence.column.DeviceColumn<int[]>",
          "dev.streamfence.column.ReadableColumn<?>[]",
          "dev.streamfence.column.DeviceTable",
          "java.util.List<? extends ReadableArray<int[]>>",
          "DeviceArray[]",
          "Column",
          "Pair",
          "Nested",
          "Empty",
          "Pair[]",
          "Integer",
          "Object",
          "T",
          "int...",
          "int[]",
          "float[][]",
          "String",
          "Kernels",
          "Outer.Inner");
  private static final List<String> RETURNS =
      List.of("void", "void", "void", "void", "Completion", "int", "T", "Missing", "Void");
  private static final List<String> PARAMETER_MARKS =
      List.of(
          "@Reads ",
          "@Writes ",
          "@ReadWrites ",
          "@ThreadCount ",
          "@DynamicSharedBytes ",
          "@Trusted(\"why\") ",
          "@Trusted(\"\") ",
          "@Trusted ",
          "@Reads @Writes ",
          "@Reads @Optional ",
          "@Optional ",
          "@Deprecated ",
          "@Reads @Reads ",
          "final ",
          "@Kernel ",
          "@SuppressWarnings(\"streamfence:\") ");
  private static final List<String> METHOD_MARKS =
      List.of(
          "@Kernel ",
          "@Kernel ",
          "@Kernel ",
          "@Kernel ",
          "",
          "@Deprecated @Kernel ",
          "@Kernel(TEXT) ",
          "@Kernel(value = TEXT, blockSize = NUMBER) ",
          "@Kernel(dynamicSharedBytes = NUMBER) ",
          "@Kernel(mayAlias = true, cooperative = true) ",
          "@Kernel(blockSize = Kernels.SIZE) ",
          "@Kernel(blockSize = Kernel.AUTO) ",
          "@Kernel(requiredBlock = NUMBER) ",
          "@Kernel(requiredBlock = {NUMBER, 16}) ",
          "@Kernel(wrong = 1) ",
          "@Override @Kernel ",
          "@Kernel @Kernel ",
          "@Reads @Kernel ",
          "@KernelModule(TEXT) @Kernel ");
  private static final List<String> MODIFIERS =
      List.of(
          "", "", "", "", "", "public ", "abstract ", "default ", "static ", "private ", "<T> ");
  private static final List<String> NAMES =
      List.of(
          "run",
          "sum",
          "on",
          "occupancy",
          "module",
          "equals",
          "hashCode",
          "toString",
          "close",
          "stream",
          "recorder",
          "module",
          "this$0",
          "_x",
          "$",
          "\\u0061b",
          "\u00e9t\u00e9",
          "wait",
          "IMAGE",
          "record",
          "var",
          "getClass",
          "a\u200bb",
          "int",
          "KernelsLauncher",
          "x",
          "y",
          "n");
  private static final List<String> NUMBERS =
      List.of("0", "1", "32", "256", "1024", "1025", "-1", "Integer.MAX_VALUE", "1 / 0", "'a'");
  private static final List<String> TEXTS =
      List.of(
          "\"k.ptx\"",
          "\"k.ptx\"",
          "\"k.ptx\"",
          "\"kernels/vector.ptx\"",
          "\"\"",
          "\"/k.ptx\"",
          "\"../k.ptx\"",
          "\"a//b\"",
          "\"k\\\\b\"",
          "null",
          "Kernels.NAME",
          "\"a\" + 1",
          "\"run\"",
          "\"k\\\"); SHOT static Object o = (\\\"\"",
          "\"k\\042); SHOT static Object o = (\\042\"",
          "\"k\\u005c\\u0022); SHOT static Object o = (\\u005c\\u0022\"",
          "\"*/ SHOT /*\"",
          "\"k */ SHOT /* {@code\"",
          "\"}*/ SHOT class A {\"",
          "\"k\\u2028SHOT\\u2029\"",
          "\"$L); SHOT $T.of(\"",
          "\"$S$N$$\"",
          "\"${x}%s%n\"",
          "\"\\0\"",
          "\"\\ud800\"",
          "\"\\u202e\"",
          "\"\\n\\t\"",
          "\"\\\\u000a SHOT\"",
          "\"<error>\"");
  private static final String AROUND =
      """
      interface Other { int OTHER = 1; }
      interface Base<A> {
        @Kernel void inherited(@Reads DeviceArray<A> a, @ThreadCount int n);
        default void more() {}
      }
      record Pair(int first, double second) {}
      record Nested(Pair pair) {}
      record Column(@Reads DeviceArray<int[]> values, DeviceArray<?>[] more, int rows) {}
      record Empty() {}
      class Outer { private interface Inner {} }
      """;

  private final Random random;

  /** How many of ten choices take the first entry of their list, which is right. */
  private final int tame;

  private int methods;

  private RandomInterface(long seed) {
    random = new Random(seed);
    tame = List.of(0, 5, 7, 9, 10).get(random.nextInt(5));
  }

  static String of(long seed) {
    return new RandomInterface(seed).file();
  }

  private String file() {
    List<String> types = new ArrayList<>(List.of(AROUND.split("(?m)^(?=\\w)")));
    types.add(module("Kernels"));
    if (rarely(4)) {
      types.add(module(any(List.of("kernels", "Second", "Kernels"))));
    }
    if (rarely(6)) {
      types.add("class Holder { " + module("Held") + " void f() { " + module("Local") + " } }\n");
    }
    Collections.shuffle(types, random);
    String text = Sources.importing(String.join("", types));
    return rarely(5) ? withoutACharacter(text) : text;
  }

  private String module(String name) {
    StringBuilder text = new StringBuilder();
    text.append(rarely(12) ? "" : "@KernelModule(" + text() + ")\n");
    text.append(pick(KINDS)).append(' ').append(name);
    text.append(rarely(15) ? "<T>" : "").append(pick(SUPERTYPES)).append(" {\n");
    List<String> members = new ArrayList<>();
    members.add("  int SIZE = " + pick(NUMBERS) + ";\n");
    members.add("  String NAME = " + (tame > 8 ? "\"named.ptx\"" : text()) + ";\n");
    for (int i = random.nextInt(4); i >= 0; i--) {
      members.add(method());
    }
    Collections.shuffle(members, random);
    members.forEach(text::append);
    return text.append("}\n").toString();
  }

  private String method() {
    String modifier = pick(MODIFIERS);
    List<String> parameters = new ArrayList<>();
    for (int i = random.nextInt(5); i > 0; i--) {
      parameters.add(parameter(i));
    }
    parameters.add("@ThreadCount int n" + random.nextInt(2));
    Collections.shuffle(parameters, random);
    boolean body = List.of("default ", "static ", "private ").contains(modifier);
    return "  "
        + pick(METHOD_MARKS).replace("TEXT", text()).replace("NUMBER", pick(NUMBERS))
        + modifier
        + (random.nextInt(3) == 0 ? pick(RETURNS) : "void")
        + " "
        + pick(NAMES)
        + methods++
        + "("
        + String.join(", ", parameters)
        + ")"
        + (rarely(12) ? " throws Exception" : "")
        + (body ? " {}\n" : ";\n");
  }

  private String parameter(int number) {
    // Mostly one that is right, so that some interfaces are.
    String name = pick(NAMES) + number;
    return switch (random.nextInt(tame > 8 ? 3 : 6)) {
      case 0 -> "@Reads DeviceArray<float[]> " + name;
      case 1 -> "@ReadWrites DeviceArray<int[]> " + name;
      case 2 -> pick(TYPES.subList(0, 8)) + " " + name;
      default -> (random.nextBoolean() ? any(PARAMETER_MARKS) : "") + any(TYPES) + " " + name;
    };
  }

  /** True once in so many times, and less often the tamer this is. */
  private boolean rarely(int times) {
    return random.nextInt(times) == 0 && random.nextInt(10) >= tame;
  }

  private String text() {
    return any(TEXTS).replace("SHOT", Canary.SHOT);
  }

  /** Text that a user has half typed. */
  private String withoutACharacter(String text) {
    int at = random.nextInt(text.length());
    return text.substring(0, at) + text.substring(at + 1);
  }

  private String pick(List<String> from) {
    return random.nextInt(10) < tame ? from.get(0) : any(from);
  }

  private String any(List<String> from) {
    return from.get(random.nextInt(from.size()));
  }
}
