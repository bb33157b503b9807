package dev.streamfence.processor;

import com.google.testing.compile.Compilation;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import javax.tools.JavaFileObject;

/** Loads the classes of a compilation. */
final class CompiledClasses extends ClassLoader {
  private final Map<String, byte[]> contents = new HashMap<>();

  CompiledClasses(Compilation compilation) throws IOException {
    for (JavaFileObject file : compilation.generatedFiles()) {
      if (file.getKind() == JavaFileObject.Kind.CLASS) {
        String path = file.getName().replaceFirst("^/?CLASS_OUTPUT/", "");
        try (var bytes = file.openInputStream()) {
          contents.put(path.replace(".class", "").replace('/', '.'), bytes.readAllBytes());
        }
      }
    }
  }

  /** The names of all classes. */
  Set<String> names() {
    return contents.keySet();
  }

  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    byte[] content = contents.get(name);
    if (content == null) {
      throw new ClassNotFoundException(name);
    }
    return defineClass(name, content, 0, content.length);
  }
}
