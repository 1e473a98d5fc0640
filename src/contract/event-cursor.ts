// A position in the sequence of events: EPOCH.NUMBER, or the number alone. The number is the id of an event. A new epoch
// begins when the data of an instance are replaced, because event ids are used again from then on.

export const CURSOR = /^(?:([A-Za-z0-9]{1,32})\.)?(\d{1,15})$/;

interface EventCursor {
  /** Absent in a plain number, which is valid in every epoch. */
  readonly epoch?: string;
  readonly number: number;
}

/** Undefined if the text is no cursor. */
export const parseCursor = (text: string): EventCursor | undefined => {
  const [, epoch, number] = CURSOR.exec(text) ?? [];
  return number === undefined ? undefined : { ...(epoch !== undefined && { epoch }), number: Number(number) };
};

export const writeCursor = (epoch: string | undefined, number: number | string): string =>
  epoch === undefined ? String(number) : `${epoch}.${number}`;
