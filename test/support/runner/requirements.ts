// Tests with requirements on the machine: they run if the requirement is met, else they are skipped with a reason, or
// fail if they are marked as required.
import { describe, expect, it } from 'vitest';

/** A requirement of a suite on the machine. */
export interface Requirement {
  /** Short name; `ACTORCTL_TEST_<NAME>=required` turns a skip into a failure. */
  readonly name:
    | 'docker'
    | 'podman'
    | 'rootless'
    | 'swarm'
    | 'keyring'
    | 'mount'
    | 'linux'
    | 'browser'
    | 'python'
    | 'agavepy'
    | 'abaco-cli'
    | 'https-port'
    | 'openssl'
    | 'systemd'
    | 'shells'
    | 'users';
  readonly available: boolean;
  /** The reason why it is not available, and what to do. */
  readonly reason: string;
}

export const requirement = (name: Requirement['name'], available: boolean, reason: string): Requirement => ({
  name,
  available,
  reason,
});

/** Marks the names of skipped suites. The reporter reads the reason from the text after it. */
export const SKIP_MARK = ' ⟂ skipped: ';

/** A suite that runs only if `need` is available. */
export const describeIf = (need: Requirement, name: string, body: () => void): void => {
  if (need.available) {
    describe(name, body);
    return;
  }
  if (process.env[`ACTORCTL_TEST_${need.name.toUpperCase()}`] === 'required') {
    describe(name, () => {
      it(`has ${need.name}, as required by ACTORCTL_TEST_${need.name.toUpperCase()}=required`, () => {
        expect.fail(`${need.name} is required but not available: ${need.reason}`);
      });
    });
    return;
  }
  describe.skip(`${name}${SKIP_MARK}${need.reason}`, body);
};
