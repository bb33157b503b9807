package dev.streamfence.processor.generate;

import dev.streamfence.processor.model.KernelMethod;
import dev.streamfence.processor.model.Parameter;
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
    StringBuilder arguments = new StringBuilder();
    for (Parameter parameter : kernel.parameters()) {
      calls(parameter).forEach(arguments::append);
    }
    if (INDENT + last.length() + arguments.length() + protocol.length() <= SourceLayout.MAX_WIDTH) {
      return last + arguments + protocol + "\n";
    }
    LaunchSteps steps = new LaunchSteps(recorder);
    kernel.parameters().forEach(steps::pass);
    steps.endLine();
    return steps.statements + last + protocol + "\n";
  }

  private static List<String> calls(Parameter parameter) {
    String name = parameter.name();
    if (parameter instanceof Parameter.Struct struct) {
      List<String> calls = new ArrayList<>();
      calls.add(".struct(" + name + ")");
      struct.fields().forEach(field -> calls.add(".field(" + name + "." + field.name() + "())"));
      return calls;
    }
    String method;
    if (parameter instanceof Parameter.Buffer) {
      method = "array";
    } else if (parameter instanceof Parameter.Value) {
      method = "value";
    } else if (parameter instanceof Parameter.ThreadCount) {
      method = "threads";
    } else {
      method = parameter instanceof Parameter.Shape ? "shape" : "dynamicSharedBytes";
    }
    return List.of("." + method + "(" + name + ")");
  }

  private void pass(Parameter parameter) {
    boolean isStruct = parameter instanceof Parameter.Struct;
    if (isStruct) {
      endLine();
    }
    for (String call : calls(parameter)) {
      int length = INDENT + recorder.length() + line.length() + call.length() + ";".length();
      if (length > SourceLayout.MAX_WIDTH) {
        endLine();
      }
      line.append(call);
    }
    if (isStruct) {
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
