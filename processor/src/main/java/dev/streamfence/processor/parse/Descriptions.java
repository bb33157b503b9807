package dev.streamfence.processor.parse;

import dev.streamfence.launch.LaunchShape;
import dev.streamfence.processor.model.HandleType;
import dev.streamfence.processor.model.TableType;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.TypeElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ErrorType;
import javax.lang.model.type.PrimitiveType;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.TypeVariable;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.SimpleTypeVisitor14;

/**
 * Words for types and values in messages. Avoids {@code toString()} of elements and types, whose
 * text differs between compilers. Stateless.
 */
final class Descriptions {
  /**
   * Names of this project's classes; other classes with these names are written with their package.
   */
  private static final Set<String> OURS =
      Stream.concat(
              Stream.of(LaunchShape.class.getSimpleName(), TableType.DEVICE_TABLE.nameInPackage()),
              Stream.of(HandleType.values()).map(handle -> handle.type().nameInPackage()))
          .collect(Collectors.toUnmodifiableSet());

  private static final int MAX_QUOTED = 60;

  private Descriptions() {}

  /** The type as the source would write it with imports, {@code List<String>}. */
  static String describe(TypeMirror type) {
    return new Describer().visit(type);
  }

  /** The types with commas between them. */
  static String describe(List<? extends TypeMirror> types) {
    return types.stream().map(Descriptions::describe).collect(Collectors.joining(", "));
  }

  /** The kind of a type with its article, {@code a class}. */
  static String describe(ElementKind kind) {
    return switch (kind) {
      case ENUM -> "an enum";
      case ANNOTATION_TYPE -> "an annotation type";
      default -> "a " + kind.name().toLowerCase(Locale.ROOT);
    };
  }

  /** A type without type arguments, with the qualified name of its class: equal for equal types. */
  static String erased(TypeMirror type) {
    if (type instanceof ArrayType array) {
      return erased(array.getComponentType()) + "[]";
    }
    return type instanceof DeclaredType declared
        ? ((TypeElement) declared.asElement()).getQualifiedName().toString()
        : describe(type);
  }

  /** A type with its article, {@code an int}. */
  static String withArticle(TypeMirror type) {
    String name = describe(type);
    return ("aeiouAEIOU".indexOf(name.charAt(0)) < 0 ? "a " : "an ") + name;
  }

  /** A string in quotes, cut off and escaped where a message would become unreadable. */
  static String quote(String text) {
    StringBuilder quoted = new StringBuilder("\"");
    text.chars()
        .limit(MAX_QUOTED)
        .forEach(
            c ->
                quoted.append(
                    c >= ' ' && c <= '~'
                        ? String.valueOf((char) c)
                        : String.format(Locale.ROOT, "\\u%04x", c)));
    return quoted.append(text.length() <= MAX_QUOTED ? "\"" : "\"...").toString();
  }

  /** The names of a class and its enclosing classes, {@code Map.Entry}. */
  static String nestedName(TypeElement type) {
    Element encloser = type.getEnclosingElement();
    String name = type.getSimpleName().toString();
    return encloser instanceof TypeElement outer ? nestedName(outer) + "." + name : name;
  }

  private static final class Describer extends SimpleTypeVisitor14<String, Void> {
    @Override
    public String visitPrimitive(PrimitiveType type, Void unused) {
      return type.getKind().name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String visitArray(ArrayType type, Void unused) {
      return visit(type.getComponentType()) + "[]";
    }

    @Override
    public String visitDeclared(DeclaredType type, Void unused) {
      return nameAndArguments(type);
    }

    @Override
    public String visitError(ErrorType type, Void unused) {
      // Compilers disagree about the type arguments of unknown types.
      return type.asElement().getSimpleName().toString();
    }

    @Override
    public String visitTypeVariable(TypeVariable type, Void unused) {
      return type.asElement().getSimpleName().toString();
    }

    @Override
    public String visitWildcard(WildcardType type, Void unused) {
      if (type.getExtendsBound() != null) {
        return "? extends " + visit(type.getExtendsBound());
      }
      return type.getSuperBound() != null ? "? super " + visit(type.getSuperBound()) : "?";
    }

    @Override
    protected String defaultAction(TypeMirror type, Void unused) {
      return type.getKind().name().toLowerCase(Locale.ROOT);
    }

    private String nameAndArguments(DeclaredType type) {
      TypeElement element = (TypeElement) type.asElement();
      String name = nestedName(element);
      if (OURS.contains(name)
          && !(TypeKinds.isHandle(type)
              || TypeKinds.isTableOfColumns(type)
              || TypeKinds.isLaunchShape(type))) {
        name = element.getQualifiedName().toString();
      }
      return type.getTypeArguments().isEmpty()
          ? name
          : name
              + type.getTypeArguments().stream()
                  .map(this::visit)
                  .collect(Collectors.joining(", ", "<", ">"));
    }
  }
}
