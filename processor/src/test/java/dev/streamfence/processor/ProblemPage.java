package dev.streamfence.processor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sections of {@code PROBLEMS.md}, in its order. Immutable.
 *
 * <p>A section is headed by a name in code form. Its examples are fenced {@code java} blocks that
 * {@code Wrong:} or {@code Right:} introduces; a fenced {@code ptx} block after one is the module
 * that this example names, and {@code No example:} says why there is none.
 */
record ProblemPage(List<Section> sections) {
  private static final Pattern HEADING = Pattern.compile("(?m)^## `(\\w+)`$");
  private static final Pattern BLOCK =
      Pattern.compile("(?ms)^(?:(\\w+):\\s+)?```(\\w*)\\n(.*?)^```$");
  private static final Pattern MODULE = Pattern.compile("@KernelModule\\(\"([^\"]+)\"\\)");

  ProblemPage {
    sections = List.copyOf(sections);
  }

  /** The section about one problem, with the reason in {@code prose}. */
  record Section(String id, String prose, List<Example> examples) {
    Section {
      examples = List.copyOf(examples);
    }

    /** The examples after {@code Wrong:} or after {@code Right:}. */
    List<Example> examples(String label) {
      return examples.stream().filter(example -> example.label().equals(label)).toList();
    }
  }

  /**
   * Types that can use the annotations and the runtime, and the text of the module that they name.
   */
  record Example(String label, String types, List<String> modules) {
    Example {
      modules = List.copyOf(modules);
    }

    /** The processor's messages on it; {@code folder} holds only its modules. */
    Mistakes compile(Path folder, String... options) {
      return Mistakes.in(modules(folder), List.of(options), Sources.importing(source()));
    }

    /** A build of it, not yet run, with {@code folder} for itself. */
    UserBuild build(UserBuild.Tool tool, Path folder) {
      Path resources = folder.resolve("resources");
      modules(resources);
      List<Path> classPath = new ArrayList<>(List.of(resources));
      classPath.addAll(UserBuild.OWN_CLASS_PATH);
      String text = Sources.importing(source());
      return UserBuild.by(tool, folder)
          .classPath(classPath)
          .with(Sources.file(text).getName().substring(1), text);
    }

    private Resources modules(Path folder) {
      Resources visible = Resources.in(folder);
      Matcher name = MODULE.matcher(types);
      for (String module : modules) {
        if (!name.find()) {
          throw new IllegalArgumentException("more modules than names of modules in " + types);
        }
        visible.with(name.group(1), module);
      }
      return visible;
    }

    /** Suppresses the warning on missing PTX where the example is not about that. */
    private String source() {
      boolean isPoint = !modules.isEmpty() || types.contains("// No such file.");
      return isPoint ? types : types.replace("@KernelModule", Sources.UNSEEN + "@KernelModule");
    }

    private Example with(String module) {
      List<String> all = new ArrayList<>(modules);
      all.add(module);
      return new Example(label, types, all);
    }
  }

  /** Reads the page. */
  static ProblemPage parse(String text) {
    List<Section> sections = new ArrayList<>();
    String[] bodies = HEADING.split(text);
    Matcher heading = HEADING.matcher(text);
    for (int i = 1; heading.find(); i++) {
      sections.add(section(heading.group(1), bodies[i]));
    }
    return new ProblemPage(sections);
  }

  private static Section section(String id, String body) {
    List<Example> examples = new ArrayList<>();
    Matcher block = BLOCK.matcher(body);
    while (block.find()) {
      String label = block.group(1);
      int last = examples.size() - 1;
      if (block.group(2).equals("java") && label != null && label.matches("Wrong|Right")) {
        examples.add(new Example(label, block.group(3), List.of()));
      } else if (block.group(2).equals("ptx") && label == null && last >= 0) {
        examples.set(last, examples.get(last).with(block.group(3)));
      } else {
        throw new IllegalArgumentException("block in " + id + " is no example: " + block.group());
      }
    }
    return new Section(id, BLOCK.matcher(body).replaceAll(""), examples);
  }
}
