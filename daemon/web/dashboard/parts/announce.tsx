// Short messages after an action, for the eye and for screen readers.
import { signal } from '@preact/signals';

const message = signal<{ readonly text: string; readonly bad: boolean } | undefined>(undefined);
let timer: ReturnType<typeof setTimeout> | undefined;

const SHOWN_MS = 6_000;

export const announce = (text: string, bad = false): void => {
  message.value = { text, bad };
  clearTimeout(timer);
  timer = setTimeout(() => {
    message.value = undefined;
  }, SHOWN_MS);
};

export const Announcer = () => (
  <div class="announcer" role="status" aria-live="polite">
    {message.value === undefined ? null : <p class={message.value.bad ? 'is-bad' : ''}>{message.value.text}</p>}
  </div>
);
