// The matrix of commands: actors, their messages and executions, state, schedules and workers.
import { EVERYTHING, FILES_ONLY, NEW_NAME, NO_ARGUMENT, NO_NAME, none, type Row, type Rows } from './row.ts';

/** A command about one actor, which is its last argument. */
const ofActor = (line: string, rest: Partial<Row> = {}): Row => ({
  success: line,
  json: 'value',
  wrongName: line.replace(/\{[a-z-]+\}/, 'nosuch'),
  noArgument: 'usage',
  ...rest,
});

const ENGINE = none('it needs a container engine: test/e2e/actors/actors-build.docker.test.ts');
const NO_FOLDER = { because: 'it is the folder that is not there', line: 'nosuch', code: 2, says: /nosuch/ };
const NO_PROJECT = { because: 'it is the current folder, which has no project', code: 2, says: /actorctl\.json/ };

const actorRows: Rows = {
  'actors create': {
    success: '{image} --name {new}',
    json: 'value',
    wrongName: '{image} --link nosuch',
    noArgument: { because: 'the image may come from a file', code: 2, says: /the image is missing/ },
  },
  'actors list': { success: '', json: 'value', wrongName: NO_NAME, noArgument: NO_ARGUMENT },
  'actors show': ofActor('{actor}'),
  'actors update': ofActor('{actor} --description {new}'),
  'actors delete': ofActor('{new-actor} --yes'),
  'actors init': {
    success: '{new-folder}',
    json: 'value',
    wrongName: NEW_NAME,
    noArgument: none('it would write into the current folder'),
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  'actors build': {
    success: ENGINE,
    json: ENGINE,
    wrongName: NO_FOLDER,
    noArgument: NO_PROJECT,
    daemonDown: { because: 'the daemon builds', line: '{building}', code: 9, says: /try: actorctl up/ },
    notLoggedIn: none('it makes no request of the service'),
  },
  'actors deploy': { success: '{project}', json: 'value', wrongName: NO_FOLDER, noArgument: NO_PROJECT },
  'actors dev': {
    success: { line: '{project} --no-run', until: /READY/ },
    silent: 'only its actor writes there',
    json: 'lines',
    wrongName: NO_FOLDER,
    noArgument: NO_PROJECT,
  },
  'actors check': {
    success: '{actor} --no-run',
    json: 'value',
    wrongName: none('a name that no folder and no actor has is an image, which the engine may have'),
    noArgument: NO_PROJECT,
    notLoggedIn: none('without a login the target is an image'),
  },
  'workers list': ofActor('{actor}'),
  'workers show': ofActor('{actor} {worker}'),
  'workers scale': ofActor('{actor} 1'),
  'workers delete': ofActor('{actor} {worker} --yes'),
  'cron set': ofActor('{actor} @yearly'),
  'cron show': ofActor('{actor}'),
  'cron enable': ofActor('{actor}'),
  'cron disable': ofActor('{actor}'),
  'cron unset': ofActor('{actor}'),
  'cron list': ofActor('{actor}', { noArgument: EVERYTHING }),
  'cron next': ofActor('{actor}'),
};

const executionRows: Rows = {
  send: ofActor('{actor} -m hello'),
  run: ofActor('{actor} -m hello'),
  logs: ofActor('{execution}', { json: 'lines' }),
  'executions list': ofActor('{actor}', { noArgument: EVERYTHING }),
  'executions search': ofActor('--actor {actor}', {
    json: 'lines',
    noArgument: EVERYTHING,
  }),
  'executions show': ofActor('{execution}'),
  'actors logs': ofActor('{execution}', { json: 'lines' }),
  'executions logs': ofActor('{execution}', { json: 'lines' }),
  'executions wait': ofActor('{execution}', {
    noArgument: { because: 'only --settle waits without one', code: 2, says: /missing required argument "executions"/ },
  }),
  'executions halt': ofActor('{running} --signal KILL --yes'),
  'executions rerun': ofActor('{execution}'),
  'executions shell': ofActor('{execution} -- true', {
    silent: 'only its program writes there',
    json: none('its output is that of a program'),
    wrongName: 'nosuch',
  }),
  'executions result': ofActor('{given}'),
  'executions stats': ofActor('{actor}', { noArgument: EVERYTHING }),
  why: ofActor('{execution}'),
  'messages list': ofActor('{actor}'),
  'messages count': ofActor('{actor}'),
  'messages purge': ofActor('{actor} --yes'),
};

const stateRows: Rows = {
  'state get': ofActor('{stateful}'),
  'state set': ofActor('{stateful} --value {"at":"{new}"}'),
  'state patch': ofActor('{stateful} --merge {"at":"{new}"}'),
  'state edit': ofActor('{stateful}'),
  'state diff': ofActor('{stateful} --from 1 --to 2', {
    success: { line: '{stateful} --from 1 --to 2', ends: { code: 12, because: 'there are differences' } },
  }),
  'state history': ofActor('{stateful}'),
  'state restore': ofActor('{stateful} 1 --yes'),
  'state clear': ofActor('{stateful} --yes'),
  'state watch': ofActor('{stateful} --max 1', {
    success: { line: '{stateful} --max 1', meanwhile: 'state set {stateful} --value {"at":"{new}"}' },
    json: 'lines',
  }),
};

const NO_FILE = { because: 'it is the current folder, which has no project file', code: 2, says: /actorctl\.yaml/ };
const MISSING_FILE = { because: 'it is the file that is not there', line: '-f nosuch', code: 2, says: /"nosuch"/ };

const projectRows: Rows = {
  dev: {
    success: { line: '-f {project-file}', until: /runs: actorctl run|"ready"/ },
    silent: 'only its actors write there',
    json: 'lines',
    wrongName: MISSING_FILE,
    noArgument: NO_FILE,
    daemonDown: none('it starts an instance of its own'),
    notLoggedIn: none('it logs in to an instance of its own'),
  },
  init: {
    success: '{new-folder}',
    json: 'value',
    wrongName: NEW_NAME,
    noArgument: none('it would write into the current folder'),
    daemonDown: FILES_ONLY,
    notLoggedIn: FILES_ONLY,
  },
  test: {
    success: { line: '{test-file}' },
    json: none('it starts an instance of its own, project-tests'),
    wrongName: { because: 'a file is named', line: 'nosuch', code: 2, says: /no file or folder "nosuch"/ },
    noArgument: { because: 'it reads the current folder', code: 2, says: /there is no actorctl\.test\.yaml/ },
    daemonDown: none('it starts an instance of its own'),
    notLoggedIn: none('it logs in to an instance of its own'),
  },
  exec: {
    success: { line: '-- true', process: true },
    silent: 'only its command writes there',
    json: none('its output is that of its command'),
    wrongName: { because: 'it is the program that is not there', line: '-- nosuch', code: 127, says: /"nosuch"/ },
    plainErrors: 'flags at the end of the line belong to its command',
    noArgument: { because: 'the command follows "--"', code: 125, says: /needs its name after "--"/ },
    daemonDown: none('it starts an instance of its own'),
    notLoggedIn: none('it logs in to an instance of its own'),
  },
  apply: { success: '-f {project-file}', json: 'value', wrongName: MISSING_FILE, noArgument: NO_FILE },
  diff: {
    success: { line: '-f {project-file}', ends: { code: 12, because: 'the project is not applied' } },
    json: 'value',
    wrongName: MISSING_FILE,
    noArgument: NO_FILE,
  },
  export: { success: '--all', json: 'value', wrongName: '--project nosuch', noArgument: NO_FILE },
  'project delete': {
    success: '-f {applied-project} --yes',
    json: 'value',
    wrongName: '--project nosuch --yes',
    noArgument: { because: 'it deletes no project that is not named', code: 2, says: /give the file with -f/ },
    daemonDown: { because: 'no project is applied', line: '--project gone --yes', code: 9, says: /try: actorctl up/ },
    notLoggedIn: {
      because: 'no project is applied',
      line: '--project gone --yes',
      code: 4,
      says: /try: actorctl login/,
    },
  },
};

/** Rows of commands about actors. */
export const actorRowsAll: Rows = { ...actorRows, ...executionRows, ...stateRows, ...projectRows };
