// The end of a login survives a crash right after its response.
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../../daemon/store/store.ts';
import { loginCalls } from '../../support/browser/login-calls.ts';
import { startActorService } from '../../support/service/actor-service.ts';

it('the end of a login is on the disk before it is acknowledged, so that a crash does not undo it', async () => {
  const service = await startActorService();
  try {
    const { loginOf, end, password, openPage, browserOf } = await loginCalls(service);
    const [{ access }, page] = [await password('ana'), await openPage(await browserOf())];
    const [login, asking] = [await loginOf(access), (await password('ana')).access];
    const browser = { id: (await loginOf(page.access)).browser ?? '' };
    const { dependencies, folder, store } = service;
    const { digest } = dependencies.vault;
    const sessions = store.count('sessions');
    const ended = [await end(asking, login), await end(asking, browser)];
    expect(ended.map(({ status }) => status)).toEqual([200, 200]);
    // A crash now would leave these files.
    const copy = mkdtempSync(join(tmpdir(), 'actorctl-crashed-'));
    try {
      cpSync(folder, copy, { recursive: true, filter: (path) => !path.endsWith('lock') });
      const after = await openStore({ folder: copy, clock: dependencies.clock, logger: dependencies.logger });
      expect([access, page.access, page.refresh].map((token) => after.get('tokens', digest(token)))).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      expect([after.count('sessions'), after.get('tokens', digest(asking))?.username]).toEqual([sessions - 1, 'ana']);
      await after.close();
    } finally {
      rmSync(copy, { recursive: true });
    }
  } finally {
    await service.close();
  }
});
