// The matrix of commands: the daemon and tools.
import { fileURLToPath } from 'node:url';
import { clockRows } from './clock-rows.ts';
import { dataRows } from './data-rows.ts';
import { FILES_ONLY, NO_ARGUMENT, NO_NAME, none, type Row, type Rows, works } from './row.ts';

const STARTS = none('it starts the daemon, see the success of daemon start');
const LOCAL = works('the management socket asks for no login');

/** The service of the user, with a service manager that does nothing instead of that of this machine. */
const service: Row = {
  success: { line: '', env: { PATH: fileURLToPath(new URL('../daemon/idle-manager', import.meta.url)) } },
  json: 'value',
  wrongName: NO_NAME,
  noArgument: NO_ARGUMENT,
  daemonDown: FILES_ONLY,
  notLoggedIn: FILES_ONLY,
};

const daemonRows: Rows = {
  'daemon install': service,
  'daemon uninstall': service,
  up: {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: STARTS,
    notLoggedIn: LOCAL,
  },
  'tls trust': {
    success: none('the daemon of this table has no https listener, see cli-legacy'),
    json: none('it refuses, see cli-legacy'),
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'no daemon starts here', line: '', code: 9, says: /actorctl up/ },
    notLoggedIn: {
      because: 'it asks for no login, and this daemon has no https listener',
      line: '',
      code: 2,
      says: /the daemon runs without one/,
    },
  },
  down: {
    success: '--instance {running-instance}',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: none('it would stop the daemon of this table'),
    daemonDown: { because: 'it has nothing to do', line: '', code: 0, says: /already stopped/ },
    notLoggedIn: none('it would stop the daemon of this table, and asks for no login'),
  },
  status: {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'the exit code is the answer', code: 9, says: /^daemon {4}stopped$/m },
    notLoggedIn: works('it shows that nobody is logged in'),
  },
  doctor: {
    success: { line: '', ends: { code: 0, because: 'there are warnings at most' } },
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: works('it says that no daemon runs'),
    notLoggedIn: works('it says that nobody is logged in'),
  },
  'daemon start': {
    success: '--instance {stopped-instance}',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: none('it is up, whose success has no argument'),
    daemonDown: STARTS,
    notLoggedIn: none('it is up'),
  },
  'daemon stop': {
    success: '--instance {running-instance}',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: none('it would stop the daemon of this table'),
    daemonDown: { because: 'it has nothing to do', line: '', code: 0, says: /already stopped/ },
    notLoggedIn: none('it would stop the daemon of this table, and asks for no login'),
  },
  'daemon restart': {
    success: '--instance {running-instance}',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: none('it would restart the daemon of this table'),
    daemonDown: STARTS,
    notLoggedIn: none('it would restart the daemon of this table, and asks for no login'),
  },
  'daemon status': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'the exit code is the answer', code: 9, says: /^daemon {4}stopped$/m },
    notLoggedIn: works('it shows that nobody is logged in'),
  },
  'daemon run': {
    success: { line: '--instance {stopped-instance}', process: true, until: /"msg":"up"/ },
    silent: 'it logs to standard error',
    json: none('it logs to standard error, as JSON anyway'),
    wrongName: NO_NAME,
    noArgument: none('it would run a daemon in the foreground'),
    daemonDown: STARTS,
    notLoggedIn: none('it would run a daemon in the foreground'),
  },
  'daemon logs': {
    success: '',
    json: 'lines',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: none('it prints the log that there is, none here'),
    notLoggedIn: LOCAL,
  },
};

/** A completion script. */
const script: Row = {
  success: '',
  json: none('it prints a script'),
  wrongName: NO_NAME,
  noArgument: NO_ARGUMENT,
  daemonDown: works('the script is part of the program'),
  notLoggedIn: works('the script is part of the program'),
};

/** A change of the file that a shell reads when it starts. */
const atStart: Row = {
  success: 'zsh',
  json: 'value',
  wrongName: { because: 'the shell is one of a few words', line: 'nosuch', code: 2, says: /"nosuch"\nhint: ./ },
  noArgument: none('without an argument it takes the login shell'),
  daemonDown: FILES_ONLY,
  notLoggedIn: FILES_ONLY,
};

const toolRows: Rows = {
  env: {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    notLoggedIn: works('it prints the address only'),
  },
  api: {
    success: 'GET actors',
    json: 'value',
    plainErrors: 'it prints the response as it is',
    wrongName: {
      because: 'it prints the response as it is',
      line: 'GET actors/nosuch',
      code: 6,
      says: /HTTP 404 Not Found/,
    },
    noArgument: 'usage',
  },
  search: {
    success: 'executions',
    json: 'value',
    wrongName: { because: 'the type is one of a few words', line: 'nosuch', code: 2, says: /cannot search "nosuch"/ },
    noArgument: 'usage',
  },
  utilization: { success: '', json: 'value', wrongName: NO_NAME, noArgument: NO_ARGUMENT },
  activity: { success: '', json: 'value', wrongName: NO_NAME, noArgument: NO_ARGUMENT },
  ...Object.fromEntries(['bash', 'zsh', 'fish', 'powershell'].map((shell) => [`completion ${shell}`, script])),
  'completion install': atStart,
  'completion uninstall': { ...atStart, noArgument: none('without an argument it takes all shells') },
  docs: {
    success: 'operations',
    json: 'value',
    wrongName: { because: 'the pages are a few words', line: 'nosuch', code: 2, says: /"nosuch"\nhint: ./ },
    noArgument: none('without an argument it lists the pages'),
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  open: {
    success: '--print',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: none('it would open a browser'),
    notLoggedIn: works('the page is public'),
  },
  version: {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: works('it shows its own version'),
    notLoggedIn: LOCAL,
  },
};

/** Rows of commands about this machine. */
export const machineRows: Rows = { ...daemonRows, ...clockRows, ...dataRows, ...toolRows };
