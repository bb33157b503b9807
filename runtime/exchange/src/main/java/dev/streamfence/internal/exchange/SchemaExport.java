package dev.streamfence.internal.exchange;

import com.sun.jna.Pointer;
import dev.streamfence.internal.exchange.ArrowLayout.OfSchema;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/** Builds schemas for other libraries. */
public final class SchemaExport {
  private SchemaExport() {}

  /**
   * Builds a schema. Its user releases it.
   *
   * @param target the address of an {@code ArrowSchema}, which is overwritten
   */
  public static void write(SchemaNode schema, long target) {
    NativeAddress.load();
    Pointer at = NativeAddress.of(target, Long.BYTES, "the pointer to an ArrowSchema");
    SharedRelease lease = new SharedRelease(schema, () -> {});
    write(schema, at, lease);
    lease.complete();
  }

  private static void write(SchemaNode schema, Pointer target, SharedRelease lease) {
    byte[] format = text(schema.format().text());
    byte[] name = text(schema.name());
    byte[] metadata =
        schema.metadata().isEmpty() ? new byte[0] : SchemaMetadata.encode(schema.metadata());
    List<SchemaNode> children = schema.children();
    SchemaNode dictionary = schema.dictionary();
    ArrowExport export =
        new ArrowExport(
            ReleasableKind.SCHEMA,
            lease,
            children.size(),
            dictionary != null,
            (long) metadata.length + format.length + name.length);
    try {
      for (int i = 0; i < children.size(); i++) {
        write(children.get(i), export.child(i), lease);
      }
      if (dictionary != null) {
        write(dictionary, export.dictionary(), lease);
      }
      target.clear(OfSchema.BYTES);
      // First, as its numbers are then aligned.
      Pointer at = export.rest();
      at.write(0, metadata, 0, metadata.length);
      target.setPointer(OfSchema.METADATA, metadata.length == 0 ? null : at);
      at = at.share(metadata.length);
      at.write(0, format, 0, format.length);
      target.setPointer(OfSchema.FORMAT, at);
      at = at.share(format.length);
      at.write(0, name, 0, name.length);
      target.setPointer(OfSchema.NAME, at);
      target.setLong(OfSchema.FLAGS, schema.flags());
      export.attach(target);
    } catch (RuntimeException | Error e) {
      export.end();
      throw e;
    }
  }

  /** A text in UTF-8 with a 0 at its end. */
  private static byte[] text(String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(
          "the text '" + text.replace("\0", "\\0") + "' has a 0 in it, at which it would end in C");
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(bytes, bytes.length + 1);
  }
}
