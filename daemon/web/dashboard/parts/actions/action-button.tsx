// A button of an action.
import type { ButtonHTMLAttributes } from 'preact';

interface ActionButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'disabled' | 'onClick'> {
  /** Whether the action runs, or cannot run now. */
  readonly isOff?: boolean;
  /** Why the action is refused. Shown as the title. */
  readonly refusal?: string | undefined;
  /** Absent for a button that submits its form. */
  readonly onClick?: () => void;
}

/** Keeps the focus while it is off. A button that is `disabled` would lose it, and a keyboard starts again at the top. */
export const ActionButton = ({
  isOff = false,
  refusal,
  type = 'button',
  title,
  onClick,
  ...others
}: ActionButtonProps) => {
  const isUnavailable = isOff || refusal !== undefined;
  return (
    <button
      {...others}
      type={type}
      title={refusal ?? title}
      aria-disabled={isUnavailable || undefined}
      onClick={(event) => {
        if (isUnavailable) event.preventDefault();
        else onClick?.();
      }}
    />
  );
};
