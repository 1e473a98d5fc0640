// The texts of the user service: every character of a path reaches the program unchanged.
import { expect, it } from 'vitest';
import { commandLineOf, launchdPlist, type ServiceSpec, systemdUnit } from '../../../src/local/daemon/service-text.ts';

const spec: ServiceSpec = {
  name: 'actorctl-default',
  description: 'actorctl daemon (instance default)',
  program: '/opt/my node/100%/$bin/node',
  args: ['/a "b" \\c/actorctl.cjs', 'daemon', 'run', '--data-dir', '/data/$HOME/50%/x&<y>'],
  variables: { PATH: '/usr/bin:/my bin', ACTORCTL_HOME: '/h "%h" \\x' },
  errors: '/state/a&b/daemon.err',
};

it('a systemd unit quotes arguments and escapes specifiers, variables, quotes and backslashes', () => {
  const lines = systemdUnit(spec).split('\n');
  expect(lines).toContain(
    'ExecStart="/bin/sh" "-c" "exec \\"$$@\\"" "sh" "/opt/my node/100%%/$$bin/node" "/a \\"b\\" \\\\c/actorctl.cjs" "daemon" "run" "--data-dir" "/data/$$HOME/50%%/x&<y>"',
  );
  expect(lines).toContain('Environment="PATH=/usr/bin:/my bin"');
  expect(lines).toContain('Environment="ACTORCTL_HOME=/h \\"%%h\\" \\\\x"');
  // The processes of file: actors outlive the daemon.
  expect(lines).toContain('KillMode=process');
});

it('a property list of launchd escapes the characters of XML', () => {
  const text = launchdPlist(spec);
  expect(text).toContain('<string>/a &quot;b&quot; \\c/actorctl.cjs</string>');
  expect(text).toContain('<string>/data/$HOME/50%/x&amp;&lt;y&gt;</string>');
  expect(text).toContain('<key>ACTORCTL_HOME</key><string>/h &quot;%h&quot; \\x</string>');
  expect(text).toContain('<key>StandardErrorPath</key><string>/state/a&amp;b/daemon.err</string>');
});

it.each([
  ['systemd', systemdUnit],
  ['launchd', launchdPlist],
])('the command line is read from a text for %s', (_name, write) => {
  const args = [...spec.args, 'a\nb', '\\n', '$$', '%%', '&amp;'];
  expect(commandLineOf(write({ ...spec, args }))).toEqual([spec.program, ...args]);
});
