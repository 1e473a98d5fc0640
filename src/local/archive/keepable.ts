// The kinds of records that `reset --keep` can preserve.

export const keepable = ['users', 'clients'] as const;
export type Keepable = (typeof keepable)[number];
