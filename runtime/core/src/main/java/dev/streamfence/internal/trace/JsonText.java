package dev.streamfence.internal.trace;

import java.io.IOException;

/**
 * Writes JSON (RFC 8259), without a library: the runtime would bring one along for two files that
 * few programs write.
 */
final class JsonText {
  private final Appendable out;
  private boolean isFirst = true;

  JsonText(Appendable out) {
    this.out = out;
  }

  JsonText open(char bracket) throws IOException {
    separate();
    out.append(bracket);
    isFirst = true;
    return this;
  }

  JsonText close(char bracket) throws IOException {
    out.append(bracket);
    isFirst = false;
    return this;
  }

  JsonText name(String name) throws IOException {
    text(name);
    out.append(':');
    isFirst = true;
    return this;
  }

  JsonText value(String value) throws IOException {
    return text(value);
  }

  JsonText value(long value) throws IOException {
    separate();
    out.append(Long.toString(value));
    return this;
  }

  /** Nanoseconds as microseconds with three decimal places. */
  JsonText micros(long nanos) throws IOException {
    separate();
    long size = Math.abs(nanos);
    out.append(nanos < 0 ? "-" : "").append(Long.toString(size / 1000));
    if (size % 1000 != 0) {
      out.append('.').append(Long.toString(1000 + size % 1000).substring(1));
    }
    return this;
  }

  private void separate() throws IOException {
    if (!isFirst) {
      out.append(',');
    }
    isFirst = false;
  }

  private JsonText text(String text) throws IOException {
    separate();
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      // The last two: inside of a script, text must not end that.
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' '
          || c == '<'
          || c == '\u2028'
          || c == '\u2029'
          || Character.isSurrogate(c)) {
        out.append(String.format("\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    out.append('"');
    return this;
  }
}
