// `open`: opens the dashboard in a browser, logged in by a one-time link.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ignoreUnreadable } from '../../client/identity.ts';
import type { CommandContext } from '../../context.ts';
import { routes } from '../../contract/for-client.ts';
import { CliFailure, usage } from '../../failure.ts';
import { replaceFile } from '../../local/atomic-file.ts';
import { requireOwnFolder } from '../../local/own-place.ts';
import { action } from '../framework/command.ts';
import { flag, optional } from '../framework/option.ts';

/** Name of the page that leads to the link, in the private folder of the instance. */
const PAGE = 'open.html';

interface Opened {
  readonly address: string;
  readonly opened: boolean;
}

/**
 * A link that logs in as the current user, or as the first admin if nobody is logged in. Undefined for a remote
 * service, and for credentials of an unknown user, who may have fewer rights than the first admin.
 */
const linkOf = async ({ session, settings, manage, output }: CommandContext): Promise<string | undefined> => {
  if (settings.baseUrl !== undefined) return undefined;
  const identity = await session.identity().catch(ignoreUnreadable);
  if (identity?.username === null) {
    output.note(`the user of ${identity.source} is not known, so the dashboard asks for a login`);
    return undefined;
  }
  const { username = null, tenant = null } = identity ?? {};
  const { url } = await manage('daemon.login', {
    ...(username !== null && { username }),
    ...(username !== null && tenant !== null && { tenant }),
  });
  return url;
};

/** Escapes an address for an attribute. The daemon built it, so this is a precaution. */
const attribute = (text: string): string => text.replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);

/**
 * Writes the page that redirects to the login link. The page keeps the link secret: other users of this machine can
 * read the arguments of a browser process, but not this file. @see docs/conformance/security.md C29
 */
const writePage = async ({ paths }: CommandContext, link: string): Promise<string> => {
  const file = path.join(paths.stateDir, PAGE);
  requireOwnFolder(paths.stateDir);
  const text = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0; url=${attribute(link)}"><title>actorctl</title>`;
  await replaceFile(file, (append) => append(text));
  return pathToFileURL(file).href;
};

/** Opens the dashboard, or prints the address where no browser can be opened. */
export const openDashboard = async (context: CommandContext, print: boolean, place = ''): Promise<Opened> => {
  const { browser, output, origin } = context;
  const base = await origin();
  const fragment = place === '' ? '' : `#/${place.replace(/^[#/]+/, '')}`;
  const link = await linkOf(context);
  const plain = `${base}/${fragment}`;
  const target = link === undefined ? plain : `${link}${fragment}`;
  const show = async () =>
    browser.absence() ?? browser.open(link === undefined ? plain : await writePage(context, target));
  const failure = print ? undefined : await show();
  const opened = !print && failure === undefined;
  if (failure !== undefined) output.note(`no browser is opened: ${failure}`);
  if (!opened && link !== undefined) output.note('the address logs in once, within 60 seconds: do not share it');
  return { address: opened ? plain : target, opened };
};

/** Opens the page of all operations, which is public. */
const openDocs = async ({ origin, transport, browser, output, signal }: CommandContext, print: boolean) => {
  const base = await origin();
  const { method, path: page } = routes['docs.show'];
  const address = new URL(page, base).href;
  const answer = await transport(base, { method, path: page, signal });
  answer.body.destroy();
  if (answer.status !== 200) {
    throw new CliFailure('DAEMON_VERSION', `the service has no page at ${address}`, { hint: 'actorctl version' });
  }
  const failure = print ? undefined : await browser.open(address);
  if (failure !== undefined) output.note(`no browser is opened: ${failure}`);
  return { address, opened: !print && failure === undefined };
};

export const openCommand = action({
  operations: ['docs.show', 'authorize.link', 'daemon.login'],
  details:
    'Logs the browser in through a link that works once, within 60 seconds: as you, or as the first admin if you are not logged in. If a token or client comes from a variable or a flag, the dashboard asks for a login.\nIf no browser can be opened, or the browser cannot read private files (as a snap or Flatpak), the command prints the link.',
  args: { view: optional('address of a view, like executions/ID', ['actors', 'executions', 'events']) },
  options: {
    print: flag('--print', 'only print the address'),
    docs: flag('--docs', 'open the page of all operations instead'),
  },
  examples: ['actorctl open', 'actorctl open executions?status=ERROR', 'actorctl open --docs'],
  run: async (context, { view }, { print, docs }) => {
    if (docs && view !== undefined) throw usage('--docs opens one page, so it takes no view');
    const { address, opened } = docs ? await openDocs(context, print) : await openDashboard(context, print, view);
    context.output.result(address, { address, opened }, address);
    return 0;
  },
});
