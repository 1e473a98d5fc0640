// The matrix of commands: the virtual clock of an instance.
import { NO_ARGUMENT, NO_NAME, none, type Rows, works } from './row.ts';

const LOCAL = works('the management socket asks for no login');
const OTHER_CLOCK = 'the instance has the clock of the machine';

/** Rows of `clock`. */
export const clockRows: Rows = {
  'clock show': { success: '', json: 'value', wrongName: NO_NAME, noArgument: NO_ARGUMENT, notLoggedIn: LOCAL },
  'clock set': {
    success: '9999-12-30 --instance {virtual-instance} --max 0',
    json: 'value',
    wrongName: { because: OTHER_CLOCK, line: '9999-12-30', code: 7, says: /has the clock of the machine/ },
    noArgument: 'usage',
    daemonDown: { because: 'no daemon starts here', line: '9999-12-30', code: 9, says: /actorctl up/ },
    notLoggedIn: none('it asks for no login, see clock show'),
  },
  'clock advance': {
    success: '1ms --instance {virtual-instance}',
    json: 'value',
    wrongName: { because: OTHER_CLOCK, line: '3h', code: 7, says: /has the clock of the machine/ },
    noArgument: 'usage',
    daemonDown: { because: 'no daemon starts here', line: '3h', code: 9, says: /actorctl up/ },
    notLoggedIn: none('it asks for no login, see clock show'),
  },
  'clock pause': {
    success: '--instance {virtual-instance}',
    json: 'value',
    wrongName: { because: OTHER_CLOCK, line: '', code: 7, says: /has the clock of the machine/ },
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'no daemon starts here', line: '', code: 9, says: /actorctl up/ },
    notLoggedIn: none('it asks for no login, see clock show'),
  },
  'clock resume': {
    success: '--instance {virtual-instance}',
    json: 'value',
    wrongName: { because: OTHER_CLOCK, line: '', code: 7, says: /has the clock of the machine/ },
    noArgument: NO_ARGUMENT,
    daemonDown: { because: 'no daemon starts here', line: '', code: 9, says: /actorctl up/ },
    notLoggedIn: none('it asks for no login, see clock show'),
  },
};
