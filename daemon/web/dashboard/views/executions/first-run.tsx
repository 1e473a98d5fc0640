// What happened, in plain words, at the run that the overview of an empty platform started.
import { hashOf } from '../../shell/place.ts';

export const FirstRun = ({ actorId }: { readonly actorId: string }) => (
  <section class="panel" aria-labelledby="first-run-title">
    <header>
      <h2 id="first-run-title">Your first run</h2>
    </header>
    <div class="body">
      <ol>
        <li>An actor was created. Its program is the shell script wordcount.sh.</li>
        <li>A message was sent to it: “to be or not to be”.</li>
        <li>The platform started the program for this message. This is one execution.</li>
        <li>The log has what the program wrote. The word “complete” at the top means success.</li>
      </ol>
      <div class="actions">
        <a class="button" href={hashOf(['actors', actorId])}>
          Send another message
        </a>
        <a class="button" href={hashOf(['actors', actorId], { tab: 'about' })}>
          Where its program is
        </a>
      </div>
    </div>
  </section>
);
