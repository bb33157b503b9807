package dev.streamfence.processor;

import dev.streamfence.processor.diagnostic.Mistakes;
import dev.streamfence.processor.diagnostic.Problem;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.annotation.processing.Messager;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;

/**
 * Turns everything that the processor throws into an error message. A bug in the processor then
 * stops neither the compiler nor the work on other interfaces. This covers errors of the virtual
 * machine as well: when the work ends, its memory and its stack are free again. Confined to one
 * thread at a time.
 */
final class Guard {
  /** A stack overflow's trace repeats itself. */
  private static final int MAX_TRACE_LINES = 80;

  /** A constant, for when no memory or stack is left to build a message. */
  private static final String LAST_WORDS =
      "[InternalError] internal error of the processor, which has no memory or stack left to say"
          + " more; launchers are missing";

  private final Messager messager;
  private final MistakePrinter printer;
  private final Runnable release;

  /**
   * Creates a guard that reports to {@code messager}.
   *
   * @param release frees memory that is not needed for reporting
   */
  Guard(Messager messager, Runnable release) {
    this.messager = messager;
    this.printer = new MistakePrinter(messager);
    this.release = release;
  }

  /** Runs work on a type, and prints its mistakes; reports internal errors on the type. */
  void about(TypeElement type, Consumer<Mistakes> work) {
    Mistakes mistakes = new Mistakes(type);
    attempt(() -> work.accept(mistakes)).ifPresent(failure -> tell(failure, type));
    attempt(() -> printer.print(mistakes)).ifPresent(failure -> tell(failure, type));
  }

  /** Runs work that concerns no type; reports internal errors without a position. */
  void aboutARound(Runnable work) {
    attempt(work)
        .ifPresent(
            failure ->
                tell(
                    () -> "the start of a round",
                    failure,
                    message -> messager.printMessage(Diagnostic.Kind.ERROR, message)));
  }

  private void tell(Throwable failure, TypeElement type) {
    tell(
        type::getQualifiedName,
        failure,
        message -> messager.printMessage(Diagnostic.Kind.ERROR, message, type));
  }

  private void tell(Supplier<CharSequence> place, Throwable failure, Consumer<String> print) {
    Optional<Throwable> another =
        attempt(
            () -> {
              release.run();
              print.accept(Problem.INTERNAL_ERROR.message(place.get(), trace(failure)));
            });
    if (another.isPresent()) {
      print.accept(LAST_WORDS);
    }
  }

  /** Returns what the work has thrown, if anything. */
  private static Optional<Throwable> attempt(Runnable work) {
    try {
      work.run();
      return Optional.empty();
    } catch (Throwable failure) {
      return Optional.of(failure);
    }
  }

  private static String trace(Throwable failure) {
    StringWriter trace = new StringWriter();
    failure.printStackTrace(new PrintWriter(trace));
    return trace.toString().lines().limit(MAX_TRACE_LINES).collect(Collectors.joining("\n"));
  }
}
