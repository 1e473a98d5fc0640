// The panels of the overview with the running executions and the last failures.
import { formatDetail, formatStatus } from '../../../../../src/contract/outcome.ts';
import type { Answer } from '../../api/routes.ts';
import { Ago, Took } from '../../parts/ago.tsx';
import { safe } from '../../parts/text.ts';
import { hashOf } from '../../shell/place.ts';

type Row = Answer<'GET /actors/v2/utilization/activity'>['running'][number];

/** Maximum rows of each list; the executions view shows all. */
const SHOWN = 10;

const nameOfRow = ({ actorName, actorId }: Row): string => safe(actorName === '' ? actorId : actorName);

export const Running = ({ rows, count }: { readonly rows: readonly Row[]; readonly count: number }) => (
  <section class="panel" aria-labelledby="running-title">
    <header>
      <h2 id="running-title">Running now</h2>
      <a class="soft" href={hashOf(['executions'], { status: 'RUNNING' })}>
        {count > SHOWN ? `all ${count}` : 'all'}
      </a>
    </header>
    {rows.length === 0 ? (
      <p class="empty">Nothing runs.</p>
    ) : (
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Actor</th>
            <th scope="col">Execution</th>
            <th scope="col">Runs for</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.id}>
              <td>{nameOfRow(row)}</td>
              <td>
                <a class="mono" data-row href={hashOf(['executions', row.id])}>
                  {row.id}
                </a>
              </td>
              <td class="num">
                <Took from={row.startTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);

export const Failures = ({ rows }: { readonly rows: readonly Row[] }) => (
  <section class="panel" aria-labelledby="failures-title">
    <header>
      <h2 id="failures-title">Last failures</h2>
      <span class="soft">
        <a href={hashOf(['executions'], { status: 'failed' })}>exit codes</a>
        {', '}
        <a href={hashOf(['executions'], { status: 'ERROR' })}>errors</a>
      </span>
    </header>
    {rows.length === 0 ? (
      <p class="empty">Nothing failed.</p>
    ) : (
      <table>
        <thead class="visually-hidden">
          <tr>
            <th scope="col">Actor and reason</th>
            <th scope="col">Ended</th>
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, SHOWN).map((row) => (
            <tr key={row.id}>
              <td>
                <a data-row href={hashOf(['executions', row.id])}>
                  {nameOfRow(row)}{' '}
                  <span class="bad">
                    {safe([formatStatus(row), formatDetail(row)].filter((part) => part !== '').join(': '))}
                  </span>
                </a>
                {row.lastStderr === undefined ? null : <span class="last-line mono soft">{safe(row.lastStderr)}</span>}
              </td>
              <td class="num soft">
                <Ago time={row.finishTime} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    )}
  </section>
);
