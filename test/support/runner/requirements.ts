// Tests that need something the machine may not have: they run, or they are skipped with a reason, or (when required) they fail.
import { describe, expect, it } from 'vitest';

/** Something outside the repository that a suite needs. */
export interface Requirement {
  /** Short name; `ACTORCTL_TEST_<NAME>=required` turns a skip into a failure. */
  readonly name: 'docker' | 'keyring' | 'mount' | 'linux' | 'browser' | 'python';
  readonly available: boolean;
  /** Why it is not available, and what to do. */
  readonly reason: string;
}

/** States a requirement. */
export const requirement = (name: Requirement['name'], available: boolean, reason: string): Requirement => ({
  name,
  available,
  reason,
});

/** Marks the names of skipped suites; the reporter reads the reason out of it. */
export const SKIP_MARK = ' ⟂ skipped: ';

/** A suite that runs only where `need` is available. */
export const describeIf = (need: Requirement, name: string, body: () => void): void => {
  if (need.available) {
    describe(name, body);
    return;
  }
  if (process.env[`ACTORCTL_TEST_${need.name.toUpperCase()}`] === 'required') {
    describe(name, () => {
      it(`has ${need.name}, which ACTORCTL_TEST_${need.name.toUpperCase()}=required demands`, () => {
        expect.fail(`${need.name} is required but not available: ${need.reason}`);
      });
    });
    return;
  }
  describe.skip(`${name}${SKIP_MARK}${need.reason}`, body);
};
