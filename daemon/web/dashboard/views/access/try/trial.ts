// One trial of a flow: sent requests, received responses, and tokens. Everything is in memory only.
import { type ReadonlySignal, signal } from '@preact/signals';
import { bodyFields, fieldIn } from './answers.ts';
import type { Field, FlowRequest } from './requests.ts';
import type { Step } from './steps.ts';

export interface FlowAnswer {
  readonly status: string;
  readonly ok: boolean;
  readonly headers: readonly Field[];
  readonly fields: readonly Field[];
}

export interface Exchange extends Step {
  readonly number: number;
  readonly answer?: FlowAnswer;
  readonly problem?: string;
}

export interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
}

export interface Trial {
  readonly exchanges: ReadonlySignal<readonly Exchange[]>;
  readonly tokens: ReadonlySignal<Tokens | undefined>;
  readonly busy: ReadonlySignal<boolean>;
  /** Records a request that the browser sends in another tab. Returns its number. */
  begin(step: Step): number;
  end(number: number, answer: FlowAnswer): void;
  run(step: Step): Promise<FlowAnswer | undefined>;
}

const LIMIT_MS = 30_000;

/** Without cookies: the client has none, and a refusal must not open the password dialog of the browser. */
const perform = async ({ method, path, headers, form }: FlowRequest): Promise<FlowAnswer> => {
  const response = await fetch(path, {
    method,
    headers: headers.map(({ name, value }) => [name, value] as [string, string]),
    ...(method === 'POST' && {
      body: new URLSearchParams(form.map(({ name, value }) => [name, value])).toString(),
    }),
    credentials: 'omit',
    cache: 'no-store',
    redirect: 'error',
    signal: AbortSignal.timeout(LIMIT_MS),
  });
  const text = await response.text();
  return {
    status: `${response.status} ${response.statusText}`,
    ok: response.ok,
    headers: [...response.headers].map(([name, value]) => ({ name, value })),
    fields: bodyFields(text),
  };
};

export const createTrial = (): Trial => {
  const exchanges = signal<readonly Exchange[]>([]);
  const tokens = signal<Tokens | undefined>(undefined);
  const busy = signal(false);

  const begin = (step: Step): number => {
    const number = exchanges.value.length + 1;
    exchanges.value = [...exchanges.value, { ...step, number }];
    return number;
  };
  const change = (number: number, more: Pick<Exchange, 'answer' | 'problem'>): void => {
    exchanges.value = exchanges.value.map((each) => (each.number === number ? { ...each, ...more } : each));
  };
  const end = (number: number, answer: FlowAnswer): void => {
    change(number, { answer });
    const access = answer.ok ? fieldIn(answer.fields, 'access_token') : undefined;
    if (access !== undefined) tokens.value = { access, refresh: fieldIn(answer.fields, 'refresh_token') };
  };
  return {
    exchanges,
    tokens,
    busy,
    begin,
    end,
    run: async (step) => {
      const number = begin(step);
      busy.value = true;
      try {
        const answer = await perform(step.request);
        end(number, answer);
        return answer;
      } catch {
        change(number, { problem: 'There was no response. Is the daemon running? `actorctl status` shows it.' });
        return undefined;
      } finally {
        busy.value = false;
      }
    },
  };
};
