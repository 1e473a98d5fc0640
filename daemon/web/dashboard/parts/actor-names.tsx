// The names of all actors, as suggestions of an input field.
import { useEffect } from 'preact/hooks';
import { knownNames, readNames } from './names.ts';

export const ActorNames = ({ id }: { readonly id: string }) => {
  useEffect(readNames, []);
  return (
    <datalist id={id}>
      {knownNames().map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  );
};
