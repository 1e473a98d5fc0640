// A report of `doctor` holds no secret, whatever the log lines look like.
import { expect, it } from 'vitest';
import { redact } from '../../../src/commands/doctor/doctor.ts';

const hide = (text: string) => redact(text, { home: '/home/ana', user: 'ana' });

it.each([
  ['Authorization: Bearer abc.def', 'Authorization: "***"'],
  ['Cookie: a=one; b=two', 'Cookie: "***"'],
  ['X-Api-Key: one', 'X-Api-Key: "***"'],
  ['{"password":"a\\"b c","x":1}', '{"password":"***","x":1}'],
  ['{"msg":"sent {\\"password\\":\\"a b\\",\\"x\\":1}"}', '{"msg":"sent {\\"password\\":"***",\\"x\\":1}"}'],
  ['bearer abc123', 'bearer ***'],
  ['{"access_token":"abc"}', '{"access_token":"***"}'],
  ['{"clientSecret":"a b c"}', '{"clientSecret":"***"}'],
  ['ACTORCTL_ADMIN_PASSWORD=hunter2', 'ACTORCTL_ADMIN_PASSWORD="***"'],
  ['http://me:pw@host/x?code=abc&state=1', 'http://***@host/x?code=***&state=***'],
  ['sealed:v1:0123456789abcdef:abc_def', 'sealed:***'],
  ['eyJhbGciOi.eyJzdWIi.c2ln', '***'],
  ['id Yy0BfNbkMcSU7GfRa2b3c4d5e6', 'id ***'],
  ['mail to ana.b@example.org now', 'mail to ***@*** now'],
  ['/home/ana/data of ana', '~/data of USER'],
])('R181 redaction: %s', (text, hidden) => {
  expect(hide(text)).toBe(hidden);
});

it('redaction keeps ids, times and the text of a log line', () => {
  const line = '{"level":"info","time":"2026-11-22T17:09:29.127Z","execution":"DQ3kWq8vT2mZa","msg":"stopped"}';
  expect(hide(line)).toBe(line);
});
