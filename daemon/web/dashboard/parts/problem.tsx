// Shows why a read or an action failed.
import { safe } from './text.ts';

export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="problem" role="alert">
      {safe(text)}
    </p>
  );
