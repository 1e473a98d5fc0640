// Links to the parts of a view. The current one is scrolled into view where not all of them fit.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface TabsProps {
  readonly label: string;
  /** Changes with the current part. */
  readonly current: string;
  readonly children: ComponentChildren;
}

export const Tabs = ({ label, current, children }: TabsProps) => {
  const nav = useRef<HTMLElement>(null);
  // `scrollIntoView` could also scroll the page.
  useEffect(() => {
    const tab = nav.current?.querySelector('[aria-current]')?.getBoundingClientRect();
    const box = nav.current?.getBoundingClientRect();
    if (nav.current === null || tab === undefined || box === undefined) return;
    nav.current.scrollLeft += tab.left + tab.width / 2 - box.left - box.width / 2;
  }, [current]);
  return (
    <nav ref={nav} class="tabs" aria-label={label}>
      {children}
    </nav>
  );
};
