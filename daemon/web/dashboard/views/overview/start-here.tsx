// What a platform without actors offers: the word-count example in one click.

import { ask } from '../../api/call.ts';
import { formatFailure } from '../../api/failure.ts';
import { ActionButton } from '../../parts/actions/action-button.tsx';
import { useOngoing } from '../../parts/actions/ongoing.ts';
import { announce } from '../../parts/announce.tsx';
import { TerminalLine } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { useIsAdmin } from '../../shell/me.ts';
import { hashOf } from '../../shell/place.ts';
import { go } from '../../shell/router.ts';

/** Creates the example, sends its first message and opens the run. @throws ApiFailure, with what exists by then */
const begin = async (): Promise<void> => {
  const { image, name, description, message } = await ask('POST /actors/v2/admin/example', {});
  const { id } = await ask('POST /actors/v2', { json: { image, name, description } });
  try {
    const { executionId } = await ask('POST /actors/v2/:actorId/messages', {
      params: { actorId: id },
      raw: message,
      headers: { 'content-type': 'text/plain' },
    });
    go(['executions', executionId], { started: 'example' });
  } catch (error) {
    go(['actors', id]);
    throw new Error(`The actor ${name} is created, but its first message is not sent: ${formatFailure(error)}`);
  }
};

const Example = ({ refusal }: { readonly refusal: string | undefined }) => {
  const ongoing = useOngoing();
  const start = async (): Promise<void> => {
    try {
      await begin();
    } catch (error) {
      announce(formatFailure(error), true);
    }
  };
  return (
    <>
      <p>
        An actor is a program that runs once for each message. The example counts the words of its message. It is a
        shell script on the machine of the daemon and needs no Docker.
      </p>
      {refusal === undefined ? null : <p class="problem">The example cannot run: {safe(refusal)}</p>}
      <div class="actions">
        <ActionButton
          class="primary"
          isOff={ongoing.has() || refusal !== undefined}
          onClick={() => void ongoing.run(start)}
        >
          Run the word-count example
        </ActionButton>
        <a class="button" href={hashOf(['actors'], { create: 'yes' })}>
          New actor
        </a>
      </div>
      <p class="soft">With the command line:</p>
      <TerminalLine line={'actorctl actors create "$(actorctl admin example -q)" --name wordcount --wait'} />
      <TerminalLine line={'actorctl run wordcount -m "to be or not to be"'} />
    </>
  );
};

const FromImage = () => (
  <>
    <p>
      An actor is a program that runs once for each message. You can create one from a container image. The word-count
      example runs on the machine of the daemon, so only an admin can create it. Ask an admin for it, or to share
      another actor with you.
    </p>
    <div class="actions">
      <a class="button" href={hashOf(['actors'], { create: 'yes' })}>
        New actor
      </a>
    </div>
    <p class="soft">An admin creates and shares the example with:</p>
    <TerminalLine line={'actorctl actors create "$(actorctl admin example -q)" --name wordcount --wait'} />
    <TerminalLine line="actorctl permissions grant wordcount USER EXECUTE" />
  </>
);

/** @param refusal why processes of this machine cannot run */
export const StartHere = ({ refusal }: { readonly refusal: string | undefined }) => {
  const isAdmin = useIsAdmin();
  if (isAdmin === undefined) return null;
  return (
    <section class="panel" aria-labelledby="start-title">
      <header>
        <h2 id="start-title">Start here</h2>
      </header>
      <div class="body">{isAdmin ? <Example refusal={refusal} /> : <FromImage />}</div>
    </section>
  );
};
