// The name of an actor in a row. It is a component, so that the name can appear without rendering the row again.
import { nameOf } from './names.ts';

export const ActorName = ({ id }: { readonly id: string }) => <>{nameOf(id)}</>;
