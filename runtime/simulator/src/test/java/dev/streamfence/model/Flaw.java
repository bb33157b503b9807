package dev.streamfence.model;

/**
 * One way to get the protocol wrong. The explorer has to notice each of them, and code that has it
 * makes driver calls that the model does not.
 */
enum Flaw {
  /** Preflight registers nothing; commit does. */
  COMMITTED_STATE_ONLY,
  /** Each allocation is locked and registered separately. */
  ALLOCATIONS_REGISTERED_ONE_BY_ONE,
  /** An allocation remembers one reader: the last. */
  ONE_READ_PER_ALLOCATION,
  /** A writer's commit clears the readers, also those registered after its preflight. */
  READERS_CLEARED_AT_COMMIT,
  /** A writer waits for the last writer and for no reader. */
  LAST_WRITER_ONLY,
  /** A reader waits for no earlier use. */
  READERS_WAIT_FOR_NOBODY,
  /** An allocation counts as ready when it is made. */
  NO_READY_TICKET,
  /** A close does not look for uses that are registered and not submitted. */
  UNSUBMITTED_USES_IGNORED,
  /** A close looks at the last write, and at no read. */
  UNSUBMITTED_READS_IGNORED,
  /** A stream goes on with the closes that wait for it, and submits its ticket afterwards. */
  CLOSES_CONTINUED_BEFORE_SUBMITTING,
  /** An abandoned submission does not go on with the closes that wait for it. */
  CLOSES_KEPT_WHEN_ABANDONED,
  /** A postponed close is forgotten. */
  DEFERRED_CLOSE_FORGOTTEN,
  /** A second close frees again. */
  CLOSE_NOT_IDEMPOTENT,
  /** Closed allocations are accepted. */
  CLOSED_ALLOCATIONS_ACCEPTED,
  /** A free waits for nothing. */
  FREE_WITHOUT_WAITING,
  /** The host does not wait for a registered ticket: a wait covers only the work queued by then. */
  TICKET_NOT_AWAITED,
  /** A ticket counts as submitted as soon as its preflight is through. */
  PUBLISHED_BEFORE_LAUNCH,
  /** The ticket of an abandoned submission is never submitted. */
  ABANDONED_TICKET_NEVER_PUBLISHED,
  /** Waits that could not be queued are dropped. */
  FAILED_WAIT_FORGOTTEN,
  /** A wait that could not be queued counts as queued. */
  FAILED_WAIT_MERGED,
  /** The newest event counts as covering every ticket. */
  NEWEST_EVENT_COVERS,
  /**
   * A slot counts as covering by its place in the ring, even if it was recorded again or not yet.
   */
  SLOT_FOUND_BY_POSITION,
  /** A slot gets its ticket before its event is recorded. */
  LABELLED_BEFORE_RECORDING,
  /** A slot that is being recorded again keeps its old ticket, but already has the new clock. */
  SLOT_NOT_INVALIDATED,
  /** The clock says that a wait is queued before it is. */
  CLOCK_MERGED_BEFORE_WAIT,
  /** A waiter takes over the other stream's clock of now, not that of the event. */
  CLOCK_OF_NOW_MERGED,
  /** A waiter takes everything submitted as waited for, not what the event covers. */
  SUBMITTED_MERGED_AS_WAITED_FOR,
  /** A synchronisation marks work as done that was submitted while it waited. */
  SUBMITTED_READ_AFTER_SYNCHRONIZING,
  /** A synchronisation marks work as done that the stream began to wait for meanwhile. */
  CLOCK_READ_AFTER_SYNCHRONIZING,
  /** A submitted ticket counts as done. */
  SUBMITTED_COUNTS_AS_DONE
}
