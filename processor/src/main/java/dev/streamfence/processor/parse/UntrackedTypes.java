package dev.streamfence.processor.parse;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;

/** Suggests a replacement for a type that kernels do not accept. Stateless. */
final class UntrackedTypes {
  private static final Map<String, String> PRIMITIVE_OF_BOX =
      Map.of(
          "java.lang.Boolean", "boolean",
          "java.lang.Byte", "byte",
          "java.lang.Character", "char",
          "java.lang.Short", "short",
          "java.lang.Integer", "int",
          "java.lang.Long", "long",
          "java.lang.Float", "float",
          "java.lang.Double", "double");

  /** Types of other libraries and of the JDK behind which memory is, most special ones first. */
  private static final List<Kind> KINDS =
      List.of(
          new Kind(
              "jcuda\\.Pointer|jcuda\\.driver\\.CUdeviceptr"
                  + "|dev\\.streamfence\\.foreign\\.ForeignMemory",
              "its memory is not tracked: adopt it with gpu.memory().adopt and take the DeviceArray,"
                  + " such as DeviceArray<float[]>"),
          new Kind(
              "jcuda\\..*",
              "its memory is not tracked: take a DeviceArray, such as DeviceArray<float[]>"),
          new Kind(
              "java\\.nio\\.\\w*Buffer",
              "its memory is not tracked: upload host memory, or adopt device memory with"
                  + " gpu.memory().adopt, and take the DeviceArray, such as DeviceArray<float[]>"),
          new Kind(
              "java\\.lang\\.foreign\\..*|com\\.sun\\.jna\\.\\w*Pointer|org\\.bytedeco\\.javacpp\\.\\w*",
              "its memory is not tracked: upload host memory, adopt device memory with"
                  + " gpu.memory().adopt, or a tensor with DlPack.adopt, and take the DeviceArray,"
                  + " such as DeviceArray<float[]>"),
          new Kind(
              "org\\.apache\\.arrow\\.c\\..*",
              "its memory is not tracked: adopt device memory with ArrowDevice.adopt, or upload host"
                  + " memory with ArrowTables.upload, and take the DeviceTable or its columns"),
          new Kind(
              "org\\.apache\\.arrow\\..*",
              "a kernel cannot reach host memory: upload the table with ArrowTables.upload and take"
                  + " the DeviceTable or its columns"));

  private UntrackedTypes() {}

  /** Types with one remedy, by a pattern of their qualified names. */
  private record Kind(Pattern names, String remedy) {
    Kind(String names, String remedy) {
      this(Pattern.compile(names), remedy);
    }
  }

  /** The second half of the message that refuses a parameter of {@code type}. */
  static String remedy(TypeMirror type) {
    return known(type)
        .or(
            () ->
                tableOf(type)
                    .map(
                        array ->
                            "a table of arrays is an array or a List: take a List<" + array + ">"))
        .orElse(
            "a kernel takes primitives, DeviceArrays and DeviceColumns of a primitive, arrays or"
                + " Lists of these, DeviceTables, records of these, and one LaunchShape");
  }

  /** What to take instead of a type of values on the host; empty for any other type. */
  static Optional<String> known(TypeMirror type) {
    if (TypeKinds.isPrimitiveArray(type)) {
      boolean mayHoldAddresses = ((ArrayType) type).getComponentType().getKind() == TypeKind.LONG;
      return Optional.of(
          "a kernel cannot reach host memory: upload it and take a DeviceArray<"
              + Descriptions.describe(type)
              + ">"
              + (mayHoldAddresses
                  ? "; if these are addresses, adopt their memory with gpu.memory().adopt and take a"
                      + " List of DeviceArrays"
                  : ""));
    }
    if (type instanceof ArrayType array) {
      String primitive = PRIMITIVE_OF_BOX.get(nameOf(array.getComponentType()));
      if (primitive != null) {
        return Optional.of(
            "a kernel cannot reach host memory: upload it as %1$s[] and take a DeviceArray<%1$s[]>"
                .formatted(primitive));
      }
    }
    if (TypeKinds.recordOf(type).isPresent()) {
      return Optional.of(
          "a kernel cannot reach host memory: upload it and take a DeviceArray<"
              + Descriptions.describe(type)
              + ">");
    }
    Optional<String> arrays = arraysIn(type);
    if (arrays.isPresent()) {
      return Optional.of(
          "a kernel cannot reach host memory: upload each array and take a List<DeviceArray<"
              + arrays.get()
              + ">>");
    }
    String name = nameOf(type);
    String primitive = PRIMITIVE_OF_BOX.get(name);
    if (primitive != null) {
      return Optional.of("a kernel takes primitives: use " + primitive);
    }
    return KINDS.stream()
        .filter(kind -> kind.names().matcher(name).matches())
        .map(Kind::remedy)
        .findFirst();
  }

  /** The array of primitives with the numbers of a type on the host; empty if it has none. */
  static Optional<String> primitives(TypeMirror type) {
    TypeMirror number = type instanceof ArrayType array ? array.getComponentType() : type;
    return number.getKind().isPrimitive()
        ? Optional.of(Descriptions.describe(number) + "[]")
        : Optional.ofNullable(PRIMITIVE_OF_BOX.get(nameOf(number))).map(name -> name + "[]");
  }

  /** The arrays on the host of which a type is an array or a list, in words. */
  private static Optional<String> arraysIn(TypeMirror type) {
    TypeMirror held = TypeKinds.arrayIn(type);
    return held != type
            && (TypeKinds.isPrimitiveArray(held) || TypeKinds.recordOf(held).isPresent())
        ? Optional.of(Descriptions.describe(held))
        : Optional.empty();
  }

  /** The handle that a container other than a {@code List} holds. */
  private static Optional<String> tableOf(TypeMirror type) {
    return type instanceof DeclaredType declared && declared.getTypeArguments().size() == 1
        ? declared.getTypeArguments().stream()
            .map(
                argument ->
                    argument instanceof WildcardType wildcard && wildcard.getExtendsBound() != null
                        ? wildcard.getExtendsBound()
                        : argument)
            .filter(TypeKinds::isHandle)
            .map(Descriptions::describe)
            .findFirst()
        : Optional.empty();
  }

  /** The qualified name of a class or interface; empty for other types. */
  private static String nameOf(TypeMirror type) {
    return type instanceof DeclaredType declared
        ? ((TypeElement) declared.asElement()).getQualifiedName().toString()
        : "";
  }
}
