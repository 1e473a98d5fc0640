// Usernames that are reserved.
import { WORLD } from '../../../src/contract/actors/permissions.ts';

/**
 * ABACO_WORLD means every user, `me` is a profile route, and the other names are members of every JavaScript object.
 */
const RESERVED: ReadonlySet<string> = new Set([WORLD, 'me', '__proto__', 'constructor', 'prototype']);
const reservedFolded: ReadonlySet<string> = new Set([...RESERVED].map((name) => name.toLowerCase()));

/**
 * True if a username is reserved, in any letter case: `Abaco_World` could be mistaken for the pseudo-user.
 * @see docs/http-api.md#permissions "Tenants, users, roles"
 */
export const isReservedUsername = (username: string): boolean => reservedFolded.has(username.toLowerCase());
