// The path of a spark line: it begins at zero, and the largest value touches the top.

export const sparkPath = (values: readonly number[], width: number, height: number): string => {
  const most = Math.max(1, ...values);
  const step = values.length > 1 ? width / (values.length - 1) : 0;
  return values
    .map((value, at) => {
      const y = height - 1.5 - (value / most) * (height - 3);
      return `${at === 0 ? 'M' : 'L'}${(at * step).toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
};
