// Secret configs that an execution received are not in its log, also after its daemon was killed.
import { describe, expect, it } from 'vitest';
import { build, closeHarnesses, harness } from '../../support/engine/scheduler-fixture.ts';

closeHarnesses();

const SECRET = 'geheim-ü-42';

describe('a secret in the output of an execution', () => {
  it('is masked in the log on both streams, in pieces of one byte and beside halves of characters', async () => {
    await build();
    harness.secrets = [JSON.stringify(SECRET)];
    harness.world.images.set('printing', async ({ out, err }) => {
      const bytes = Buffer.concat([
        Buffer.from(`a ${SECRET}\r\n${SECRET}\n`),
        Buffer.from([0xc3]),
        Buffer.from(SECRET),
      ]);
      for (const byte of bytes) out(Uint8Array.of(byte));
      err(`err ${SECRET.slice(0, 4)}`);
      err(`${SECRET.slice(4)}.`);
      return 0;
    });
    const id = await harness.send(await harness.actor({ image: 'printing' }));
    expect(await harness.final(id)).not.toHaveProperty('secrets');
    const log = await harness.logs.read(id);
    expect(log).not.toContain('geheim');
    expect(log.replace('err ***.', '')).toBe('a ***\r\n***\n\ufffd***');
  });

  it('is masked in the last line of stderr, which only the record of a failed run has', async () => {
    await build();
    harness.secrets = [JSON.stringify(SECRET)];
    for (const code of [0, 3]) {
      const image = `ends-${code}`;
      harness.world.images.set(image, async ({ err }) => {
        err(`first\n\u001b[31mcannot use ${SECRET.slice(0, 4)}`);
        err(`${SECRET.slice(4)} now\n\n`);
        return code;
      });
      const final = await harness.final(await harness.send(await harness.actor({ image })));
      expect(final?.lastStderr).toBe(code === 0 ? undefined : 'cannot use *** now');
    }
  });

  it('leaves a last line of at most 200 characters', async () => {
    await build();
    harness.world.images.set('long', async ({ err }) => {
      err(`short\n${'ü'.repeat(5_000)}`);
      return 1;
    });
    const final = await harness.final(await harness.send(await harness.actor({ image: 'long' })));
    expect(final?.lastStderr).toMatch(/^\ufffd?ü{199,200}…$/);
  });

  it('is shown if the actor says so, and if no config is secret', async () => {
    await build();
    harness.world.images.set('printing', async ({ out }) => {
      out(SECRET);
      return 0;
    });
    harness.secrets = [JSON.stringify(SECRET)];
    const shown = await harness.send(await harness.actor({ image: 'printing', showSecrets: true }));
    await harness.final(shown);
    harness.secrets = [];
    const plain = await harness.send(await harness.actor({ image: 'printing' }));
    await harness.final(plain);
    expect([await harness.logs.read(shown), await harness.logs.read(plain)]).toEqual([SECRET, SECRET]);
  });

  it('is the one that the execution received, even if the config changed and the daemon was killed meanwhile', async () => {
    await build();
    harness.secrets = [JSON.stringify(SECRET)];
    let end = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      end = resolve;
    });
    harness.world.images.set('printing', async ({ out }) => {
      out(`before ${SECRET.slice(0, 5)}`);
      await gate;
      out(`${SECRET.slice(5)} after ${SECRET}\n`);
      return 0;
    });
    const id = await harness.send(await harness.actor({ image: 'printing' }));
    await harness.until(() => harness.world.starts.includes(id));
    harness.secrets = ['"another-secret"'];
    await harness.crash();
    await harness.until(() => [...harness.world.runs.values()].some(({ sinks }) => sinks.size > 1));
    await expect.poll(() => harness.logs.read(id)).toBe('before ');
    end();
    expect(await harness.final(id)).not.toHaveProperty('secrets');
    expect(await harness.logs.read(id)).toBe('before *** after ***\n');
  });
});
