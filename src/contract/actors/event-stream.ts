// Format of the event stream, and the payloads of its notices.
//
// The operation events.list streams each event as SSE `event: <event_type>`, `id: <cursor>`, `data:` the event as JSON.
// A cursor is EPOCH.NUMBER.
// - Start: `Last-Event-ID`, else `after` or `since`, else now. `before`, `until`, `limit` and `order` are refused.
// - End: the service does not end the stream. After a lost connection a client resumes with `Last-Event-ID: <the last
//   id>`; no event
//   is lost or repeated.
// - The service disconnects a client that reads nothing for a minute. A comment every 15 s shows that the connection
//   is alive.
//
// Notices have lower-case names. A client ignores unknown notices:
// - `open` is always first. Its `id` is a cursor to resume from before any event has arrived.
// - `reset` follows `open` if the cursor is older than the oldest stored event, or from another epoch. Events may be
//   missing; the stream continues with the oldest event.
// - `cursor` arrives occasionally while there are no events for this client. Its id is a cursor to resume from.

export interface EventStreamOpen {
  /** The stream starts after this event. */
  readonly cursor: string;
  /** The oldest stored event. Null: there is none. */
  readonly oldest: string | null;
}

export interface EventStreamReset {
  /** The cursor of the client. */
  readonly asked: string;
  readonly oldest: string | null;
}
