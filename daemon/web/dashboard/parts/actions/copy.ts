// Copies text for the person to paste.
import { announce } from '../announce.tsx';

export const copy = (text: string): void =>
  void navigator.clipboard.writeText(text).then(
    () => announce('Copied.'),
    () => announce('The browser does not allow copying. Select the text instead.', true),
  );
