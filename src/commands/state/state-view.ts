// Table columns of state versions.
import { fields } from '../../contract/for-client.ts';
import type { View } from '../../ui/format/view.ts';
import type { StateEntry } from './state-access.ts';

export const stateEntryView: View<StateEntry> = {
  id: ({ version }) => String(version),
  fields: fields.stateEntry,
  columns: [
    { header: 'VERSION', value: ({ version }) => `v${version}` },
    { header: 'WHEN', value: ({ updatedAt }) => updatedAt, kind: 'time' },
    { header: 'BY', value: ({ executionId, updatedBy }) => executionId ?? updatedBy, role: 'id' },
    { header: 'SIZE', value: ({ bytes }) => bytes, kind: 'bytes' },
    { header: 'USER', value: ({ updatedBy }) => updatedBy, wide: true },
  ],
};
