// `actorctl/client`: a client for a program, with the contexts and logins of the command line.
import { inErrors } from './actorctl-error.ts';
import { clientOf } from './client-of.ts';
import { libraryContext, type Target } from './library-context.ts';

export type { Settlement } from '../commands/executions/settle.ts';
export { ActorctlError } from './actorctl-error.ts';
export type { CallOptions, Client, StreamedEvent } from './client-of.ts';

/** Connects to the service of a context, of a local instance, or of an address with a token. */
export const connect = (target: Target = {}) => inErrors(async () => clientOf(await libraryContext(target)));
