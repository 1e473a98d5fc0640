// The script of the API documentation: a search, and a form in each operation that sends it.
import { render } from 'preact';
import { Search } from './search.tsx';
import { TryIt } from './try-it.tsx';

const search = document.getElementById('search');
if (search !== null) render(<Search />, search);

for (const operation of document.querySelectorAll<HTMLDetailsElement>('details.operation')) {
  const place = operation.querySelector('.try');
  if (place === null) continue;
  operation.addEventListener('toggle', () => {
    if (operation.open) render(<TryIt id={operation.id} />, place);
  });
}

/** Opens the operation that the address names. */
const openNamed = (): void => {
  const named = document.getElementById(location.hash.slice(1));
  if (named instanceof HTMLDetailsElement) named.open = true;
};
addEventListener('hashchange', openNamed);
openNamed();
