package dev.streamfence.processor;

import static com.google.testing.compile.CompilationSubject.assertThat;
import static dev.streamfence.processor.UserBuild.javac;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.TypeElement;
import javax.tools.StandardLocation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processors find the files that a test adds, and sources still find the runtime. */
class ResourcesTest {
  @TempDir private Path folder;

  @Test
  void fileIsFoundUnderItsName() {
    Resources resources = Resources.in(folder).with("kernels/k.ptx", "// text");
    Reading reading = new Reading("kernels/k.ptx");

    Compilation compilation =
        resources
            .visibleTo(javac().withProcessors(reading, new KernelProcessor()))
            .compile(Sources.file(Sources.kernels("@Kernel void run(@ThreadCount int n);")));

    assertThat(compilation).succeeded();
    assertThat(reading.texts).containsExactly("// text");
  }

  @Test
  void mistakesAreFoundInSourcesThatSeeThem() {
    Mistakes.in(
            Resources.in(folder)
                .with(
                    "k.ptx",
                    ".version 7.0\n.target sm_75\n.address_size 64\n"
                        + ".visible .entry run(.param .u32 n) { ret; }\n"),
            Sources.kernels("@Kernel void run(@ThreadCount int n);"))
        .areNoneAtAll();
  }

  /** Another processor, which looks a file up on the class path. */
  private static final class Reading extends AbstractProcessor {
    private final List<String> texts = new ArrayList<>();
    private final String name;

    Reading(String name) {
      this.name = name;
    }

    @Override
    public Set<String> getSupportedAnnotationTypes() {
      return Set.of("*");
    }

    @Override
    public SourceVersion getSupportedSourceVersion() {
      return SourceVersion.latestSupported();
    }

    @Override
    public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
      if (texts.isEmpty()) {
        try {
          var file = processingEnv.getFiler().getResource(StandardLocation.CLASS_PATH, "", name);
          texts.add(file.getCharContent(false).toString());
        } catch (IOException e) {
          throw new AssertionError(e);
        }
      }
      return false;
    }
  }
}
