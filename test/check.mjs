// `npm run check`: all checks and tests, side by side where they do not disturb each other.
import { buildOnce, runSideBySide, vitest } from './side-by-side.mjs';

const script = (name) => ({
  name,
  command: ['npm', 'run', '--silent', name],
  alone: name === 'test' ? 'npm test' : `npm run ${name}`,
});
const project = (name) => ({
  name,
  command: vitest([name]),
  alone: `npx vitest run --config test/vitest.config.ts --project ${name}`,
});

const removeImage = buildOnce();
await runSideBySide([
  // Chromium ends its connections when a network of the machine comes or goes, so nothing that starts containers runs beside it.
  [[script('test:dashboard')], ['types', 'lint', 'lint:layers', 'unused'].map(script)],
  // Keeps the processors busy by itself.
  [[script('test')]],
  // Wait for engines most of the time.
  [
    [project('engines-swarm'), project('engines-rootless-podman-kills'), project('engines-rootless-docker-kills')],
    [project('engines-podman'), project('engines-rootless-podman'), project('engines-rootless-docker')],
  ],
  // Keep the processors busy too.
  [[project('crash')]],
]);
removeImage();
