// Names that no user can have, because they mean something else.
import { WORLD } from '../../../src/contract/actors/permissions.ts';

/** `me` is a route of profiles; the others name members that every object has. */
const RESERVED: ReadonlySet<string> = new Set([WORLD, 'me', '__proto__', 'constructor', 'prototype']);
const reservedFolded: ReadonlySet<string> = new Set([...RESERVED].map((name) => name.toLowerCase()));

/** Whatever the case: `Abaco_World` is there to be mistaken for the pseudo-user. @see wire.md "Tenants, users, roles" */
export const isReservedUsername = (username: string): boolean => reservedFolded.has(username.toLowerCase());
