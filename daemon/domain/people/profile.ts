// The profile of a user, with fields in snake case and in camel case. @see docs/conformance/spec.md#sections-of-the-spec
import type { ResultOf } from '../../../src/contract/operation.ts';
import type { Operations } from '../../../src/contract/operations.ts';
import type { UserRecord } from '../records/account-records.ts';

/** Formats a time as `YYYYMMDDhhmmssZ`. */
const profileTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace(/[-:T]/g, '')}Z`;

/** The profile of a user. Unknown fields are empty strings, because clients print every field. */
export const toProfile = (user: UserRecord, baseUrl: string): ResultOf<Operations['profiles.me']> => {
  const { username, uid, createdAt, profile } = user;
  const { email, firstName, lastName, phone, mobilePhone } = profile;
  const self = `${baseUrl}/profiles/v2/${encodeURIComponent(username)}`;
  return {
    username,
    email,
    first_name: firstName,
    last_name: lastName,
    full_name: `${firstName} ${lastName}`.trim() || username,
    phone,
    mobile_phone: mobilePhone,
    status: 'Active',
    uid,
    create_time: profileTime(createdAt),
    firstName,
    lastName,
    position: '',
    institution: '',
    fax: '',
    researchArea: '',
    department: '',
    city: '',
    state: '',
    country: '',
    gender: '',
    _links: { self: { href: self }, users: { href: `${baseUrl}/profiles/v2` } },
  };
};
