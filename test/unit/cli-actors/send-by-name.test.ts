// The requests of `send`: the message goes to the text as typed, and the actor is looked up if that fails.
import { describe, expect, it } from 'vitest';
import { sendCommand } from '../../../src/commands/executions/send.ts';
import type { FailureCode } from '../../../src/contract/failure-codes.ts';
import { serviceOperations } from '../../../src/contract/operations.ts';
import { CliFailure } from '../../../src/failure.ts';

const one = { id: 'Aabcdefghijkl', name: 'one', status: 'READY', statusMessage: '', owner: 'ana' };

interface Service {
  /** Texts that a path may have, and the actor of each. */
  readonly paths: Readonly<Record<string, typeof one>>;
  readonly listed?: readonly (typeof one)[];
  /** False: the service ignores the header, as the hosted platform does. */
  readonly readsNames?: boolean;
  readonly refusal?: FailureCode;
  readonly nonce?: object;
}

/** Runs `send` with these options against the service, and returns its requests, its exit code and its output. */
const sent = async (
  service: Service,
  actor: string,
  options: Readonly<Record<string, readonly string[]>> = { message: ['hi'] },
) => {
  const asked: string[] = [];
  const printed: string[] = [];
  const { paths, listed = Object.values(paths), readsNames = true, refusal = 'NOT_FOUND' } = service;
  const call = async (id: string, { params = {}, headers = {} }: { params?: object; headers?: object } = {}) => {
    const text = 'actorId' in params ? String(params.actorId) : '';
    asked.push(text === '' ? id : `${id} ${text}`);
    if (id === 'actors.list') return listed;
    if (id === 'aliases.list') return [];
    if (id === 'profiles.me') return { username: 'ana' };
    const byName = readsNames && 'x-actor-by-name' in headers;
    const found = paths[text];
    if (byName && Reflect.get(headers, 'x-actor-by-name') === 'own' && found !== undefined && found.owner !== 'ana')
      throw new CliFailure('NOT_FOUND', 'refused');
    if (found === undefined || (!readsNames && text === found.name))
      throw new CliFailure(id === 'messages.send' ? refusal : 'NOT_FOUND', 'refused');
    if (id === 'actors.show') return found;
    return { executionId: `to ${found.id}`, msg: 'hi', ...(byName && { actor: found }), _links: {} };
  };
  const say = (words: string) => void printed.push(words);
  const output = {
    note: (words: string) => {
      asked.push('note');
      say(words);
    },
    warn: say,
    verbose: say,
    next: say,
    result: (words: string, value: object) => void printed.push(words, JSON.stringify(value)),
  };
  const context = {
    call,
    output,
    settings: { nonce: service.nonce },
    session: { identity: async () => (service.nonce === undefined ? { username: 'ana' } : undefined) },
    prompt: { allowed: false },
    read: async () => Buffer.alloc(64 * 1024 + 1),
  };
  const exit = await sendCommand
    .bind(
      { actor: [actor] },
      options,
    )(context as never)
    .catch((error: unknown) => {
      if (error instanceof CliFailure) {
        printed.push(error.extras.hint ?? '');
        return error.code;
      }
      throw error;
    });
  return { asked, output: printed.join('\n'), exit };
};

