// One config: its value unless it is secret, the actors that get it, and the permissions of users.
import { useEffect } from 'preact/hooks';
import { ask } from '../../api/call.ts';
import { usePolled } from '../../api/poll.ts';
import { commandLine, nameWords } from '../../parts/command.ts';
import { nameOf, readNames } from '../../parts/names.ts';
import { Problem } from '../../parts/problem.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe, safeLines } from '../../parts/text.ts';
import { formatMoment } from '../../parts/time.ts';
import { hashOf } from '../../shell/place.ts';
import { refusalOf, useConfigLevel } from '../actors/level.ts';
import { Permissions } from '../actors/permissions.tsx';
import { DeleteConfig, ShareForm, Unshare, ValueForm } from './config-forms.tsx';
import { configRow, sharedWith } from './rows.ts';

const EVERY_MS = 15_000;

export const ConfigPage = ({ name }: { readonly name: string }) => {
  const params = { configName: name };
  const { value, problem, again } = usePolled(
    name,
    async (signal) => configRow(await ask('GET /actors/v2/configs/:configName', { params, signal, exact: true })),
    { every: EVERY_MS },
  );
  useEffect(readNames, []);
  const refusal = refusalOf(useConfigLevel(name), 'UPDATE');
  const config = value.value;
  const changing = { refusal, onChanged: again };
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
        {config === undefined ? null : <DeleteConfig config={config} refusal={refusal} />}
      </div>
      <Problem text={problem.value} />
      {config === undefined ? null : (
        <div class="columns">
          <section class="panel" aria-labelledby="value-title">
            <header>
              <h2 id="value-title">Value</h2>
              <span class="soft">revision {config.revision}</span>
            </header>
            <div class="body">
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a person scrolls it by keyboard */}
              <pre class="plain" tabIndex={0}>
                {safeLines(config.shown)}
              </pre>
              {config.isSecret ? (
                <p class="soft">
                  The value is encrypted. Only executions of the actors with which it is shared get it.
                </p>
              ) : null}
              <ValueForm config={config} {...changing} />
            </div>
          </section>
          <section class="panel" aria-labelledby="shared-title">
            <header>
              <h2 id="shared-title">Actors that get it</h2>
            </header>
            <div class="body">
              {sharedWith(config).length === 0 ? <p class="soft">No actor.</p> : null}
              <ul>
                {sharedWith(config).map((actor) => (
                  <li key={actor} class="actions">
                    <a data-row class="link" href={hashOf(['actors', actor])}>
                      {nameOf(actor)}
                    </a>
                    <Unshare config={config} actor={actor} {...changing} />
                  </li>
                ))}
              </ul>
              <dl class="facts">
                <dt>owner</dt>
                <dd>{safe(config.owner)}</dd>
                <dt>changed</dt>
                <dd>{formatMoment(Date.parse(config.lastUpdateTime))}</dd>
              </dl>
              <ShareForm config={config} {...changing} />
            </div>
          </section>
          <Permissions
            called={`config:${name}`}
            read={(signal) => ask('GET /actors/v2/configs/:configName/permissions', { params, signal })}
            grant={(user, level) =>
              ask('POST /actors/v2/configs/:configName/permissions', { params, json: { user, level } })
            }
            refusal={refusal}
          />
        </div>
      )}
    </>
  );
};
