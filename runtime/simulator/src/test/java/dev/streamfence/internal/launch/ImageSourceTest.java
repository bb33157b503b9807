package dev.streamfence.internal.launch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.KernelLoadException;
import dev.streamfence.launch.KernelImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The places where an image may be, and their content. */
final class ImageSourceTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "vector, vector.sm_90.cubin",
    "vector.ptx, vector.sm_90.cubin",
    "kernels/vector.ptx, kernels/vector.sm_90.cubin",
    "kernels/vector, kernels/vector.sm_90.cubin",
    "v1.2/vector, v1.2/vector.sm_90.cubin",
    "v1.2/vector.ptx, v1.2/vector.sm_90.cubin",
    "kernels/.ptx, kernels/.sm_90.cubin"
  })
  void aBinaryIsNamedAfterTheImage(String image, String binary) {
    List<ImageSource> sources =
        ImageSource.of(KernelImage.resource(image, name -> null), "sm_90", List.of(folder));

    assertThat(sources.stream().map(ImageSource::name))
        .containsExactly(
            folder.resolve(binary).toString(), folder.resolve(image).toString(), binary, image);
  }

  @Test
  void aFileOfTheMaximalSizeIsRead() throws IOException {
    byte[] bytes = new byte[ImageSource.MAX_BYTES];
    Files.write(folder.resolve("large.ptx"), bytes);

    assertThat(new ImageSource.InFolder(folder, "large.ptx").read())
        .hasValueSatisfying(read -> assertThat(read).hasSize(ImageSource.MAX_BYTES));
    assertThat(
            new ImageSource.Resource("large.ptx", name -> new ByteArrayInputStream(bytes)).read())
        .hasValueSatisfying(read -> assertThat(read).hasSize(ImageSource.MAX_BYTES));
  }

  @Test
  void aMissingFileIsNoError() {
    assertThat(new ImageSource.InFolder(folder, "none.ptx").read()).isEmpty();
    assertThat(new ImageSource.Resource("none.ptx", name -> null).read()).isEmpty();
  }

  @Test
  void anUnreadableFileIsReportedWithItsNameAndTheReason() throws IOException {
    Files.createDirectory(folder.resolve("folder.ptx"));
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("the disk is gone");
          }
        };

    assertThatThrownBy(() -> new ImageSource.InFolder(folder, "folder.ptx").read())
        .isInstanceOf(KernelLoadException.class)
        .hasMessageStartingWith(folder.resolve("folder.ptx") + ": it cannot be read");
    assertThatThrownBy(() -> new ImageSource.Resource("broken.ptx", name -> broken).read())
        .isInstanceOf(KernelLoadException.class)
        .hasMessage("broken.ptx: it cannot be read; the disk is gone")
        .hasCauseInstanceOf(IOException.class);
  }

  @Test
  void aLinkInsideOfTheFolderIsFollowed() throws IOException {
    Files.write(folder.resolve("real.ptx"), new byte[] {7});
    Files.createSymbolicLink(folder.resolve("link.ptx"), folder.resolve("real.ptx"));

    assertThat(new ImageSource.InFolder(folder, "link.ptx").read())
        .hasValueSatisfying(read -> assertThat(read).containsExactly(7));
  }

  @Test
  void givenBytesAreCopied() {
    byte[] bytes = {1, 2};
    ImageSource source = new ImageSource.GivenBytes("at hand", bytes);
    bytes[0] = 9;

    assertThat(source.name()).isEqualTo("at hand");
    assertThat(source.read()).hasValueSatisfying(read -> assertThat(read).containsExactly(1, 2));
  }
}
