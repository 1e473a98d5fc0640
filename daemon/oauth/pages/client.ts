// How a client and the place it is answered at are shown to a person.
import { html, type Markup } from '../../http/response/html.ts';

/** A stranger's name: kept apart from the writing direction of the sentence around it. */
export const nameOf = (name: string): Markup => html`<bdi class="name">${name}</bdi>`;

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Where the answer goes: a host (and that it is this computer), or the scheme by which a program of this device is found. */
export const destinationOf = (redirectUri: string): Markup => {
  const { protocol, host, hostname } = new URL(redirectUri);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return html`the program on this device that opens <b class="place">${protocol}</b> links`;
  }
  return LOOPBACK.has(hostname)
    ? html`<b class="place">${host}</b>, a program on this computer`
    : html`<b class="place">${host}</b>`;
};

/** Seconds in words: `4 hours`, `90 minutes`, `1 second`. */
export const duration = (seconds: number): string => {
  const [amount, unit] =
    seconds >= 3_600 && seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds >= 60
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.max(1, Math.ceil(seconds)), 'second'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
};
