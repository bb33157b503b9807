package dev.streamfence.processor.parse;

import dev.streamfence.Completion;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.ElementType;
import dev.streamfence.launch.LaunchShape;
import dev.streamfence.processor.model.HandleType;
import dev.streamfence.processor.model.TableType;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.IntersectionType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;

/**
 * Recognises the types that kernels accept. Compares qualified names instead of types, because the
 * runtime need not be on the compiled code's path. Stateless.
 */
final class TypeKinds {
  private static final Map<String, HandleType> HANDLES =
      Stream.of(HandleType.values())
          .collect(
              Collectors.toUnmodifiableMap(handle -> handle.type().canonical(), handle -> handle));
  private static final String DEVICE_TABLE = TableType.DEVICE_TABLE.canonical();

  private TypeKinds() {}

  /** How it declares an array, with any type argument; empty if it does not. */
  static Optional<HandleType> handleType(TypeMirror type) {
    return type.getKind() == TypeKind.DECLARED
        ? Optional.ofNullable(HANDLES.get(nameOf((DeclaredType) type)))
        : Optional.empty();
  }

  /** Whether it is the handle of an array, with any type argument. */
  static boolean isHandle(TypeMirror type) {
    return handleType(type).isPresent();
  }

  /**
   * Whether it is a {@code DeviceTable}, or a Java array or a {@code List} of handles with any type
   * argument.
   */
  static boolean isTable(TypeMirror type) {
    return isTableOfColumns(type) || (!isHandle(type) && isHandle(arrayIn(type)));
  }

  /** Whether it is a {@code DeviceTable}. */
  static boolean isTableOfColumns(TypeMirror type) {
    return isA(type, DEVICE_TABLE);
  }

  /** The type of the arrays in a table, which is a handle; otherwise the type itself. */
  static TypeMirror arrayIn(TypeMirror type) {
    if (type instanceof ArrayType array) {
      return array.getComponentType();
    }
    if (isA(type, List.class) && ((DeclaredType) type).getTypeArguments().size() == 1) {
      TypeMirror argument = ((DeclaredType) type).getTypeArguments().get(0);
      TypeMirror bound =
          argument instanceof WildcardType wildcard ? wildcard.getExtendsBound() : argument;
      return bound == null ? type : bound;
    }
    return type;
  }

  /** How a method declares a table. */
  static TableType tableType(TypeMirror table) {
    if (table instanceof ArrayType) {
      return TableType.ARRAY;
    }
    if (isTableOfColumns(table)) {
      return TableType.TABLE_OF_COLUMNS;
    }
    return ((DeclaredType) table).getTypeArguments().get(0) instanceof WildcardType
        ? TableType.LIST_OF_SUBTYPES
        : TableType.LIST;
  }

  /** Whether it is {@code DeviceArray<?>} or the like, or a {@code DeviceTable}. */
  static boolean isOfAnyElement(TypeMirror handle) {
    return isTableOfColumns(handle)
        || ((DeclaredType) handle)
            .getTypeArguments().stream()
                .anyMatch(
                    argument ->
                        argument instanceof WildcardType wildcard
                            && wildcard.getExtendsBound() == null
                            && wildcard.getSuperBound() == null);
  }

  /** Whether it is a {@code LaunchShape}. */
  static boolean isLaunchShape(TypeMirror type) {
    return isA(type, LaunchShape.class);
  }

  /** Whether it is a {@code Completion}. */
  static boolean isCompletion(TypeMirror type) {
    return isA(type, Completion.class);
  }

  /** The bound that a type variable is erased to (JLS 4.6); otherwise the type itself. */
  static TypeMirror leftmostBound(TypeMirror type) {
    TypeMirror bound = type;
    while (bound instanceof TypeVariable || bound instanceof IntersectionType) {
      bound =
          bound instanceof TypeVariable variable
              ? variable.getUpperBound()
              : ((IntersectionType) bound).getBounds().get(0);
    }
    return bound;
  }

  /** Whether it is a {@code DeviceStream}. */
  static boolean isDeviceStream(TypeMirror type) {
    return isA(type, DeviceStream.class);
  }

  /** Whether it is an exception that no caller has to handle. */
  static boolean isUnchecked(TypeMirror type) {
    TypeMirror each = type;
    while (each instanceof DeclaredType declared) {
      if (isA(each, RuntimeException.class) || isA(each, Error.class)) {
        return true;
      }
      each = ((TypeElement) declared.asElement()).getSuperclass();
    }
    return false;
  }

  /** Whether it is the class or interface {@code expected} with any type arguments. */
  static boolean isA(TypeMirror type, Class<?> expected) {
    return isA(type, expected.getName());
  }

  private static boolean isA(TypeMirror type, String expected) {
    return type.getKind() == TypeKind.DECLARED && nameOf((DeclaredType) type).equals(expected);
  }

  private static String nameOf(DeclaredType type) {
    return ((TypeElement) type.asElement()).getQualifiedName().toString();
  }

  /** The element that corresponds to a primitive type. */
  static ElementType primitive(TypeMirror type) {
    // Both enums use the same names for the eight primitives.
    return ElementType.valueOf(type.getKind().name());
  }

  /** The element of a handle; empty if it names no array of a primitive. */
  static Optional<ElementType> elementOf(TypeMirror handle) {
    return ((DeclaredType) handle)
        .getTypeArguments().stream()
            .filter(TypeKinds::isPrimitiveArray)
            .map(array -> primitive(((ArrayType) array).getComponentType()))
            .findFirst();
  }

  /** The record that an array consists of, if it consists of records; columns never do. */
  static Optional<TypeElement> recordIn(TypeMirror handle) {
    if (handleType(handle).filter(type -> !type.isColumn()).isEmpty()) {
      return Optional.empty();
    }
    return ((DeclaredType) handle)
        .getTypeArguments().stream().flatMap(type -> recordOf(type).stream()).findFirst();
  }

  /** The record that a handle names where the Java array of it belongs, in words. */
  static Optional<String> recordAsElement(TypeMirror handle) {
    return handleType(handle).filter(type -> !type.isColumn()).isEmpty()
        ? Optional.empty()
        : ((DeclaredType) handle)
            .getTypeArguments().stream()
                .filter(StructParser::isRecord)
                .map(Descriptions::describe)
                .findFirst();
  }

  /** The record of which a type is a Java array; a {@code LaunchShape} is for launches alone. */
  static Optional<TypeElement> recordOf(TypeMirror type) {
    return type instanceof ArrayType array
            && StructParser.isRecord(array.getComponentType())
            && !isLaunchShape(array.getComponentType())
        ? Optional.of((TypeElement) ((DeclaredType) array.getComponentType()).asElement())
        : Optional.empty();
  }

  /** Whether a type argument is, or is an array of, a type parameter. */
  static boolean namesTypeVariable(TypeMirror handle) {
    return ((DeclaredType) handle).getTypeArguments().stream().anyMatch(TypeKinds::isTypeVariable);
  }

  /** Whether it is an array of primitives. */
  static boolean isPrimitiveArray(TypeMirror type) {
    return type instanceof ArrayType array && array.getComponentType().getKind().isPrimitive();
  }

  private static boolean isTypeVariable(TypeMirror type) {
    TypeMirror inner = type;
    while (inner instanceof ArrayType array) {
      inner = array.getComponentType();
    }
    return inner.getKind() == TypeKind.TYPEVAR;
  }
}
