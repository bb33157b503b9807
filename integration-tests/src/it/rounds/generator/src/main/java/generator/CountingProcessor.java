package generator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.RoundEnvironment;
import javax.annotation.processing.SupportedAnnotationTypes;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;

/** A generator of another project: its types appear one round after the interface that names them. */
@SupportedAnnotationTypes("generator.Counting")
public final class CountingProcessor extends AbstractProcessor {
  @Override
  public SourceVersion getSupportedSourceVersion() {
    return SourceVersion.latestSupported();
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    for (Element type : round.getElementsAnnotatedWith(Counting.class)) {
      String home =
          processingEnv.getElementUtils().getPackageOf(type).getQualifiedName().toString();
      write(type, home, "GeneratedRange", "record GeneratedRange(int first, int length) {}");
      write(
          type,
          home,
          "GeneratedKernels",
          """
          import dev.streamfence.DeviceArray;
          import dev.streamfence.annotation.Kernel;
          import dev.streamfence.annotation.ThreadCount;
          import dev.streamfence.annotation.Writes;

          @SuppressWarnings("streamfence:KernelWithoutLauncher")
          interface GeneratedKernels {
            @Kernel
            void countUp(@Writes DeviceArray<int[]> target, int first, @ThreadCount int n);
          }
          """);
    }
    return false;
  }

  private void write(Element origin, String home, String name, String text) {
    try (Writer writer =
        processingEnv.getFiler().createSourceFile(home + "." + name, origin).openWriter()) {
      writer.write("package " + home + ";\n\n" + text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
