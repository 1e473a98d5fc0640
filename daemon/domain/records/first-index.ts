/**
 * Binary search: the lowest index for which `isReached` is true, or `length`. It must also be true for all higher
 * indexes.
 */
export const firstIndex = (length: number, isReached: (index: number) => boolean): number => {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isReached(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
};
