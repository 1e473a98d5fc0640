// Whether the message of an execution is stored, so that it can be sent again.

/** Why an execution cannot be run again as it was. */
export const NOT_STORED = 'Its message is not stored in full, so it cannot be sent again.';

interface Sent {
  readonly trigger?: string | undefined;
  /** Null or absent if it is not stored, or not shown to the user. A row of a search has none. */
  readonly message?: unknown;
}

/** False if the service would refuse to send the message again. */
export const isStored = ({ trigger = '', message }: Sent): boolean =>
  message === undefined ? trigger !== 'cron' && trigger !== 'link' : message !== null;
