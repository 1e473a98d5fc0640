// Renames a context so that neither a crash nor a keychain error separates it from its login.
import { usage } from '../../failure.ts';
import {
  accountOfContext,
  type ContextsDocument,
  changeContexts,
  contextNamed,
  LOCAL_CONTEXT,
} from '../../local/contexts.ts';
import type { CredentialStore } from '../../local/credentials/credentials.ts';
import type { Paths } from '../../local/paths.ts';
import { taken } from './context-transfer.ts';

/** Longest time to remove the new name again after a failure, in milliseconds. */
const UNDO_MS = 5_000;

export interface RenameInput {
  readonly paths: Pick<Paths, 'contextsFile'>;
  readonly credentials: Pick<CredentialStore, 'read' | 'write' | 'remove'>;
  readonly signal: AbortSignal;
}

/**
 * Renames a context and moves its login. Both names exist until the login is stored under the new one, and the old
 * login is removed last. If the login cannot be stored, the context keeps its name.
 * @throws CliFailure NOT_FOUND, USAGE, ALREADY_EXISTS, AUTH_FAILED if the keychain refuses
 */
export const renameContext = async (
  { paths, credentials, signal }: RenameInput,
  name: string,
  to: string,
): Promise<ContextsDocument> => {
  const change = (edit: (before: ContextsDocument) => ContextsDocument, until = signal) =>
    changeContexts(paths.contextsFile, edit, until);
  const both = await change((before) => {
    const entry = contextNamed(before, name);
    if (name === LOCAL_CONTEXT) throw usage('cannot rename "local": it means the daemon of this machine');
    if (to === LOCAL_CONTEXT || Object.hasOwn(before.contexts, to)) throw taken(to);
    return { ...before, contexts: { ...before.contexts, [to]: entry } };
  });
  const without = (gone: string, { contexts: { [gone]: _gone, ...contexts }, ...rest }: ContextsDocument) => ({
    ...rest,
    contexts,
  });
  const entry = contextNamed(both, to);
  const [from, into] = [accountOfContext(name, entry), accountOfContext(to, entry)];
  try {
    const found = from === undefined ? undefined : await credentials.read(from);
    if (found && into !== undefined) await credentials.write(into, found.record, found.store);
  } catch (error) {
    // If the removal also fails, an extra context name remains. The first error, why the login could not be stored,
    // is the one to report.
    await change((before) => without(to, before), AbortSignal.timeout(UNDO_MS)).catch(() => undefined);
    throw error;
  }
  const made = await change((before) => ({
    ...without(name, before),
    ...(before.current === name && { current: to }),
  }));
  if (from !== undefined) await credentials.remove(from);
  return made;
};
