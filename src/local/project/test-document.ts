// The tests of a project: the file actorctl.test.yaml, or `tests` in actorctl.yaml. @see docs/testing-actors.md#actorctl-test
import * as z from 'zod/mini';

const named = z.string().check(z.minLength(1));
const count = (about: string) => z.optional(z.int().check(z.minimum(0), z.describe(about)));
const textOrList = (about: string) =>
  z.optional(z.union([named, z.array(named).check(z.minLength(1))]).check(z.describe(about)));

const sending = z.strictObject({
  to: named.check(z.describe('Actor of the project')),
  message: z.optional(z.unknown().check(z.describe('A text, or any other value, which is sent as JSON'))),
  env: z.optional(z.record(z.string(), z.string()).check(z.describe('Variables of this message'))),
});

const expectation = z.strictObject({
  exit: z.optional(z.int().check(z.minimum(0), z.maximum(255), z.describe('Exit code of all its runs (default: 0)'))),
  runs: count('Number of its runs'),
  state: z.optional(z.unknown().check(z.describe('Members that its state contains'))),
  log: z.optional(
    z.strictObject({
      contains: textOrList('Texts that its log contains'),
      matches: textOrList('Regular expressions that its log matches'),
    }),
  ),
});

const test = z.strictObject({
  state: z.optional(z.record(named, z.unknown()).check(z.describe('States of actors before the first message'))),
  send: z.optional(z.union([sending, z.array(sending)]).check(z.describe('Messages, sent in order'))),
  advance: z.optional(named.check(z.describe('Duration by which the clock moves after the messages: 1h, 1d, 1mo'))),
  expect: z.optional(z.record(named, expectation).check(z.describe('What is expected of actors'))),
  webhooks: z.optional(
    z.strictObject({
      posts: count('Number of posts to the webhooks of the project'),
      json: z.optional(z.unknown().check(z.describe('Members that one of the posts contains; a list: one post each'))),
    }),
  ),
  timeout: z.optional(named.check(z.describe('Longest time until everything has settled (default: 1m)'))),
});

export type TestDocument = z.output<typeof test>;
export type Expectation = z.output<typeof expectation>;
export type Sending = z.output<typeof sending>;

export const tests = z.record(named, test);

/** A file that has tests only. */
export const testsDocument = z.strictObject({ $schema: z.optional(z.string()), tests });
