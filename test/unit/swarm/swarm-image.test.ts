// The name that an image gets in the registry of a swarm.
import { expect, it } from 'vitest';
import { localName } from '../../../daemon/executor/swarm/swarm-images.ts';

it.each([
  ['hello', 'hello', 'latest'],
  ['hello:dev', 'hello', 'dev'],
  ['team/hello:dev', 'team/hello', 'dev'],
  ['localhost/hello:dev', 'hello', 'dev'],
  ['localhost:5000/team/hello', 'team/hello', 'latest'],
  ['r.example/team/hello:1.2', 'team/hello', '1.2'],
  ['r.example:5000/hello@sha256:abc', 'hello', 'latest'],
])('%s is %s with the tag %s', (image, repository, tag) => {
  expect(localName(image)).toEqual({ repository, tag });
});
