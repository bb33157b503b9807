package dev.streamfence.contract;

import dev.streamfence.memory.MemoryResource;
import dev.streamfence.memory.MemoryStream;
import dev.streamfence.memory.StreamMark;
import java.util.ArrayDeque;
import java.util.Deque;

/** Keeps freed blocks of one size; the example of the documentation, with places for mistakes. */
class BlockPool implements MemoryResource {
  record Block(long address, StreamMark freed) {}

  final MemoryResource driver;
  final long blockSize;
  final Deque<Block> free = new ArrayDeque<>();

  BlockPool(MemoryResource driver, long blockSize) {
    this.driver = driver;
    this.blockSize = blockSize;
  }

  @Override
  public long allocate(long bytes, MemoryStream stream) {
    if (bytes > blockSize) {
      return driver.allocate(bytes, stream);
    }
    Block block = poll();
    if (block == null) {
      return driver.allocate(blockSize, stream);
    }
    waitFor(block, stream);
    return block.address();
  }

  @Override
  public void deallocate(long address, long bytes, MemoryStream stream) {
    if (bytes > blockSize) {
      driver.deallocate(address, bytes, stream);
    } else {
      push(new Block(address, stream.mark()));
    }
  }

  @Override
  public void trim(MemoryStream stream) {
    for (Block block = poll(); block != null; block = poll()) {
      try {
        stream.waitFor(block.freed());
        driver.deallocate(block.address(), blockSize, stream);
      } catch (RuntimeException e) {
        push(block);
        throw e;
      }
    }
  }

  @Override
  public boolean isStreamOrdered() {
    return driver.isStreamOrdered();
  }

  void waitFor(Block block, MemoryStream stream) {
    stream.waitFor(block.freed());
  }

  synchronized Block poll() {
    return free.poll();
  }

  synchronized void push(Block block) {
    free.push(block);
  }

  @Override
  public String toString() {
    return "a pool of blocks of " + blockSize + " bytes";
  }
}
