// `clients rotate` and `clients delete`: invalidate the secret and the tokens of an OAuth client.
import { usage } from '../../failure.ts';
import { formatDuration, parseDuration } from '../../ui/format/time.ts';
import { plural } from '../../ui/text.ts';
import { command } from '../framework/command.ts';
import { dryRun, tellDryRun } from '../framework/dry-run.ts';
import { parsed, required } from '../framework/option.ts';
import { resultShownOnce } from '../framework/shown-once.ts';
import { authenticationOf, credential } from './client-flags.ts';

export const rotateClient = command({
  name: 'rotate',
  summary: 'Replace the secret of an OAuth client',
  details: 'The new secret is shown once. Without --grace the old secret and all tokens stop working immediately.',
  operations: ['clients.rotate'],
  args: { name: required('client name', 'client') },
  options: {
    grace: parsed('--grace <duration>', 'keep the old secret valid for this time, and revoke no token', (value) => {
      const ms = parseDuration(value, 'a duration for --grace');
      if (ms % 1_000 !== 0) throw usage('--grace must be whole seconds', 'write it as 90s, 15m, 4h or 30d');
      return ms;
    }),
    ...credential,
    dryRun,
  },
  examples: ['actorctl clients rotate web-app --grace 1h'],
  run: async (context, { name: clientName }, { grace = 0, dryRun, ...who }) => {
    const authentication = await authenticationOf(context, who);
    if (dryRun) {
      const { name } = await context.call('clients.show', { ...authentication, params: { clientName } });
      const old = grace > 0 ? `keep the old one valid for ${formatDuration(grace)}` : 'revoke all its tokens';
      return tellDryRun(context, [`replace the secret of client ${name} and ${old}`], { name, grace: grace / 1_000 });
    }
    // With a grace period nothing stops working immediately, so no confirmation is needed.
    if (grace === 0) await context.prompt.confirm(`Revoke the secret and all tokens of client ${clientName}?`);
    const rotated = await context.call('clients.rotate', {
      ...authentication,
      params: { clientName },
      body: { grace: grace / 1_000 },
    });
    const old =
      grace > 0
        ? `the old one stays valid for ${formatDuration(grace)}`
        : `${plural(rotated.revoked, 'token')} revoked`;
    const { consumerSecret } = rotated;
    resultShownOnce(context, {
      secret: consumerSecret,
      what: `the new secret of client "${clientName}"`,
      hint: `to create another secret: actorctl clients rotate ${clientName}`,
      sentence: `New secret: ${consumerSecret ?? '-'} (${old})`,
      value: rotated,
      id: consumerSecret ?? '',
    });
    return 0;
  },
});

export const deleteClient = command({
  name: 'delete',
  aliases: ['rm'],
  summary: 'Delete an OAuth client and revoke its tokens',
  operations: ['clients.delete', 'clients.show'],
  args: { name: required('client name', 'client') },
  options: { ...credential, dryRun },
  examples: ['actorctl clients delete web-app --yes'],
  run: async (context, { name: clientName }, { dryRun, ...who }) => {
    const authentication = await authenticationOf(context, who);
    const { name } = await context.call('clients.show', { ...authentication, params: { clientName } });
    if (dryRun) return tellDryRun(context, [`delete client ${name} and revoke its tokens`], { deleted: name }, name);
    await context.prompt.confirm(`Delete client ${clientName} and revoke its tokens?`);
    const gone = await context.call('clients.delete', { ...authentication, params: { clientName } });
    context.output.result(
      `Deleted client ${gone.deleted} (${plural(gone.revoked, 'token')} revoked)`,
      gone,
      gone.deleted,
    );
    return 0;
  },
});
