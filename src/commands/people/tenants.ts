// `tenants`: create, list, show and update tenants, which separate the users, clients and actors of one service.
import { timedFlows } from '../../contract/for-client.ts';
import { usage } from '../../failure.ts';
import { parseDuration } from '../../ui/format/time.ts';
import { command, type LeafEntry } from '../framework/command.ts';
import { required, text, texts } from '../framework/option.ts';
import { readPairs } from '../framework/pairs.ts';
import { tenantEntryView, tenantView } from '../framework/views.ts';
import { grantNames } from './client-flags.ts';

const options = {
  name: text('--name <text>', 'display name'),
  lifetime: texts(
    '--lifetime <flow=duration>',
    'lifetime of tokens per flow (code=1h, implicit, password, client), at most 4h, implicit 1h',
  ),
};

const lifetimesOf = (given: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(readPairs(given, '--lifetime')).map(([word, duration]) => {
      const flow = timedFlows.find((each) => each === grantNames.get(word));
      if (flow === undefined) {
        throw usage(`--lifetime: there is no flow "${word}"`, 'use code, implicit, password, client');
      }
      return [flow, Math.floor(parseDuration(duration, 'a duration for --lifetime') / 1_000)];
    }),
  );

const bodyOf = ({ name, lifetime }: { readonly name: string | undefined; readonly lifetime: readonly string[] }) => ({
  ...(name !== undefined && { name }),
  ...(lifetime.length > 0 && { lifetimes: lifetimesOf(lifetime) }),
});

const create = command({
  name: 'create',
  summary: 'Create a tenant (admins of the first tenant only)',
  operations: ['tenants.create'],
  args: { id: required('tenant id: a letter, then letters, digits, dashes, single dots; 32 at most') },
  options,
  examples: ['actorctl tenants create LAB --name "The lab" --lifetime code=1h'],
  run: async (context, { id }, given) => {
    const made = await context.call('tenants.create', { body: { id, ...bodyOf(given) } });
    context.output.result(`Created tenant ${made.code}`, made, made.code);
    context.output.next(`actorctl users create NAME --tenant ${made.code} --role admin`);
    return 0;
  },
});

const list = command({
  name: 'list',
  aliases: ['ls'],
  summary: 'List the tenants',
  operations: ['tenants.list'],
  list: true,
  run: async (context) => {
    context.output.rows(await context.call('tenants.list'), tenantEntryView);
    return 0;
  },
});

const show = command({
  name: 'show',
  aliases: ['get'],
  summary: 'Show a tenant and its token lifetimes (admins only)',
  operations: ['tenants.show'],
  args: { id: required('tenant id', 'tenant') },
  run: async (context, { id: tenantId }) => {
    context.output.item(await context.call('tenants.show', { params: { tenantId } }), tenantView);
    return 0;
  },
});

const update = command({
  name: 'update',
  summary: 'Change the name or lifetimes of a tenant (admins only)',
  operations: ['tenants.update'],
  args: { id: required('tenant id', 'tenant') },
  options,
  examples: ['actorctl tenants update DEV --lifetime password=30m --lifetime client=10m'],
  run: async (context, { id: tenantId }, given) => {
    const body = bodyOf(given);
    if (Object.keys(body).length === 0) throw usage('there is nothing to change', 'give --name or --lifetime');
    const updated = await context.call('tenants.update', { params: { tenantId }, body });
    context.output.result(`Updated tenant ${updated.code}: ${Object.keys(body).join(', ')}`, updated, updated.code);
    return 0;
  },
});

export const tenantsCommand: readonly LeafEntry[] = [create, list, show, update];
