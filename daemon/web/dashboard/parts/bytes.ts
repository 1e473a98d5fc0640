// Formats sizes.
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size with one unit: `512 B`, `1.5 kB`, `120 GB`. */
export const formatBytes = (bytes: number): string => {
  let at = 0;
  let value = bytes;
  while (value >= 1_000 && at < UNITS.length - 1) {
    value /= 1_000;
    at += 1;
  }
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[at]}`;
};
