// The place in a list, stored with its entry in the history of the browser, so that Back returns to it.

export interface KeptPlace {
  /** Identifies the listing. */
  readonly listing: string;
  /** The number of rows from the first visible row to the last row: rows that arrive at the top do not change it. */
  readonly below: number;
  /** The record whose row had the focus. */
  readonly focused?: string | undefined;
}

const DELAY_MS = 200;

let waiting: { readonly place: KeptPlace; readonly hash: string } | undefined;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Stores the place that was noted last, unless the page has left its list. */
export const storePlace = (): void => {
  clearTimeout(timer);
  timer = undefined;
  if (waiting?.hash === location.hash) history.replaceState({ ...history.state, list: waiting.place }, '');
  waiting = undefined;
};

/** Stores a place soon. Browsers limit how often the history may change. */
export const notePlace = (place: KeptPlace): void => {
  waiting = { place, hash: location.hash };
  timer ??= setTimeout(storePlace, DELAY_MS);
};

/** The place in this listing where the page was left. Undefined if it is opened for the first time. */
export const keptPlace = (listing: string): KeptPlace | undefined => {
  const place: KeptPlace | undefined = history.state?.list;
  return place?.listing === listing ? place : undefined;
};
