package dev.streamfence.it.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.streamfence.it.compare.Report.Measured;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The picture of a report. */
final class PictureTest {
  private static Report report(List<Measured> rows) {
    Machine machine = new Machine("GPU", "580", "CPU", "0-7", "17", "2026-11-27", "abc");
    return new Report(machine, 2, Map.of(), rows, List.of());
  }

  private static Measured row(String id, Map<String, Figures> figures) {
    return new Measured(id, id, Unit.NANOSECONDS, figures, figures);
  }

  @Test
  void aPictureShowsTheRatios(@TempDir Path folder) throws IOException {
    Figures slow = Figures.of(List.of(1.2, 1.3));
    Measured both = row("launch-one-stream", Map.of("Streamfence", slow, "CuPy", slow));
    Measured one = row("reuse", Map.of("Streamfence", slow));
    Path json = folder.resolve("compare.json");
    report(List.of(both, one)).write(json);
    Path png = folder.resolve("compare.png");
    Picture.main(new String[] {json.toString(), png.toString()});
    BufferedImage picture = ImageIO.read(png.toFile());
    assertThat(picture.getWidth()).isEqualTo(1400);
    int[] pixels = picture.getRGB(0, 0, 1400, picture.getHeight(), null, 0, 1400);
    assertThat(Arrays.stream(pixels).distinct())
        .as("two series and their text")
        .hasSizeGreaterThan(20);
  }

  @Test
  void aReportWithoutRatiosIsRefused(@TempDir Path folder) {
    assertThatThrownBy(() -> Picture.draw(report(List.of()), folder.resolve("compare.png")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
