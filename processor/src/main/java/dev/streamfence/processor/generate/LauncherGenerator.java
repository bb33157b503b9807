package dev.streamfence.processor.generate;

import com.palantir.javapoet.AnnotationSpec;
import com.palantir.javapoet.ClassName;
import com.palantir.javapoet.CodeBlock;
import com.palantir.javapoet.FieldSpec;
import com.palantir.javapoet.JavaFile;
import com.palantir.javapoet.MethodSpec;
import com.palantir.javapoet.TypeSpec;
import dev.streamfence.DeviceStream;
import dev.streamfence.launch.KernelImage;
import dev.streamfence.launch.LoadedModule;
import dev.streamfence.processor.model.KernelCode;
import dev.streamfence.processor.model.KernelInterface;
import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.QualifiedName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.annotation.processing.Generated;
import javax.lang.model.element.Modifier;

/**
 * Generates the launcher of a kernel interface: a final class in the same package. Each kernel has
 * a constant with its signature, a recorder, and a method that records, launches and commits. If
 * one class cannot hold all kernels, nested classes hold their constants and recorders. Immutable.
 */
public final class LauncherGenerator {
  /** A signature's declaration without its name, in the innermost class. */
  private static final String DECLARATION = "    private static final KernelSignature  = ";

  private final String generatorName;

  /**
   * Creates a generator that signs its classes.
   *
   * @param generatorName the value of {@code @Generated}
   */
  public LauncherGenerator(String generatorName) {
    this.generatorName = generatorName;
  }

  /**
   * The text of the launcher's source file.
   *
   * @param sha256 the hash of the file that the interface was compared with; empty if none was
   * @param code what the code of each kernel shows, as far as it does
   */
  public String generate(
      KernelInterface source, String sha256, Map<KernelMethod, KernelCode> code) {
    ClassName launcher = className(source.name().launcher());
    JavaFile file =
        JavaFile.builder(launcher.packageName(), launcher(source, sha256, code, launcher))
            .skipJavaLangImports(true)
            .build();
    return SourceLayout.tidy(file.toString());
  }

  /**
   * The text of a class that takes the place of the launcher of an interface with mistakes. It is
   * abstract: some of the methods may be such that nothing can implement them.
   */
  public String placeholder(QualifiedName source, boolean isPublic) {
    ClassName implemented = className(source);
    ClassName launcher = className(source.launcher());
    CodeBlock refusal =
        CodeBlock.of(
            "throw new $T($S)",
            IllegalStateException.class,
            source.canonical()
                + " has mistakes, so it has no launcher; correct them and compile it again");
    TypeSpec.Builder type =
        TypeSpec.classBuilder(launcher)
            .addJavadoc(
                "Takes the place of the launcher of {@link $T}, an interface with mistakes.",
                implemented)
            .alwaysQualify("DeviceStream", "LoadedModule", "IllegalStateException")
            .addModifiers(Modifier.ABSTRACT)
            .addSuperinterface(implemented)
            .addMethod(MethodSpec.constructorBuilder().addModifiers(Modifier.PRIVATE).build())
            .addMethod(refusing(factory(implemented, launcher, isPublic), refusal))
            .addMethod(refusing(module(implemented, isPublic), refusal));
    if (isPublic) {
      type.addModifiers(Modifier.PUBLIC);
    }
    JavaFile file =
        JavaFile.builder(launcher.packageName(), type.build()).skipJavaLangImports(true).build();
    return SourceLayout.tidy(file.toString());
  }

  private static MethodSpec refusing(MethodSpec method, CodeBlock refusal) {
    return MethodSpec.methodBuilder(method.name())
        .addModifiers(method.modifiers())
        .returns(method.returnType())
        .addParameters(method.parameters())
        .addStatement(refusal)
        .build();
  }

  private TypeSpec launcher(
      KernelInterface source,
      String sha256,
      Map<KernelMethod, KernelCode> code,
      ClassName launcher) {
    ClassName implemented = className(source.name());
    MemberNames names = new MemberNames(source.kernels(), source.symbols());
    TypeSpec.Builder type =
        TypeSpec.classBuilder(launcher)
            .addJavadoc("Launches the kernels of {@link $T} on one stream.", implemented)
            .alwaysQualify(source.takenNames().toArray(String[]::new))
            .addModifiers(Modifier.FINAL)
            .addSuperinterface(implemented);
    if (source.isPublic()) {
      type.addModifiers(Modifier.PUBLIC);
    }
    if (source.readsCompilerModule()) {
      type.addAnnotation(
          AnnotationSpec.builder(Generated.class)
              .addMember("value", "$L", StringLiteral.of(generatorName))
              .build());
    }
    DeprecationGenerator.mark(source.deprecation()).ifPresent(type::addAnnotation);
    DeprecationGenerator.suppression(source).ifPresent(type::addAnnotation);
    type.addField(image(source, sha256, launcher));
    MethodSpec.Builder constructor =
        MethodSpec.constructorBuilder()
            .addJavadoc("Prepares the launches.\n\n@param stream launches the kernels")
            .addModifiers(Modifier.PRIVATE)
            .addParameter(DeviceStream.class, "stream")
            .addStatement("final $T module = module(stream)", LoadedModule.class);
    List<List<KernelMethod>> parts = LauncherSize.parts(source.kernels());
    LaunchMethodGenerator methods = new LaunchMethodGenerator(names, code);
    List<MethodSpec> launches = new ArrayList<>();
    if (parts.size() == 1) {
      addRecorders(source.kernels(), implemented, names, code, type, constructor);
      source
          .kernels()
          .forEach(kernel -> launches.add(methods.generate(kernel, names.field(kernel))));
    } else {
      for (int i = 0; i < parts.size(); i++) {
        String part = names.part(i);
        ClassName holder = launcher.nestedClass(names.partClass(i, source.takenNames()));
        type.addType(part(parts.get(i), implemented, names, code, holder));
        type.addField(
            FieldSpec.builder(holder, part, Modifier.PRIVATE, Modifier.FINAL)
                .addJavadoc("Some of the kernels.")
                .build());
        constructor.addStatement("this.$N = new $T(module)", part, holder);
        for (KernelMethod kernel : parts.get(i)) {
          launches.add(methods.generate(kernel, part + "." + names.field(kernel)));
        }
      }
    }
    SymbolGenerator.addFields(source.symbols(), names, type, constructor);
    type.addMethod(constructor.build());
    type.addMethod(factory(implemented, launcher, source.isPublic()));
    type.addMethod(module(implemented, source.isPublic()));
    source.symbols().forEach(symbol -> type.addMethod(SymbolGenerator.method(symbol, names)));
    return type.addMethods(launches).build();
  }

