// The syntax of an origin.

const ORIGIN = /^https?:\/\/[^/?#@\s]+\/?$/;

/** True if the text is a scheme, a host and an optional port, and nothing else. */
export const isOrigin = (text: string): boolean => ORIGIN.test(text) && URL.canParse(text);
