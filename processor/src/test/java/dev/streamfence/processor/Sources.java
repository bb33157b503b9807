package dev.streamfence.processor;

import com.google.testing.compile.JavaFileObjects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.JavaFileObject;

/** Makes compilable files of source text. */
final class Sources {
  private static final Pattern PACKAGE = Pattern.compile("^package ([\\w.]+);", Pattern.MULTILINE);
  private static final Pattern TYPE =
      Pattern.compile("^[\\w\\- @]*(?:interface|class|enum|record) (\\w+)", Pattern.MULTILINE);

  /** Suppresses the warning on missing PTX in tests of other things. */
  static final String UNSEEN = "@SuppressWarnings(\"streamfence:UnseenModule\")\n";

  private Sources() {}

  /** A file named after the first type that the text declares at the start of a line. */
  static JavaFileObject file(String text) {
    Matcher type = TYPE.matcher(text);
    if (!type.find()) {
      throw new IllegalArgumentException("no type in " + text);
    }
    Matcher inPackage = PACKAGE.matcher(text);
    String prefix = inPackage.find() ? inPackage.group(1) + "." : "";
    return JavaFileObjects.forSourceString(prefix + type.group(1), text);
  }

  /** A file in package {@code demo} that sees the annotations and the runtime. */
  static String importing(String types) {
    return "package demo;\nimport dev.streamfence.*; import dev.streamfence.foreign.*;"
        + " import dev.streamfence.launch.*; import dev.streamfence.memory.*;\n"
        + "import dev.streamfence.annotation.*;\n"
        + types;
  }

  /** An annotated interface {@code Kernels} with these members. */
  static String kernels(String members) {
    return importing("@KernelModule(\"k.ptx\")\ninterface Kernels {\n" + members + "\n}\n");
  }
}
