// Access: OAuth clients, flows to try against them, nonces, configs, logins and, for admins, users.
import { commandLine } from '../../parts/command.ts';
import { Tabs } from '../../parts/tabs.tsx';
import { Command } from '../../parts/terminal-line.tsx';
import { safe } from '../../parts/text.ts';
import { useIsAdmin } from '../../shell/me.ts';
import { hashOf, type ViewProps } from '../../shell/place.ts';
import { ClientPage } from './client-page.tsx';
import { Clients } from './clients.tsx';
import { ConfigPage } from './config-page.tsx';
import { Configs } from './configs.tsx';
import { Logins } from './logins.tsx';
import { Nonces } from './nonces.tsx';
import { TryFlow } from './try/try.tsx';
import { UserPage } from './user-page.tsx';
import { Users } from './users.tsx';

const tabs = [
  { part: 'clients', title: 'Clients', line: commandLine('clients', 'list') },
  { part: 'try', title: 'Try a flow', line: commandLine('login', '--explain') },
  { part: 'nonces', title: 'Nonces', line: commandLine('nonces', 'list', 'ACTOR') },
  { part: 'configs', title: 'Configs', line: commandLine('configs', 'list') },
  { part: 'logins', title: 'Logins', line: commandLine('auth', 'logins') },
  { part: 'users', title: 'Users', line: commandLine('users', 'list') },
] as const;
type Part = (typeof tabs)[number]['part'];

const pathOf = (part: Part): readonly string[] => (part === 'clients' ? ['access'] : ['access', part]);

const Tab = ({ part, place: { query } }: ViewProps & { readonly part: Part }) => {
  const q = query['q'] ?? '';
  switch (part) {
    case 'clients':
      return <Clients q={q} isNew={query['form'] === 'new'} />;
    case 'try':
      return <TryFlow wanted={query['client'] ?? ''} flow={query['flow'] ?? ''} />;
    case 'nonces':
      return <Nonces q={q} />;
    case 'configs':
      return <Configs q={q} />;
    case 'logins':
      return <Logins q={q} />;
    case 'users':
      return <Users q={q} />;
  }
};

export const Access = ({ place }: ViewProps) => {
  const isAdmin = useIsAdmin() ?? false;
  const [, part = 'clients', name] = place.path;
  if (part === 'clients' && name !== undefined) return <ClientPage key={name} name={name} />;
  if (part === 'configs' && name !== undefined) return <ConfigPage key={name} name={name} />;
  if (part === 'users' && name !== undefined) return <UserPage key={name} name={name} q={place.query['q'] ?? ''} />;
  const tab = tabs.find((each) => each.part === part);
  return (
    <>
      <div class="head">
        <h1>Access</h1>
        {tab === undefined ? null : <Command line={tab.line} />}
      </div>
      <Tabs label="Parts of the access" current={part}>
        {tabs
          .filter((each) => each.part !== 'users' || isAdmin || each === tab)
          .map((each) => (
            <a key={each.part} href={hashOf(pathOf(each.part))} aria-current={each === tab ? 'page' : undefined}>
              {each.title}
            </a>
          ))}
      </Tabs>
      {tab === undefined ? (
        <p class="notice">There is no part "{safe(part)}".</p>
      ) : (
        <Tab part={tab.part} place={place} />
      )}
    </>
  );
};
