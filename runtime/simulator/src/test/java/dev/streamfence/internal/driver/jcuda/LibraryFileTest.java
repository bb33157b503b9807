package dev.streamfence.internal.driver.jcuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.streamfence.DeviceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files in the place of JCuda's library, which are kept, replaced or refused. */
class LibraryFileTest {
  private static final byte[] CONTENT = {1, 2, 3, 4};

  @TempDir private Path folder;
  private Path target;

  @BeforeEach
  void name() {
    target = folder.resolve("lib.so");
  }

  @Test
  void aMissingFileIsWrittenForThisUserOnly() throws IOException {
    place();

    assertThat(target).hasBinaryContent(CONTENT);
    if (isPosix()) {
      assertThat(Files.getPosixFilePermissions(target))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }
    assertNothingElseIsLeft();
  }

  @Test
  void theRightFileIsLeftAlone() throws IOException {
    place();
    FileTime then = FileTime.fromMillis(1_000_000);
    Files.setLastModifiedTime(target, then);

    place();

    assertThat(Files.getLastModifiedTime(target)).isEqualTo(then);
    assertNothingElseIsLeft();
  }

  @Test
  void aFileThatWasCutOffIsReplaced() throws IOException {
    Files.write(target, new byte[] {1, 2});

    place();

    assertThat(target).hasBinaryContent(CONTENT);
  }

  @Test
  void anotherFileOfTheSameSizeIsReplaced() throws IOException {
    Files.write(target, new byte[] {1, 2, 3, 5});

    place();

    assertThat(target).hasBinaryContent(CONTENT);
  }

  @Test
  void aFileThatOthersMayWriteIsReplaced() throws IOException {
    assumeTrue(isPosix(), "permissions are POSIX's");
    Files.write(target, CONTENT);
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rw-rw-rw-"));

    place();

    assertThat(Files.getPosixFilePermissions(target))
        .isEqualTo(PosixFilePermissions.fromString("rw-------"));
  }

  @Test
  void aFileOfAnotherUserIsReplaced() throws IOException {
    Files.write(target, CONTENT);
    assumeTrue(canGiveAway(), "only root can give a file to another user");

    place();

    assertThat(Files.getOwner(target)).isEqualTo(Files.getOwner(folder));
  }

  private boolean canGiveAway() {
    try {
      Files.setAttribute(target, "unix:uid", 12345);
      return true;
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      return false;
    }
  }

  @Test
  void aLinkIsReplacedAndNotFollowed() throws IOException {
    assumeTrue(isPosix(), "links are POSIX's");
    Path elsewhere = Files.write(folder.resolve("elsewhere"), CONTENT);
    Files.createSymbolicLink(target, elsewhere);

    place();

    assertThat(Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)).isTrue();
    assertThat(elsewhere).hasBinaryContent(CONTENT);
  }

  @Test
  void aFileThatCannotBeReplacedIsRefused() throws IOException {
    Files.createDirectories(target.resolve("in the way"));

    assertThatThrownBy(this::place)
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining(target.toString())
        .hasMessageContaining("-Djava.io.tmpdir");
    assertNothingElseIsLeft();
  }

  @Test
  void aFileInPlaceOfTheFolderIsRefused() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));

    assertThatThrownBy(() -> new LibraryFile(file, "lib.so", CONTENT).place())
        .isInstanceOf(DeviceException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining("-Djava.io.tmpdir");
  }

  private void place() {
    new LibraryFile(folder, "lib.so", CONTENT).place();
  }

  private boolean isPosix() throws IOException {
    return Files.getFileStore(folder).supportsFileAttributeView("posix");
  }

  private void assertNothingElseIsLeft() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      assertThat(files).containsExactly(target);
    }
  }
}
