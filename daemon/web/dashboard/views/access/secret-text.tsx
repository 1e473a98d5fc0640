// A secret that the service issued: its beginning, the whole secret on request, and a button that copies it.
import { useSignal } from '@preact/signals';
import { copy } from '../../parts/actions/copy.ts';
import { safe } from '../../parts/text.ts';
import { shortened } from './try/shown.ts';

interface SecretTextProps {
  /** For screen readers: `access_token`. */
  readonly name: string;
  readonly value: string;
}

export const SecretText = ({ name, value }: SecretTextProps) => {
  const shown = useSignal(false);
  const word = shown.value ? 'Hide' : 'Show';
  return (
    <span class="secret">
      <code>{safe(shown.value ? value : shortened(value))}</code>
      <button
        type="button"
        class="quiet"
        aria-label={`${word} ${name}`}
        onClick={() => {
          shown.value = !shown.value;
        }}
      >
        {word}
      </button>
      <button type="button" class="quiet" aria-label={`Copy ${name}`} onClick={() => copy(value)}>
        Copy
      </button>
    </span>
  );
};
