package dev.streamfence.processor.parse;

import dev.streamfence.processor.model.QualifiedName;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.element.Element;
import javax.lang.model.element.PackageElement;
import javax.lang.model.element.TypeElement;

/** Reads the names of types. Stateless. */
final class QualifiedNames {
  private QualifiedNames() {}

  static QualifiedName of(TypeElement type) {
    List<String> names = new ArrayList<>();
    Element e = type;
    for (; e instanceof TypeElement; e = e.getEnclosingElement()) {
      names.add(0, e.getSimpleName().toString());
    }
    String packageName =
        e instanceof PackageElement around ? around.getQualifiedName().toString() : "";
    return new QualifiedName(packageName, names);
  }
}
