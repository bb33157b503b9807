package dev.streamfence.processor.compile;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a compiler made of a source. Immutable, but for the bytes, which no one modifies.
 *
 * @param ptx the code; empty if there is none, and then a message is an error
 * @param messages what the compiler says
 * @param inputs the files that it has read; empty if it did not tell
 */
public record CompilerResult(
    Optional<byte[]> ptx, List<CompilerMessage> messages, List<Path> inputs) {
  public CompilerResult {
    messages = List.copyOf(messages);
    inputs = List.copyOf(inputs);
  }
}
