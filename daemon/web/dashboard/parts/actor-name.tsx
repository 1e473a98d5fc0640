// Names of actors: of one in a row, and of all as suggestions of an input field.
import { useEffect } from 'preact/hooks';
import { knownNames, nameOf, readNames } from './names.ts';

/** A component, so that the name can appear without rendering the row again. */
export const ActorName = ({ id }: { readonly id: string }) => <>{nameOf(id)}</>;

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
