// Makes the tests of a file run as the user of an engine without root: this process gives up root for good.
import { inject } from 'vitest';

const rootless = inject('rootless');
process.env['ACTORCTL_TEST_ENGINE'] = 'rootless';
if ('missing' in rootless) {
  process.env['DOCKER_HOST'] = `unix:///nowhere/${rootless.kind}.sock`;
  process.env['ACTORCTL_TEST_ENGINE_MISSING'] = rootless.missing;
} else if (process.getuid?.() === 0) {
  Object.assign(process.env, rootless.env);
  process.setgroups?.([]);
  process.setgid?.(rootless.gid);
  process.setuid?.(rootless.uid);
}
