// Format of the event stream, and the data of its notices.
//
// The operation events.list streams each event as SSE `event: <event_type>`, `id: <id>`, `data:` the event as JSON.
// - Start: `Last-Event-ID`, else `after` or `since`, else now. `before`, `until`, `limit` and `order` are refused.
// - End: the stream has no end. After a lost connection a client resumes with `Last-Event-ID: <the last id>`; no event
//   is lost or repeated.
// - A client that reads nothing for a minute is disconnected. A comment every 15 s shows that the connection is alive.
//
// Notices have lower-case names. A client ignores unknown notices:
// - `open` is always first. Its `id` is a cursor to resume from before any event has arrived.
// - `reset` follows `open` if the cursor is older than the oldest kept event. Events may be missing; the stream
//   continues with the oldest event.
// - `cursor` arrives now and then while there are no events for this client. Its id is a cursor to resume from.

export interface EventStreamOpen {
  /** The stream starts after this event. */
  readonly cursor: string;
  /** The oldest kept event. Null: none. */
  readonly oldest: string | null;
}

export interface EventStreamReset {
  readonly asked: string;
  readonly oldest: string | null;
}
