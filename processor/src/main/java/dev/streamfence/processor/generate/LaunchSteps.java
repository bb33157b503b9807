package dev.streamfence.processor.generate;

import dev.streamfence.launch.KernelParameter;
import dev.streamfence.launch.KernelParameter.Cases;
import dev.streamfence.launch.KernelParameter.PassedCases;
import dev.streamfence.processor.model.KernelMethod;
import java.util.ArrayList;
import java.util.List;

/**
 * The statements that pass the arguments of one launch to its recorder, launch and commit: one
 * chain of calls if it fits on a line. Otherwise each line is a chain, a structure has lines of its
 * own, and the compiler never has to descend deeper than a line is long. Confined to one thread at
 * a time.
 */
final class LaunchSteps {
  /** Within a class, a method and a try. */
  private static final int INDENT = 6;

  /** The recorder's method that takes a field of a structure. */
  private static final PassedCases<String> METHODS =
      new PassedCases<>(
          value -> "value",
          struct -> "struct",
          array -> "array",
          table -> "table",
          threads -> "threads");

  private final String recorder;
  private final StringBuilder statements = new StringBuilder();
  private final StringBuilder line = new StringBuilder();

  private LaunchSteps(String recorder) {
    this.recorder = recorder;
  }

  /**
   * The statements, each on lines that end.
   *
   * @param recorder the variable with the recorder
   */
  static String of(KernelMethod kernel, String recorder) {
    String last = kernel.tellsCompletion() ? "return " + recorder : recorder;
    String protocol =
        ".preflight().launch().commit()" + (kernel.tellsCompletion() ? ".completion();" : ";");
    Cases<List<String>> cases = calls(kernel);
    List<List<String>> calls = kernel.parameters().stream().map(p -> p.match(cases)).toList();
    StringBuilder arguments = new StringBuilder();
    calls.forEach(each -> each.forEach(arguments::append));
    if (INDENT + last.length() + arguments.length() + protocol.length() <= SourceLayout.MAX_WIDTH) {
      return last + arguments + protocol + "\n";
    }
    LaunchSteps steps = new LaunchSteps(recorder);
    calls.forEach(steps::pass);
    steps.endLine();
    return steps.statements + last + protocol + "\n";
  }

  /** The calls that pass a parameter, of which a structure has several. */
  private static Cases<List<String>> calls(KernelMethod kernel) {
    return new Cases<>(
        value -> List.of(call("value", value)),
        struct -> {
          List<String> calls = new ArrayList<>();
          calls.add(call("struct", struct));
          List<String> components = kernel.recordOf(struct).components();
          for (int i = 0; i < components.size(); i++) {
            String method = struct.fields().get(i).match(METHODS);
            calls.add("." + method + "(" + struct.name() + "." + components.get(i) + "())");
          }
          return calls;
        },
        array -> List.of(call("array", array)),
        table -> List.of(call("table", table)),
        threadCount -> List.of(call("threads", threadCount)),
        shape -> List.of(call("shape", shape)),
        sharedBytes -> List.of(call("dynamicSharedBytes", sharedBytes)));
  }

  private static String call(String method, KernelParameter parameter) {
    return "." + method + "(" + parameter.name() + ")";
  }

  private void pass(List<String> calls) {
    if (calls.size() > 1) {
      endLine();
    }
    for (String call : calls) {
      int length = INDENT + recorder.length() + line.length() + call.length() + ";".length();
      if (length > SourceLayout.MAX_WIDTH) {
        endLine();
      }
      line.append(call);
    }
    if (calls.size() > 1) {
      endLine();
    }
  }

  private void endLine() {
    if (!line.isEmpty()) {
      statements.append(recorder).append(line).append(";\n");
      line.setLength(0);
    }
  }
}
