// Filters the operations of the page by their words.
import { useState } from 'preact/hooks';

const textOf = (element: Element | null | undefined): string => element?.textContent?.toLowerCase() ?? '';

/** Hides what does not contain all words, and returns the number of operations that do. */
const filter = (query: string): number => {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const section of document.querySelectorAll<HTMLElement>('main > section')) {
    const title = textOf(section.querySelector('h2'));
    let found = 0;
    for (const operation of section.querySelectorAll<HTMLElement>('details.operation')) {
      const text = `${title} ${operation.id.toLowerCase()} ${textOf(operation.querySelector('summary'))}`;
      operation.hidden = !words.every((word) => text.includes(word));
      if (!operation.hidden) found += 1;
    }
    section.hidden = found === 0;
    const entry = document.querySelector<HTMLElement>(`nav a[href="#${section.querySelector('h2')?.id}"]`);
    if (entry?.parentElement) entry.parentElement.hidden = section.hidden;
    count += found;
  }
  return count;
};

const countText = (count: number): string =>
  count === 0 ? 'No operation contains these words' : `${count} ${count === 1 ? 'operation' : 'operations'}`;

export const Search = () => {
  const [count, setCount] = useState<number>();
  return (
    <search>
      <label for="words">Search operations</label>
      <input
        id="words"
        type="search"
        autocomplete="off"
        spellcheck={false}
        onInput={({ currentTarget: { value } }) => {
          const found = filter(value);
          setCount(value.trim() === '' ? undefined : found);
        }}
      />
      <p class="soft" role="status">
        {count === undefined ? '' : countText(count)}
      </p>
    </search>
  );
};
