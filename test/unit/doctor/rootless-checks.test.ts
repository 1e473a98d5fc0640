// What doctor says about a machine on which an engine without root cannot work, or works badly.
import { expect, it } from 'vitest';
import { type RootlessMachine, rootlessFindings } from '../../../src/commands/doctor/rootless-checks.ts';

const machine: RootlessMachine = {
  kind: 'podman',
  user: 'ana',
  uid: 1000,
  ranges: ['bob:100000:65536\nana:200000:65536\n', '1000:200000:65536\n'],
  tun: 'usable',
  has: () => true,
  isSocketThere: true,
  hasSystemd: true,
  lingers: true,
};
const without =
  (...missing: string[]) =>
  (program: string) =>
    !missing.includes(program);

it('a machine that has everything is ok', () => {
  expect(rootlessFindings(machine)).toEqual([
    { name: 'rootless', level: 'ok', text: 'podman without root has what it needs', fix: null },
  ]);
});

it.each<[string, Partial<RootlessMachine>, 'error' | 'warning', RegExp, RegExp]>([
  ['newuidmap', { has: without('newuidmap') }, 'error', /newuidmap/, /uidmap/],
  ['the range of user ids', { ranges: ['', machine.ranges[1]] }, 'error', /no range for ana/, /--add-subuids .* ana/],
  ['the range of group ids', { ranges: [machine.ranges[0], 'anabel:1:2'] }, 'error', /no range/, /--add-subgids/],
  ['the tun device', { tun: 'missing', has: without('pasta') }, 'error', /does not exist/, /modprobe tun/],
  ['the right to the tun device', { tun: 'closed', kind: 'docker' }, 'error', /may not open/, /chmod 666/],
  ['the program ip', { has: without('ip') }, 'error', /program ip/, /iproute2/],
  ['a socket of Podman', { isSocketThere: false }, 'error', /podman .*not listen/, /--user enable --now podman.socket/],
  ['a socket without systemd', { isSocketThere: false, hasSystemd: false }, 'error', /not listen/, /system service/],
  [
    'a socket of Docker',
    { isSocketThere: false, kind: 'docker' },
    'error',
    /docker .*not listen/,
    /enable --now docker/,
  ],
  ['linger', { lingers: false }, 'warning', /log out/, /loginctl enable-linger ana/],
])('a machine without %s gets the line that fixes it', (_, lacking, level, text, fix) => {
  expect(rootlessFindings({ ...machine, ...lacking })).toEqual([
    { name: 'rootless', level, text: expect.stringMatching(text), fix: expect.stringMatching(fix) },
  ]);
});

it('pasta needs no tun device, and a machine without systemd has no linger', () => {
  const lacking = { tun: 'missing', hasSystemd: false, lingers: false } as const;
  expect(rootlessFindings({ ...machine, ...lacking })).toMatchObject([{ level: 'ok' }]);
});
