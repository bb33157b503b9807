package dev.streamfence.internal.driver.jcuda;

import dev.streamfence.DeviceException;
import java.io.IOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;

/**
 * A native library in a folder that other users may share. Immutable; any number of processes may
 * place the same library at once.
 */
final class LibraryFile {
  /** The user that can write everywhere anyway. */
  private static final int ROOT = 0;

  private final Path folder;
  private final Path target;
  private final byte[] content;

  LibraryFile(Path folder, String fileName, byte[] content) {
    this.folder = folder;
    this.target = folder.resolve(fileName);
    this.content = content;
  }

  /**
   * Ensures that the file exists with the right content, and that no other user can change it.
   * Replaces a wrong file. The file is complete as soon as it has its name.
   *
   * @throws DeviceException if a wrong file cannot be replaced, or the folder cannot be used
   */
  void place() {
    try {
      // Also tells the owner of files that this user creates; there is no other portable way.
      Path fresh = Files.createTempFile(folder, target.getFileName() + ".", ".part");
      try {
        if (!isRight(fresh)) {
          Files.write(fresh, content);
          replaceWith(fresh);
        }
      } finally {
        Files.deleteIfExists(fresh);
      }
    } catch (IOException e) {
      throw unusable(folder, e);
    }
  }

  private void replaceWith(Path fresh) throws IOException {
    try {
      Files.move(fresh, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw e;
    } catch (IOException e) {
      // Windows locks a library that another process has loaded; it is then the right one.
      if (!isRight(fresh)) {
        throw new DeviceException(
            target
                + " is not JCuda's library, or another user may change it, and it cannot be"
                + " replaced; remove it, or start Java with -Djava.io.tmpdir=<a folder of your"
                + " own>",
            e);
      }
    }
  }

  private boolean isRight(Path own) throws IOException {
    return Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)
        && Files.size(target) == content.length
        && isSafeFromOthers(own)
        && Arrays.equals(Files.readAllBytes(target), content);
  }

  private boolean isSafeFromOthers(Path own) throws IOException {
    if (!Files.getFileStore(folder).supportsFileAttributeView("posix")) {
      // Windows: the temporary folder is the user's own.
      return true;
    }
    PosixFileAttributes found =
        Files.readAttributes(target, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    boolean trusted =
        found.owner().equals(Files.getOwner(own))
            || Files.getAttribute(target, "unix:uid", LinkOption.NOFOLLOW_LINKS).equals(ROOT);
    return trusted
        && !found.permissions().contains(PosixFilePermission.GROUP_WRITE)
        && !found.permissions().contains(PosixFilePermission.OTHERS_WRITE);
  }

  /** The exception for a folder in which no file can be created. */
  static DeviceException unusable(Path folder, IOException cause) {
    return new DeviceException(
        "JCuda's library cannot be put into "
            + folder
            + " ("
            + cause
            + "); start Java with -Djava.io.tmpdir=<a folder that can be written>, or put the"
            + " library on java.library.path",
        cause);
  }
}
