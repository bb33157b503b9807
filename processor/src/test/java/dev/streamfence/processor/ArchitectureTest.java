package dev.streamfence.processor;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideOutsideOfPackages;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import javax.lang.model.element.Modifier;
import javax.lang.model.type.TypeMirror;
import org.junit.jupiter.api.Test;

/** The packages of the processor and the arrows between them. */
class ArchitectureTest {
  private static final String ROOT = "dev.streamfence.processor";

  private final JavaClasses main =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages(ROOT);

  /** Types of the root package whose names the launchers contain. */
  private static final List<String> LITERALS =
      List.of("dev.streamfence.DeviceStream", "dev.streamfence.Completion");

  @Test
  void arrowsPointOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("root")
        .definedBy(ROOT)
        .layer("parse")
        .definedBy(ROOT + ".parse")
        .layer("generate")
        .definedBy(ROOT + ".generate")
        .layer("diagnostic")
        .definedBy(ROOT + ".diagnostic")
        .layer("verify")
        .definedBy(ROOT + ".verify")
        .layer("compile")
        .definedBy(ROOT + ".compile")
        .layer("model")
        .definedBy(ROOT + ".model")
        .whereLayer("root")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("parse")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("generate")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("verify")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("compile")
        .mayOnlyBeAccessedByLayers("root")
        .whereLayer("compile")
        .mayNotAccessAnyLayer()
        .whereLayer("diagnostic")
        .mayOnlyBeAccessedByLayers("root", "parse", "verify")
        .whereLayer("model")
        .mayOnlyBeAccessedByLayers("root", "parse", "verify", "generate")
        .check(main);
  }

  @Test
  void noElementReachesModelOrGenerate() {
    noClasses()
        .that()
        .resideInAnyPackage(ROOT + ".model", ROOT + ".generate")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage("javax.lang.model..")
                // An enum of words, which JavaPoet wants.
                .and(describe("other than Modifier", type -> !type.isEquivalentTo(Modifier.class))))
        .check(main);
  }

  @Test
  void annotationsAreKnownByName() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.streamfence.annotation..")
        .because("on a module path nothing requires their module")
        .check(main);
  }

  @Test
  void ofTheRuntimeItKnowsDeclarationsAndTheirCheck() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + "..")
        .should()
        .dependOnClassesThat(
            resideInAPackage("dev.streamfence..")
                .and(
                    resideOutsideOfPackages(
                        ROOT + "..", "dev.streamfence.launch", "dev.streamfence.internal.ptx.."))
                .and(describe("named in no launcher", type -> !LITERALS.contains(type.getName()))))
        .because(
            "a second model of declarations would repeat the first, and nothing else is needed")
        .check(main);
  }

  @Test
  void modelKnowsNoSourceText() {
    noClasses()
        .that()
        .resideInAPackage(ROOT + ".model")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.palantir.javapoet..", "javax.annotation.processing..")
        .check(main);
  }

  @Test
  void onlyGenerateMakesSourceText() {
    noClasses()
        .that()
        .resideOutsideOfPackage(ROOT + ".generate")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("com.palantir.javapoet..")
        .check(main);
  }

  @Test
  void onlyTheRootTalksToTheCompiler() {
    noClasses()
        .that()
        .resideInAnyPackage(ROOT + ".parse", ROOT + ".model", ROOT + ".generate")
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("javax.annotation.processing.Messager")
        .orShould()
        .dependOnClassesThat()
        .haveFullyQualifiedName("javax.annotation.processing.Filer")
        .check(main);
  }

  @Test
  void typesAreNotComparedAsObjects() {
    noClasses()
        .should()
        .callMethodWhere(
            describe(
                "equals, hashCode or toString of a TypeMirror",
                call ->
                    call.getTargetOwner().isAssignableTo(TypeMirror.class)
                        && (call.getName().equals("equals")
                            || call.getName().equals("hashCode")
                            || call.getName().equals("toString"))))
        .check(main);
  }

  @Test
  void onlyTheProcessorItselfIsPublicInTheRoot() {
    classes()
        .that()
        .resideInAPackage(ROOT)
        .and()
        .arePublic()
        .should()
        .haveSimpleName("KernelProcessor")
        .check(main);
  }

  @Test
  void thereIsNoStaticMutableState() {
    fields().that().areStatic().should().haveModifier(JavaModifier.FINAL).check(main);
  }

  @Test
  void classesAreFinal() {
    classes()
        .that()
        .areNotInterfaces()
        .and()
        .areNotEnums()
        .and()
        .areNotAnonymousClasses()
        .and()
        .doNotHaveSimpleName("package-info")
        .should()
        .haveModifier(JavaModifier.FINAL)
        .check(main);
  }
}
