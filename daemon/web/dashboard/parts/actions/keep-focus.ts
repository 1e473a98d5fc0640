// Keeps the focus in the page when an action removes the button that had it.

/** A heading that names what the removed element belonged to. Undefined while the next view is being loaded. */
const headingOf = (around: readonly Element[]): HTMLElement | undefined => {
  const section = around.find((each) => each.isConnected && each.matches('section[aria-labelledby]'));
  const found = section?.querySelector<HTMLElement>('h2') ?? document.querySelector<HTMLElement>('main h1');
  return found ?? undefined;
};

const ancestorsOf = (element: Element): readonly Element[] =>
  element.parentElement === null ? [] : [element.parentElement, ...ancestorsOf(element.parentElement)];

let stopLast = (): void => undefined;

/**
 * Call it when an action begins. If the element with the focus is removed before the person moves the focus, the
 * heading of its panel or view gets the focus.
 */
export const keepFocus = (): void => {
  stopLast();
  let focused = document.activeElement;
  if (focused === null || focused === document.body || focused.closest('dialog') !== null) return;
  let around = ancestorsOf(focused);
  const check = (): void => {
    if (focused?.isConnected && document.activeElement === focused) return;
    // A form that closes gives the focus to its button by itself.
    const isLost = document.activeElement === document.body && focused?.isConnected === false;
    if (!isLost) {
      stopLast();
      return;
    }
    const heading = headingOf(around);
    if (heading === undefined) return;
    heading.setAttribute('tabindex', '-1');
    heading.focus({ preventScroll: true });
    // The panel of this heading may be removed by the next response.
    focused = heading;
    around = ancestorsOf(heading);
  };
  // Effects of the new rendering, which may set the focus, run first.
  const observer = new MutationObserver(() => requestAnimationFrame(() => setTimeout(check)));
  observer.observe(document.body, { childList: true, subtree: true });
  stopLast = () => observer.disconnect();
};
