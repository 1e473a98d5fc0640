// Ages that update automatically.
import { signal } from '@preact/signals';
import { serviceNow } from '../api/service-time.ts';
import { formatAge, formatDuration, formatMoment } from './time.ts';

/** The time of the service, updated each second while the page is visible. */
export const now = signal(serviceNow());
setInterval(() => {
  if (!document.hidden) now.value = serviceNow();
}, 1_000);

export const Ago = ({ time }: { readonly time: string | null | undefined }) => {
  if (time === null || time === undefined) return <span class="soft">–</span>;
  const at = Date.parse(time);
  return (
    <time dateTime={time} title={formatMoment(at)}>
      {formatAge(Math.max(0, now.value - at))}
    </time>
  );
};

export const Took = ({
  from,
  to,
}: {
  readonly from: string | null | undefined;
  readonly to?: string | null | undefined;
}) => {
  if (from === null || from === undefined) return <span class="soft">–</span>;
  const end = to === null || to === undefined ? Math.max(now.value, Date.parse(from)) : Date.parse(to);
  return <span>{formatDuration(end - Date.parse(from))}</span>;
};
