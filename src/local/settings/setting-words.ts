// The values that settings accept.

export const formats = ['table', 'wide', 'name', 'id', 'json', 'ndjson', 'yaml', 'env'] as const;
export const colors = ['auto', 'always', 'never'] as const;
export const stores = ['auto', 'keychain', 'file', 'memory'] as const;
