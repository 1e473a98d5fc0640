// Makes the tests of a file use Podman in place of Docker.
import { inject } from 'vitest';

const podman = inject('podman');
process.env['DOCKER_HOST'] = 'host' in podman ? podman.host : 'unix:///nowhere/podman.sock';
process.env['ACTORCTL_TEST_ENGINE'] = 'podman';
if ('missing' in podman) process.env['ACTORCTL_TEST_ENGINE_MISSING'] = podman.missing;
