// Starts Podman for the project `engines-podman`, and stops it after its tests.
import type { TestProject } from 'vitest/node';
import { ownPodman, whyNoPodman } from '../engine/own-podman.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The address of Podman, or why there is none. */
    readonly podman: { readonly host: string } | { readonly missing: string };
  }
}

export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const missing = whyNoPodman();
  if (missing !== undefined) {
    project.provide('podman', { missing });
    return undefined;
  }
  const podman = ownPodman();
  await podman.start();
  project.provide('podman', { host: podman.host });
  return podman.remove;
};
