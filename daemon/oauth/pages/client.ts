// Renders a client and its redirect target for a person.
import { html, type Markup } from '../../http/response/html.ts';
import { partsOf } from './headers.ts';

/** A client name isolated in its text direction, because it can contain any characters. */
export const nameOf = (name: string): Markup => html`<bdi class="name">${name}</bdi>`;

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** The target of the redirect: a host, marked if it is this computer, or the URL scheme of a program on this device. */
export const destinationOf = (redirectUri: string): Markup => {
  const { protocol, host, hostname } = partsOf(redirectUri);
  if (protocol !== 'http:' && protocol !== 'https:') {
    return html`the program on this device that opens <b class="place">${protocol}</b> links`;
  }
  return LOOPBACK.has(hostname)
    ? html`<b class="place">${host}</b>, a program on this computer`
    : html`<b class="place">${host}</b>`;
};

/** Seconds as text: `4 hours`, `90 minutes`, `1 second`. */
export const duration = (seconds: number): string => {
  const [amount, unit] =
    seconds >= 3_600 && seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds >= 60
        ? [Math.ceil(seconds / 60), 'minute']
        : [Math.max(1, Math.ceil(seconds)), 'second'];
  return `${amount} ${unit}${amount === 1 ? '' : 's'}`;
};
