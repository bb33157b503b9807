package dev.streamfence.processor;

import java.io.IOException;
import java.lang.annotation.Annotation;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.annotation.processing.AbstractProcessor;
import javax.annotation.processing.Filer;
import javax.annotation.processing.Messager;
import javax.annotation.processing.ProcessingEnvironment;
import javax.annotation.processing.Processor;
import javax.annotation.processing.RoundEnvironment;
import javax.lang.model.SourceVersion;
import javax.lang.model.element.Element;
import javax.lang.model.element.TypeElement;
import javax.lang.model.util.Elements;
import javax.lang.model.util.Types;
import javax.tools.FileObject;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;

/**
 * The processor with a filer that fails on one class, and that notes the originating elements of
 * the others; also with a round that fails.
 */
final class FaultyFiler extends AbstractProcessor {
  /** The failure at the attempt to write the class. */
  interface Fault {
    void occur() throws IOException;
  }

  private final Processor processor = new KernelProcessor();
  private final String className;
  private final Fault fault;
  private final Map<String, List<Element>> origins;
  private Runnable roundFault = () -> {};

  FaultyFiler(String className, Fault fault, Map<String, List<Element>> origins) {
    this.className = className;
    this.fault = fault;
    this.origins = origins;
  }

  @Override
  public synchronized void init(ProcessingEnvironment env) {
    super.init(env);
    processor.init(new Environment(env, new RecordingFiler(env.getFiler())));
  }

  @Override
  public Set<String> getSupportedAnnotationTypes() {
    return processor.getSupportedAnnotationTypes();
  }

  @Override
  public SourceVersion getSupportedSourceVersion() {
    return processor.getSupportedSourceVersion();
  }

  /** Also fails when a round is asked for its elements. */
  void failInRound(Runnable roundFault) {
    this.roundFault = roundFault;
  }

  @Override
  public boolean process(Set<? extends TypeElement> annotations, RoundEnvironment round) {
    return processor.process(
        annotations, round.processingOver() ? round : new FaultyRound(round, roundFault));
  }

  private record FaultyRound(RoundEnvironment round, Runnable fault) implements RoundEnvironment {
    @Override
    public boolean processingOver() {
      return round.processingOver();
    }

    @Override
    public boolean errorRaised() {
      return round.errorRaised();
    }

    @Override
    public Set<? extends Element> getRootElements() {
      fault.run();
      return round.getRootElements();
    }

    @Override
    public Set<? extends Element> getElementsAnnotatedWith(TypeElement annotation) {
      return round.getElementsAnnotatedWith(annotation);
    }

    @Override
    public Set<? extends Element> getElementsAnnotatedWith(Class<? extends Annotation> type) {
      return round.getElementsAnnotatedWith(type);
    }
  }

  private final class RecordingFiler implements Filer {
    private final Filer filer;

    RecordingFiler(Filer filer) {
      this.filer = filer;
    }

    @Override
    public JavaFileObject createSourceFile(CharSequence name, Element... originators)
        throws IOException {
      origins.put(name.toString(), List.of(originators));
      if (className.contentEquals(name)) {
        fault.occur();
      }
      return filer.createSourceFile(name, originators);
    }

    @Override
    public JavaFileObject createClassFile(CharSequence name, Element... originators) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileObject createResource(
        JavaFileManager.Location location,
        CharSequence folder,
        CharSequence name,
        Element... originators) {
      throw new UnsupportedOperationException();
    }

    @Override
    public FileObject getResource(
        JavaFileManager.Location location, CharSequence folder, CharSequence name) {
      throw new UnsupportedOperationException();
    }
  }

  private record Environment(ProcessingEnvironment env, Filer filer)
      implements ProcessingEnvironment {
    @Override
    public Map<String, String> getOptions() {
      return env.getOptions();
    }

    @Override
    public Messager getMessager() {
      return env.getMessager();
    }

    @Override
    public Filer getFiler() {
      return filer;
    }

    @Override
    public Elements getElementUtils() {
      return env.getElementUtils();
    }

    @Override
    public Types getTypeUtils() {
      return env.getTypeUtils();
    }

    @Override
    public SourceVersion getSourceVersion() {
      return env.getSourceVersion();
    }

    @Override
    public Locale getLocale() {
      return env.getLocale();
    }
  }
}
