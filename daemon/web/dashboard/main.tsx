// The dashboard: logs in and shows the page.
import { render } from 'preact';
import { ApiFailure } from './api/failure.ts';
import { startLive } from './api/live.ts';
import { loginProblem, loginState, start } from './login/token.ts';
import { App } from './shell/app.tsx';
import { readMe } from './shell/me.ts';

const root = document.getElementById('app');
if (root === null) throw new Error('the page has no #app');
render(<App />, root);

try {
  await start();
} catch (error) {
  loginProblem.value =
    error instanceof ApiFailure
      ? error.message
      : 'The daemon does not respond. Is it running? The command actorctl status shows it.';
  loginState.value = 'out';
}
if (loginState.value === 'in') {
  startLive();
  void readMe().catch(() => undefined);
}
