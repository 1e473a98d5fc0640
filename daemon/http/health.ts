// Says that the daemon is up, to anybody, and nothing else.
import type { Handlers } from './on.ts';

/** @see wire.md "Addresses" */
export const healthHandlers = (about: {
  readonly version: string;
  readonly instance: string;
}): Handlers<'health.show'> => ({
  'health.show': () => ({
    result: { status: 'ok', version: about.version, instance: about.instance },
    message: 'The daemon is up.',
  }),
});