describe('send to the name, alias or id of an actor', () => {
  it.each(['one', 'alias', one.id])('%s is one request', async (text) => {
    const { asked, output, exit } = await sent({ paths: { [text]: one } }, text);
    expect({ asked, exit }).toEqual({ asked: [`messages.send ${text}`], exit: 0 });
    expect(output).toContain(`actorctl logs ${one.id}/to ${one.id} -f`);
    expect(output).not.toContain('"actor"');
  });

  it('with several messages sends the others to the id', async () => {
    const { asked } = await sent({ paths: { one, [one.id]: one } }, 'one', { message: ['hi'], repeat: ['3'] });
    expect(asked).toEqual(['messages.send one', `messages.send ${one.id}`, `messages.send ${one.id}`]);
  });

  it('warns of an actor in ERROR', async () => {
    const broken = { ...one, status: 'ERROR', statusMessage: 'no image' };
    const { output } = await sent({ paths: { one: broken } }, 'one');
    expect(output).toContain('actor one is in ERROR, so its messages wait: no image');
  });

  it.each(['NOT_FOUND', 'METHOD_NOT_ALLOWED'] as const)('is resolved by a lookup after %s', async (refusal) => {
    const { asked, exit } = await sent(
      { paths: { one, [one.id]: one }, listed: [one], readsNames: false, refusal },
      'one',
    );
    expect(asked).toEqual(['messages.send one', 'actors.show one', 'actors.list', `messages.send ${one.id}`]);
    expect(exit).toBe(0);
    const refused = await sent({ paths: {}, refusal }, 'one');
    expect(refused.asked.slice(0, 2)).toEqual(['messages.send one', 'actors.show one']);
  });

  it.each(['FORBIDDEN', 'THROTTLED', 'NETWORK'] as const)('is not sent again after %s', async (refusal) => {
    expect(await sent({ paths: {}, refusal }, 'one')).toMatchObject({ asked: ['messages.send one'], exit: refusal });
  });

  it.each([
    ['one', 'actorctl messages list one'],
    ["it's $HOME", "actorctl messages list 'it'\\''s $HOME'"],
  ])('with a full mailbox has a hint that a shell reads: %s', async (text, hint) => {
    expect((await sent({ paths: {}, refusal: 'THROTTLED' }, text)).output).toBe(hint);
  });

  it('that several actors of the caller have is refused', async () => {
    const listed = [one, { ...one, id: 'Babcdefghijkl' }];
    const { asked, exit } = await sent({ paths: {}, listed }, 'one');
    expect({ asked, exit }).toEqual({
      asked: ['messages.send one', 'actors.show one', 'actors.list', 'profiles.me'],
      exit: 'USAGE',
    });
  });

  it('R220 means the own actor among several, and several of others are refused', async () => {
    const bobs = { ...one, id: 'Babcdefghijkl', owner: 'bob' };
    const { asked, output, exit } = await sent({ paths: { [one.id]: one }, listed: [bobs, one] }, 'one');
    expect([asked.at(-1), exit, output.includes('an actor of')]).toEqual([`messages.send ${one.id}`, 0, false]);
    const refused = await sent({ paths: {}, listed: [bobs, { ...bobs, id: 'Cabcdefghijkl' }] }, 'one');
    expect(refused.exit).toBe('USAGE');
  });

  it.each(['one', 'alias', one.id, 'id:Aabcdefghijkl'])(
    'R220 names the owner of an actor of another user first: %s',
    async (text) => {
      const bobs = { ...one, owner: 'bob' };
      const { asked, output, exit } = await sent({ paths: { [text]: bobs, [one.id]: bobs } }, text);
      expect(asked.slice(-2)).toEqual(['note', `messages.send ${one.id}`]);
      expect(output).toContain(`sending to one (${one.id}), an actor of bob`);
      expect(exit).toBe(0);
    },
  );
});

describe('send looks an actor up first', () => {
  it.each([`id:${one.id}`, 'alias:one'])('for %s', async (text) => {
    const { asked } = await sent({ paths: { one, [one.id]: one } }, text);
    expect(asked).toEqual([`actors.show ${text.replace(/^\w+:/, '')}`, `messages.send ${one.id}`]);
  });

  it('for a large message, which would be uploaded twice', async () => {
    const { asked } = await sent({ paths: { one, [one.id]: one } }, 'one', { file: ['large'] });
    expect(asked).toEqual(['actors.show one', `messages.send ${one.id}`]);
  });

  it('not with a nonce, because the lookup would use it up', async () => {
    const { asked } = await sent({ paths: { one }, nonce: { value: 'n', byFlag: true } }, 'one');
    expect(asked).toEqual(['messages.send one']);
  });
});

describe('a service that ignores the header', () => {
  it('accepts the message by alias, and the actor is displayed afterwards', async () => {
    const { asked, output } = await sent({ paths: { alias: one }, readsNames: false }, 'alias');
    expect(asked).toEqual(['messages.send alias', 'actors.show alias']);
    expect(output).toContain(`actorctl logs ${one.id}/`);
  });
});

it('no other route accepts a POST at the path of messages, whatever the text is', () => {
  const others = Object.values(serviceOperations)
    .filter(({ id, method }) => method === 'POST' && id !== 'messages.send')
    .map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
  for (const word of ['aliases', 'configs', 'events', 'executions', 'deliveries', 'admin', 'search', 'x'])
    expect(others.filter((route) => route.test(`/actors/v2/${word}/messages`))).toEqual([]);
});
