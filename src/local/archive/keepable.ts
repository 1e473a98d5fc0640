// What `reset --keep` can keep.

export const keepable = ['users', 'clients'] as const;
export type Keepable = (typeof keepable)[number];
