package dev.streamfence.processor.parse;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
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

  /** JCuda's pointers, Java's buffers and segments. */
  private static final Pattern POINTERS =
      Pattern.compile("jcuda\\..*|java\\.nio\\.\\w*Buffer|java\\.lang\\.foreign\\..*");

  private UntrackedTypes() {}

  /** The second half of the message that refuses {@code type}. */
  static String remedy(TypeMirror type) {
    if (TypeKinds.isPrimitiveArray(type)) {
      return "a kernel cannot reach host memory: upload it and take a DeviceArray<"
          + Descriptions.describe(type)
          + ">";
    }
    if (type instanceof ArrayType array) {
      String primitive = PRIMITIVE_OF_BOX.get(nameOf(array.getComponentType()));
      if (primitive != null) {
        return "a kernel cannot reach host memory: upload it as %1$s[] and take a DeviceArray<%1$s[]>"
            .formatted(primitive);
      }
    }
    String primitive = PRIMITIVE_OF_BOX.get(nameOf(type));
    if (primitive != null) {
      return "a kernel takes primitives: use " + primitive;
    }
    if (POINTERS.matcher(nameOf(type)).matches()) {
      return "its memory is not tracked: take a DeviceArray, such as DeviceArray<float[]>";
    }
    return tableOf(type)
        .map(array -> "a table of arrays is an array or a List: take a List<" + array + ">")
        .orElse(
            "a kernel takes primitives, DeviceArrays of a primitive, arrays or Lists of"
                + " DeviceArrays, records of these, and one LaunchShape");
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
