// Starts an engine without root for the projects `engines-rootless-*`, and removes it after their tests.
import type { TestProject } from 'vitest/node';
import { type OwnRootless, ownRootless, whyNoRootless } from './own-rootless.ts';
import type { RootlessKind } from './rootless-service.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** The user and the engine of the project, or why there is none. */
    readonly rootless:
      | ({ readonly kind: RootlessKind } & Pick<OwnRootless, 'uid' | 'gid' | 'env'>)
      | { readonly kind: RootlessKind; readonly missing: string };
  }
}

export default async (project: TestProject): Promise<(() => Promise<void>) | undefined> => {
  const kind: RootlessKind = project.name.includes('docker') ? 'docker' : 'podman';
  const missing = whyNoRootless(kind);
  if (missing !== undefined) {
    project.provide('rootless', { kind, missing });
    return undefined;
  }
  const engine = ownRootless(kind);
  try {
    await engine.start();
  } catch (error) {
    await engine.remove();
    throw error;
  }
  const { uid, gid, env } = engine;
  project.provide('rootless', { kind, uid, gid, env });
  return engine.remove;
};
