package dev.streamfence.internal.column.foreign;

import dev.streamfence.column.dlpack.ExportedTensor;
import dev.streamfence.internal.exchange.TensorExport;
import dev.streamfence.internal.exchange.TensorForm;

/** The implementation of {@link ExportedTensor}. */
public final class TensorLoan implements ExportedTensor {
  private final TensorExport export;

  TensorLoan(TensorExport export) {
    this.export = export;
  }

  @Override
  public boolean isVersioned() {
    return export.tensor().form() == TensorForm.VERSIONED;
  }

  @Override
  public String capsuleName() {
    return isVersioned() ? "dltensor_versioned" : "dltensor";
  }

  @Override
  public long handOver() {
    return export.handOver();
  }

  @Override
  public void close() {
    export.close();
  }

  @Override
  public String toString() {
    return export.toString();
  }
}
