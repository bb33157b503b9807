package dev.streamfence.internal.device;

import dev.streamfence.DeviceException;
import dev.streamfence.DeviceStream;
import dev.streamfence.internal.Suppressed;
import dev.streamfence.internal.host.HostBuffer;
import dev.streamfence.internal.memory.Region;
import dev.streamfence.memory.SpillableArray.Place;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Elements in a file, which only this process's user can read, and which is deleted when it is
 * closed, or the process ends. Both ways wait for each chunk, also in a thread that is interrupted,
 * which it stays: an interrupt would close a {@link java.nio.channels.FileChannel}, and the only
 * copy of the elements with it.
 */
final class FileCopy<A> implements SpilledCopy<A> {
  /** Enough for the speed of a disk. */
  private static final int CHUNK_BYTES = 4 << 20;

  private final Path path;
  private final AsynchronousFileChannel file;

  private FileCopy(Path path, AsynchronousFileChannel file) {
    this.path = path;
    this.file = file;
  }

  /**
   * Copies an array to a new file.
   *
   * @throws DeviceException if the file cannot be written; it is deleted then
   */
  static <A> FileCopy<A> of(WritableArray<A> array, DeviceStream stream, Path folder) {
    FileCopy<A> copy;
    try {
      Path path = Files.createTempFile(folder, "streamfence-", ".spill");
      copy = new FileCopy<>(path, open(path));
    } catch (IOException e) {
      throw failure(array, folder, e);
    }
    try {
      copy.write(array, stream);
      return copy;
    } catch (IOException e) {
      DeviceException failure = failure(array, folder, e);
      copy.discardAfter(failure);
      throw failure;
    } catch (RuntimeException | Error e) {
      copy.discardAfter(e);
      throw e;
    }
  }

  /** Gives it up after a failure, which is thrown instead of one that this has. */
  private void discardAfter(Throwable failure) {
    try {
      discard();
    } catch (RuntimeException | Error e) {
      Suppressed.add(failure, e);
    }
  }

  private static AsynchronousFileChannel open(Path path) throws IOException {
    try {
      return AsynchronousFileChannel.open(
          path,
          StandardOpenOption.READ,
          StandardOpenOption.WRITE,
          StandardOpenOption.DELETE_ON_CLOSE);
    } catch (IOException e) {
      Files.deleteIfExists(path);
      throw e;
    }
  }

  private static DeviceException failure(TrackedArray<?> array, Path folder, IOException e) {
    return new DeviceException(
        "spilling "
            + array
            + " to a file in "
            + folder
            + " failed: "
            + e
            + "; name a folder with space by RuntimeOptions.withSpillFolder",
        e);
  }

  private void write(WritableArray<A> array, DeviceStream stream) throws IOException {
    ByteBuffer chunk = chunk(array);
    int size = array.elementType.sizeInBytes();
    long step = chunk.capacity() / size;
    for (long from = 0; from < array.length; from += step) {
      long count = Math.min(step, array.length - from);
      chunk.clear().limit((int) count * size);
      Region source = array.used(from, count, "spill");
      if (source != null) {
        HostBuffer target = HostBuffer.of(chunk, array.elementType, "spill");
        array.memory.transfers().download(array, stream, source, target);
      }
      for (long at = from * size; chunk.hasRemaining(); ) {
        at += await(file.write(chunk, at));
      }
    }
  }

  @Override
  public Place place() {
    return Place.DISK;
  }

  @Override
  public void readTo(WritableArray<A> target, DeviceStream stream) {
    ByteBuffer chunk = chunk(target);
    int size = target.elementType.sizeInBytes();
    long step = chunk.capacity() / size;
    try {
      for (long from = 0; from < target.length; from += step) {
        chunk.clear().limit((int) Math.min(step, target.length - from) * size);
        for (long at = from * size; chunk.hasRemaining(); ) {
          int read = await(file.read(chunk, at));
          if (read < 0) {
            throw new IOException("the file ends at byte " + at);
          }
          at += read;
        }
        target.upload(stream, from, chunk.flip());
      }
    } catch (IOException e) {
      throw new DeviceException("reading " + target + " back from " + path + " failed: " + e, e);
    }
  }

  /** Waits for a chunk. An interrupt does not end the wait. */
  private static int await(Future<Integer> chunk) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return chunk.get();
        } catch (InterruptedException e) {
          interrupted = true;
        } catch (ExecutionException e) {
          throw new IOException(e.getCause());
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static ByteBuffer chunk(TrackedArray<?> array) {
    int size = array.elementType.sizeInBytes();
    long bytes = Math.min(array.sizeInBytes(), CHUNK_BYTES / size * (long) size);
    return ByteBuffer.allocateDirect((int) bytes).order(ByteOrder.nativeOrder());
  }

  @Override
  public boolean isIdle() {
    return true;
  }

  @Override
  public void discard() {
    try {
      file.close();
    } catch (IOException e) {
      throw new DeviceException("closing " + path + " failed: " + e, e);
    }
  }
}
