// The name of an actor in a row. A component, so that the name appears when it is read, without drawing the row again.
import { nameOf } from './names.ts';

export const ActorName = ({ id }: { readonly id: string }) => <>{nameOf(id)}</>;
