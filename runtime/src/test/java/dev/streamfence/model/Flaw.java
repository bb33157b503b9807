package dev.streamfence.model;

/**
 * One way to get the protocol wrong. The explorer has to notice each of them, and code that has it
 * makes driver calls that the model does not.
 */
enum Flaw {
  /** Preflight registers nothing; commit does. */
  COMMITTED_STATE_ONLY,
  /** Each block is locked and registered by itself. */
  BLOCKS_REGISTERED_ONE_BY_ONE,
  /** A block remembers one reader: the last. */
  ONE_READ_PER_BLOCK,
  /** A writer's commit clears the readers, also those registered after its preflight. */
  READERS_CLEARED_AT_COMMIT,
  /** A writer waits for the last writer and for no reader. */
  LAST_WRITER_ONLY,
  /** A reader waits for nobody. */
  READERS_WAIT_FOR_NOBODY,
  /** A block counts as ready when it is allocated. */
  NO_READY_TICKET,
  /** Blocks are not pinned between preflight and commit. */
  NO_PIN,
  /** An abandoned submission keeps its pins. */
  PINS_KEPT_WHEN_ABANDONED,
  /** A close that was put off is forgotten. */
  DEFERRED_CLOSE_FORGOTTEN,
  /** A second close frees again. */
  CLOSE_NOT_IDEMPOTENT,
  /** Closed blocks are accepted. */
  CLOSED_BLOCKS_ACCEPTED,
  /** A free waits for nothing. */
  FREE_WITHOUT_WAITING,
  /** A registered ticket is not waited for on the host: whatever is queued by then must do. */
  TICKET_NOT_AWAITED,
  /** A ticket counts as submitted as soon as its preflight is through. */
  PUBLISHED_BEFORE_LAUNCH,
  /** The ticket of an abandoned submission is never submitted. */
  ABANDONED_TICKET_NEVER_PUBLISHED,
  /** Waits that could not be queued are dropped. */
  FAILED_WAIT_FORGOTTEN,
  /** A wait that could not be queued counts as queued. */
  FAILED_WAIT_MERGED,
  /** The newest event counts as covering, whatever it covers. */
  NEWEST_EVENT_COVERS,
  /**
   * A slot counts as covering by its place in the ring, even if it was recorded over or not yet.
   */
  SLOT_FOUND_BY_POSITION,
  /** A slot gets its ticket before its event is recorded. */
  LABELLED_BEFORE_RECORDING,
  /** A slot that is being recorded over keeps its old ticket, but has the new clock already. */
  SLOT_NOT_INVALIDATED,
  /** The clock says that a wait is queued before it is. */
  CLOCK_MERGED_BEFORE_WAIT,
  /** A waiter takes over the other stream's clock of now, not that of the event. */
  CLOCK_OF_NOW_MERGED,
  /** A waiter takes everything submitted as waited for, not what the event covers. */
  SUBMITTED_MERGED_AS_WAITED_FOR,
  /** A synchronisation marks as done what was submitted while it waited. */
  SUBMITTED_READ_AFTER_SYNCHRONIZING,
  /** A synchronisation marks as done what the stream was told to wait for while it waited. */
  CLOCK_READ_AFTER_SYNCHRONIZING,
  /** A submitted ticket counts as done. */
  SUBMITTED_COUNTS_AS_DONE
}
