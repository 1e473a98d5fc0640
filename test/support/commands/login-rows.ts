// The matrix of commands: logins, contexts and settings.
import { ADMIN } from '../daemon/home.ts';
import { FILES_ONLY, NO_ARGUMENT, NO_NAME, none, type Rows, works } from './row.ts';

const OF_LOGINS = works('it reads the stored logins only');

const login = { line: `--username ${ADMIN.username} --password-stdin`, input: ADMIN.password };

const loginRows: Rows = {
  login: {
    success: login,
    json: 'value',
    wrongName: {
      because: 'a login that fails is 4, and does not tell which names exist',
      line: { ...login, line: '--username nosuch --password-stdin' },
      code: 4,
      says: /wrong/,
    },
    noArgument: { because: 'it needs a browser or a terminal', code: 3, says: /--username NAME --password-stdin/ },
    notLoggedIn: none('it logs in'),
  },
  logout: {
    success: { line: '', home: 'own' },
    json: 'value',
    wrongName: '--user nosuch',
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'it forgets the login with a warning', code: 0, says: /cannot revoke/ },
    notLoggedIn: { because: 'it has nothing to do', code: 0, says: /You were not logged in/ },
  },
  whoami: {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: works('it asks the daemon nothing'),
  },
  'auth status': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'it shows that the service is unreachable', code: 4, says: /unreachable/ },
  },
  'auth token': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: works('the stored token is valid long enough'),
  },
  'auth refresh': { success: '', json: 'value', wrongName: NO_NAME, noArgument: NO_ARGUMENT },
  'auth revoke': {
    success: { line: '--yes', home: 'own' },
    json: 'value',
    wrongName: '--login nosuch --yes',
    noArgument: NO_ARGUMENT,
  },
  'auth logins': { success: '', json: 'value', wrongName: '--user nosuch', noArgument: NO_ARGUMENT },
  'auth inspect': {
    success: '',
    json: 'value',
    wrongName: none('it takes tokens, by standard input only'),
    noArgument: NO_ARGUMENT,
  },
  'auth list': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: OF_LOGINS,
    notLoggedIn: none('it prints an empty list'),
  },
  'auth switch': {
    success: { line: 'dev', home: 'own' },
    json: 'value',
    wrongName: 'nosuch',
    noArgument: { because: 'the user is optional if there is one other', code: 2, says: /the user name is missing/ },
    daemonDown: OF_LOGINS,
    notLoggedIn: { because: 'nobody is logged in to switch to', code: 6, says: /"dev" is not logged in/ },
  },
  'auth authorize-url': {
    success: '',
    json: 'value',
    wrongName: none('the client is looked up when the address is opened'),
    noArgument: NO_ARGUMENT,
    notLoggedIn: works('it is the beginning of a login'),
  },
  'auth exchange': {
    success: { line: '--code -', input: '{code}' },
    json: 'value',
    wrongName: { because: 'a wrong code is a failed login', line: '--code nosuch', code: 4, says: /code/ },
    noArgument: { because: 'the code is a flag', code: 2, says: /--code is missing/ },
    daemonDown: {
      because: 'it reads the code first',
      line: '--code http://127.0.0.1:8731/callback?code=x',
      code: 9,
      says: /try: actorctl up/,
    },
    notLoggedIn: { because: 'the code fails, not the login', line: '--code nosuch', code: 4, says: /code/ },
  },
};

const contextRows: Rows = {
  'context create': {
    success: '{new} --base-url http://127.0.0.1:9',
    json: 'value',
    wrongName: '{new} --from nosuch',
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context list': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context show': {
    success: '{context}',
    json: 'value',
    wrongName: 'nosuch',
    noArgument: none('without an argument it shows the current context'),
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context use': {
    success: 'local',
    json: 'value',
    wrongName: 'nosuch',
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context rename': {
    success: '{context} {new}',
    json: 'value',
    wrongName: 'nosuch {new}',
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context delete': {
    success: '{context} --yes',
    json: 'value',
    wrongName: 'nosuch --yes',
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context export': {
    success: '{context} -',
    json: 'value',
    wrongName: 'nosuch -',
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'context import': {
    success: '{carried} --force',
    json: 'value',
    wrongName: { because: 'a file that cannot be read is 2', line: 'nosuch', code: 2, says: /nosuch/ },
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
};

const NO_SETTING = { because: 'the settings are a few words', code: 2, says: /"nosuch"[^\n]*\n(?:try|hint): ./ };

const settingRows: Rows = {
  'settings list': {
    success: '',
    json: 'value',
    wrongName: NO_NAME,
    noArgument: NO_ARGUMENT,
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'settings get': {
    success: 'request_timeout',
    json: 'value',
    wrongName: { ...NO_SETTING, line: 'nosuch' },
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'settings set': {
    success: 'request_timeout 30s',
    json: 'value',
    wrongName: { ...NO_SETTING, line: 'nosuch 1' },
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'settings unset': {
    success: 'request_timeout',
    json: 'value',
    wrongName: { ...NO_SETTING, line: 'nosuch' },
    noArgument: 'usage',
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
};

/** Rows of commands about logins, contexts and settings. */
export const loginRowsAll: Rows = { ...loginRows, ...contextRows, ...settingRows };
