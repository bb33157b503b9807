package dev.streamfence.it;

import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.memory.StreamMark;
import java.util.concurrent.ConcurrentLinkedDeque;

/** The pool of the page on memory, for tests on a GPU. */
final class BlockPool implements MemoryResource {
  private record Block(long address, StreamMark freed) {}

  private final ConcurrentLinkedDeque<Block> free = new ConcurrentLinkedDeque<>();
  private final MemoryResource driver;
  private final long blockSize;

  BlockPool(MemoryResource driver, long blockSize) {
    this.driver = driver;
    this.blockSize = blockSize;
  }

  @Override
  public long allocate(long bytes, MemoryStream stream) {
    Block block = bytes <= blockSize ? free.poll() : null;
    if (block == null) {
      return driver.allocate(Math.max(bytes, blockSize), stream);
    }
    stream.waitFor(block.freed());
    return block.address();
  }

  @Override
  public void deallocate(long address, long bytes, MemoryStream stream) {
    if (bytes <= blockSize) {
      free.push(new Block(address, stream.mark()));
    } else {
      driver.deallocate(address, bytes, stream);
    }
  }

  @Override
  public void trim(MemoryStream stream) {
    for (Block block = free.poll(); block != null; block = free.poll()) {
      stream.waitFor(block.freed());
      driver.deallocate(block.address(), blockSize, stream);
    }
  }
}