  static KernelCode codeOf(KernelMethod kernel, Map<KernelMethod, KernelCode> code) {
    return code.getOrDefault(kernel, KernelCode.UNKNOWN);
  }

  /** A nested class with the signatures and recorders of some of the kernels. */
  private static TypeSpec part(
      List<KernelMethod> kernels,
      ClassName implemented,
      MemberNames names,
      Map<KernelMethod, KernelCode> code,
      ClassName holder) {
    TypeSpec.Builder type =
        TypeSpec.classBuilder(holder)
            .addJavadoc("Some of the kernels; one class cannot hold all of them.")
            .addModifiers(Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL);
    MethodSpec.Builder constructor =
        MethodSpec.constructorBuilder()
            .addJavadoc("Prepares the launches.\n\n@param module has the kernels")
            .addModifiers(Modifier.PRIVATE)
            .addParameter(LoadedModule.class, "module");
    addRecorders(kernels, implemented, names, code, type, constructor);
    return type.addMethod(constructor.build()).build();
  }

  private static void addRecorders(
      List<KernelMethod> kernels,
      ClassName implemented,
      MemberNames names,
      Map<KernelMethod, KernelCode> code,
      TypeSpec.Builder type,
      MethodSpec.Builder constructor) {
    for (KernelMethod kernel : kernels) {
      String constant = names.constant(kernel);
      String field = names.field(kernel);
      int declaration = DECLARATION.length() + constant.length();
      type.addField(
          FieldSpec.builder(
                  SignatureGenerator.SIGNATURE,
                  constant,
                  Modifier.PRIVATE,
                  Modifier.STATIC,
                  Modifier.FINAL)
              .addJavadoc("What {@code $L} takes.", kernel.name())
              .initializer(
                  SignatureGenerator.generate(kernel, codeOf(kernel, code).analysis(), declaration))
              .build());
      type.addField(
          FieldSpec.builder(LaunchMethodGenerator.RECORDER, field, Modifier.PRIVATE, Modifier.FINAL)
              .addJavadoc("Launches {@code $L}.", kernel.name())
              .build());
      constructor.addStatement(
          "this.$N = module.recorder($N, $T.class, $L)",
          field,
          constant,
          implemented,
          StringLiteral.of(kernel.name()));
    }
  }

  private static FieldSpec image(KernelInterface source, String sha256, ClassName launcher) {
    String name = StringLiteral.of(source.resource().value());
    CodeBlock symbols = SymbolGenerator.declarations(source.symbols());
    CodeBlock image =
        sha256.isEmpty()
            ? CodeBlock.of(
                "\n$>$>$T.resource($L,$W$T.class::getResourceAsStream)$>$>$L$<$<$<$<",
                KernelImage.class,
                name,
                launcher,
                symbols)
            : CodeBlock.of(
                "\n$>$>$T.resource(\n$>$>$L,\n$L,\n$T.class::getResourceAsStream)$L$<$<$<$<",
                KernelImage.class,
                name,
                StringLiteral.of(sha256),
                launcher,
                symbols);
    return FieldSpec.builder(
            KernelImage.class, "IMAGE", Modifier.PRIVATE, Modifier.STATIC, Modifier.FINAL)
        .addJavadoc("The module.")
        .initializer(image)
        .build();
  }

  private static MethodSpec factory(ClassName implemented, ClassName launcher, boolean isPublic) {
    MethodSpec.Builder on =
        MethodSpec.methodBuilder("on")
            .addJavadoc(
                """
                The kernels of {@link $T}, launched on one stream.

                @param stream launches them
                @return the launcher""",
                implemented)
            .addModifiers(Modifier.STATIC)
            .returns(launcher)
            .addParameter(DeviceStream.class, "stream")
            .addStatement("return new $T(stream)", launcher);
    return isPublic ? on.addModifiers(Modifier.PUBLIC).build() : on.build();
  }

  private static MethodSpec module(ClassName implemented, boolean isPublic) {
    MethodSpec.Builder module =
        MethodSpec.methodBuilder("module")
            .addJavadoc(
                """
                The module of {@link $T}, for the occupancy of its kernels and to unload it.

                @param stream a stream of the device
                @return the module, which is loaded unless it is already""",
                implemented)
            .addModifiers(Modifier.STATIC)
            .returns(LoadedModule.class)
            .addParameter(DeviceStream.class, "stream")
            .addStatement("return $T.of(stream, IMAGE)", LoadedModule.class);
    return isPublic ? module.addModifiers(Modifier.PUBLIC).build() : module.build();
  }

  /** Converts a name to JavaPoet's form. */
  static ClassName className(QualifiedName name) {
    return ClassName.get(
        name.packageName(),
        name.simpleNames().get(0),
        name.simpleNames().stream().skip(1).toArray(String[]::new));
  }
}
