package dev.streamfence.processor.parse;

import dev.streamfence.DeviceStream;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.lang.model.element.VariableElement;
import javax.lang.model.type.ArrayType;
import javax.lang.model.type.DeclaredType;
import javax.lang.model.type.ErrorType;
import javax.lang.model.type.TypeKind;
import javax.lang.model.type.TypeMirror;
import javax.lang.model.type.WildcardType;
import javax.lang.model.util.SimpleTypeVisitor14;

/**
 * Finds undeclared types that an interface names; another processor may still generate them.
 * Confined to one round.
 */
public final class UnresolvedTypes {
  /** Every launcher needs {@code on(DeviceStream)}, and so the runtime. */
  private static final Class<?> LAUNCHER_NEEDS = DeviceStream.class;

  private final AbstractMethods methods;
  private final Surroundings surroundings;

  UnresolvedTypes(AbstractMethods methods, Surroundings surroundings) {
    this.methods = methods;
    this.surroundings = surroundings;
  }

  /**
   * An undeclared type.
   *
   * @param type its simple name
   * @param place where it stands, {@code run(Missing)}
   */
  public record Unresolved(String type, String place) {
    /** What javac calls a type of which it has kept no name. */
    private static final String NAMELESS = "<any>";

    /** The type and its place, {@code type Missing in run(Missing)}. */
    public String inWords() {
      return (type.equals(NAMELESS) ? "a type" : "type " + type)
          + " in "
          + place.replace(NAMELESS, "...");
    }
  }

  /** The first missing type that {@code type} or its kernels name. */
  public Optional<Unresolved> firstIn(TypeElement type) {
    for (TypeElement each : methods.withInherited(type)) {
      for (TypeMirror parent : each.getInterfaces()) {
        Optional<String> missing = find(parent);
        if (missing.isPresent()) {
          String place = "extends " + Descriptions.describe(parent);
          return Optional.of(new Unresolved(missing.get(), place));
        }
      }
    }
    for (ExecutableElement method : methods.of(type)) {
      Optional<String> missing = firstIn(method);
      if (missing.isPresent()) {
        return Optional.of(new Unresolved(missing.get(), signature(method)));
      }
    }
    return surroundings.sees(type, LAUNCHER_NEEDS.getName())
        ? Optional.empty()
        : Optional.of(
            new Unresolved(
                LAUNCHER_NEEDS.getSimpleName(), "on(" + LAUNCHER_NEEDS.getSimpleName() + ")"));
  }

  private static Optional<String> firstIn(ExecutableElement method) {
    Optional<String> returned = find(method.getReturnType());
    Optional<String> passed =
        returned.or(() -> firstOf(method.getParameters().stream().map(p -> p.asType()).toList()));
    return passed
        .or(() -> firstOf(method.getThrownTypes()))
        .or(() -> firstOf(method.getParameters().stream().flatMap(p -> inRecord(p)).toList()));
  }

  /** The types of the components of a record that a kernel takes, by value or in arrays. */
  private static Stream<TypeMirror> inRecord(VariableElement parameter) {
    TypeMirror type = parameter.asType();
    Optional<TypeElement> record =
        StructParser.isRecord(type)
            ? Optional.of((TypeElement) ((DeclaredType) type).asElement())
            : TypeKinds.recordIn(TypeKinds.arrayIn(type));
    return record.stream()
        .flatMap(each -> each.getRecordComponents().stream())
        .map(component -> component.asType());
  }

  private static Optional<String> firstOf(List<? extends TypeMirror> types) {
    return types.stream().map(UnresolvedTypes::find).flatMap(Optional::stream).findFirst();
  }

  /** The first missing type that a type names. */
  static Optional<String> find(TypeMirror type) {
    return new Finder().visit(type);
  }

  private static String signature(ExecutableElement method) {
    List<TypeMirror> types = method.getParameters().stream().map(p -> p.asType()).toList();
    return method.getSimpleName() + "(" + Descriptions.describe(types) + ")";
  }

  private static final class Finder extends SimpleTypeVisitor14<Optional<String>, Void> {
    Finder() {
      super(Optional.empty());
    }

    @Override
    public Optional<String> visitError(ErrorType type, Void unused) {
      return Optional.of(type.asElement().getSimpleName().toString());
    }

    @Override
    public Optional<String> visitArray(ArrayType type, Void unused) {
      return visit(type.getComponentType());
    }

    @Override
    public Optional<String> visitDeclared(DeclaredType type, Void unused) {
      // javac assumes that a class named in a class file exists, and notices only now that it does
      // not.
      return type.getKind() == TypeKind.ERROR
          ? Optional.of(type.asElement().getSimpleName().toString())
          : firstOf(type.getTypeArguments());
    }

    @Override
    public Optional<String> visitWildcard(WildcardType type, Void unused) {
      if (type.getExtendsBound() != null) {
        return visit(type.getExtendsBound());
      }
      return type.getSuperBound() != null ? visit(type.getSuperBound()) : Optional.empty();
    }
  }
}
