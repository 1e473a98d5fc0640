// Profiles of users. The specification describes two forms of a profile; this one has the fields of both.
// @see docs/conformance/spec.md#endpoints
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing, text } from '../wire.ts';

export const profile = z.object({
  username: z.string(),
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  full_name: z.string(),
  phone: z.string(),
  mobile_phone: z.string(),
  status: z.string(),
  uid: z.number(),
  /** `YYYYMMDDhhmmssZ` */
  create_time: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  position: z.string(),
  institution: z.string(),
  fax: z.string(),
  researchArea: z.string(),
  department: z.string(),
  city: z.string(),
  state: z.string(),
  country: z.string(),
  gender: z.string(),
  _links: z.object({ self: z.object({ href: z.string() }), users: z.object({ href: z.string() }) }),
});

export const profileOperations = {
  'profiles.me': operation({
    id: 'profiles.me',
    method: 'GET',
    path: '/profiles/v2/me',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Show the profile of the caller',
    query: nothing,
    input: nothing,
    result: profile,
    failures: [],
  }),
  'profiles.list': operation({
    id: 'profiles.list',
    method: 'GET',
    path: '/profiles/v2',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'List the profiles of the tenant',
    description: 'Each query parameter selects the profiles whose field of that name has exactly the given value.',
    query: z.object({
      username: z.optional(text(128)),
      email: z.optional(text(320)),
      first_name: z.optional(text(256)),
      last_name: z.optional(text(256)),
    }),
    input: nothing,
    result: z.array(profile),
    failures: [],
  }),
  'profiles.show': operation({
    id: 'profiles.show',
    method: 'GET',
    path: '/profiles/v2/:username',
    guard: 'caller',
    body: 'none',
    answer: 'envelope',
    summary: 'Show the profile of a user of the tenant',
    query: nothing,
    input: nothing,
    result: profile,
    failures: ['NOT_FOUND'],
  }),
} as const;
