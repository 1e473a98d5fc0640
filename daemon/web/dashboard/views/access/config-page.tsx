// One config: its value unless it is secret, with whom it is shared, and who may read it.
import { Fragment } from 'preact';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { commandLine, nameWords } from '../../parts/command.ts';
import { nameOf } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe, safeLines } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { hashOf } from '../../shell/place.ts';
import { DeleteConfig, ShareForm, Unshare, ValueForm } from './config-forms.tsx';
import { configRow, sharedWith } from './rows.ts';

const EVERY_MS = 15_000;

export const ConfigPage = ({ name }: { readonly name: string }) => {
  const { value, problem, again } = usePolled(
    name,
    async (signal) => {
      const params = { configName: name };
      const [config, permissions] = await Promise.all([
        ask('GET /actors/v2/configs/:configName', { params, signal, exact: true }),
        ask('GET /actors/v2/configs/:configName/permissions', { params, signal }),
      ]);
      return { config: configRow(config), permissions };
    },
    { every: EVERY_MS },
  );
  const read = value.value;
  return (
    <>
      <div class="head">
        <h1>
          <a class="crumb" href={hashOf(['access', 'configs'])}>
            Configs /
          </a>{' '}
          {safe(name)}
        </h1>
        <Command line={commandLine('configs', 'show', ...nameWords(name))} />
        {read === undefined ? null : <DeleteConfig config={read.config} />}
      </div>
      <Problem text={problem.value} />
      {read === undefined ? null : (
        <div class="columns">
          <section class="panel" aria-labelledby="value-title">
            <header>
              <h2 id="value-title">Value</h2>
              <span class="soft">revision {read.config.revision}</span>
            </header>
            <div class="body">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard */}
              <pre class="plain" tabIndex={0}>
                {safeLines(read.config.shown)}
              </pre>
              {read.config.isSecret ? (
                <p class="soft">
                  The value is encrypted. Only executions of the actors with which it is shared get it.
                </p>
              ) : null}
              <ValueForm config={read.config} onChanged={again} />
            </div>
          </section>
          <section class="panel" aria-labelledby="shared-title">
            <header>
              <h2 id="shared-title">Shared with</h2>
            </header>
            <div class="body">
              {sharedWith(read.config).length === 0 ? <p class="soft">No actor.</p> : null}
              <ul>
                {sharedWith(read.config).map((actor) => (
                  <li key={actor} class="actions">
                    <a data-row class="link" href={hashOf(['actors', actor])}>
                      {nameOf(actor)}
                    </a>
                    <Unshare config={read.config} actor={actor} onChanged={again} />
                  </li>
                ))}
              </ul>
              <dl class="facts">
                <dt>owner</dt>
                <dd>{safe(read.config.owner)}</dd>
                <dt>changed</dt>
                <dd>{formatMoment(Date.parse(read.config.lastUpdateTime))}</dd>
                {Object.entries(read.permissions).map(([user, level]) => (
                  <Fragment key={user}>
                    <dt>{safe(user)}</dt>
                    <dd>{level}</dd>
                  </Fragment>
                ))}
              </dl>
              <ShareForm config={read.config} onChanged={again} />
            </div>
          </section>
        </div>
      )}
    </>
  );
};
