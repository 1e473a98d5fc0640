// The quickstart on Podman: an image is built and run, and the counts are right.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { dockerRequirement } from '../support/engine/docker.ts';
import { describeIf } from '../support/runner/requirements.ts';

const quickstart = fileURLToPath(new URL('../../examples/quickstart.mjs', import.meta.url));

describeIf(await dockerRequirement(), 'the quickstart', () => {
  it('builds the image of the example and counts the words in a container', () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [quickstart], {
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
    });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    expect(stdout).not.toContain('running the example as a process');
    expect(stdout).toMatch(/actors create actorctl-example\/wordcount/);
    expect(stdout).toMatch(/words +\d+/);
    expect(stdout).toContain('complete');
  });
});
