// A small line chart beside a name.
import { sparkPath } from './spark-path.ts';

const WIDTH = 84;
const HEIGHT = 20;

export const Spark = ({ values, label }: { readonly values: readonly number[]; readonly label: string }) => {
  if (values.every((value) => value === 0)) return <span class="soft">–</span>;
  return (
    <svg class="spark" viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={label}>
      <path d={sparkPath(values, WIDTH, HEIGHT)} fill="none" stroke="currentColor" stroke-width="1.25" />
    </svg>
  );
};
