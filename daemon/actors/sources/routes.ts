// Handlers of what new actors can be made from, for admins.
import type { Handlers } from '../../http/route-handler.ts';
import type { ActorsDependencies } from '../dependencies.ts';

export const sourcesHandlers = ({
  sources,
}: Pick<ActorsDependencies, 'sources'>): Handlers<'admin.images' | 'admin.folders' | 'admin.example'> => ({
  'admin.images': async ({ signal }) => ({ result: await sources.images(signal()), message: 'Images retrieved.' }),
  'admin.folders': async ({ query: { path } }) => ({
    result: await sources.folders(path),
    message: 'Folders retrieved.',
  }),
  'admin.example': async () => ({ result: await sources.writeExample(), message: 'Example written.' }),
});
