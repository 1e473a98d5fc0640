// The matrix of commands: snapshots, archives and reset.
import { FILES_ONLY, NEW_NAME, NO_ARGUMENT, NO_NAME, none, type Other, type Rows, works } from './row.ts';

/** Without a daemon or a login, this table names a resource that does not exist. */
const NO_SNAPSHOT: Other = { because: 'it reads files, and there are none', code: 6, says: /no snapshot named/ };
const LOCAL = works('the management socket asks for no login');

/** Rows of commands on all data of an instance. */
export const dataRows: Rows = {
  'snapshot create': {
    success: '{new}',
    json: 'value',
    wrongName: { because: 'a name becomes the name of a file', line: '../nosuch', code: 2, says: /"\.\.\/nosuch"/ },
    noArgument: 'usage',
    notLoggedIn: LOCAL,
  },
  'snapshot list': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'snapshot show': {
    success: '{snapshot}',
    json: 'value',
    wrongName: 'nosuch',
    noArgument: 'usage',
    daemonDown: NO_SNAPSHOT,
    notLoggedIn: NO_SNAPSHOT,
  },
  'snapshot restore': {
    success: none('it would replace the data of this table, see cli-data.test.ts'),
    json: none('it would replace the data of this table'),
    wrongName: 'nosuch',
    noArgument: 'usage',
    daemonDown: none('it starts the daemon'),
    notLoggedIn: none('it would replace the data of this table'),
  },
  reset: {
    success: '--dry-run',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: { because: 'it asks first', code: 3, says: /--yes/ },
    daemonDown: none('it starts the daemon'),
    notLoggedIn: LOCAL,
  },
  prune: {
    success: '--older-than 9999d --yes',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    notLoggedIn: LOCAL,
  },
  'snapshot delete': {
    success: '{new-snapshot} --yes',
    json: 'value',
    wrongName: 'nosuch --yes',
    noArgument: 'usage',
    daemonDown: NO_SNAPSHOT,
    notLoggedIn: NO_SNAPSHOT,
  },
  backup: {
    success: '{new}.tar.gz',
    json: 'value',
    wrongName: NEW_NAME,
    noArgument: 'usage',
    notLoggedIn: LOCAL,
  },
};
