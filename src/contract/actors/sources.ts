// What new actors can be made from. For admins, who see the machine of the daemon. Additions to Abaco.
import * as z from 'zod/mini';
import { operation } from '../operation.ts';
import { nothing, text } from '../wire.ts';

/** Maximum number of images in one response. */
export const IMAGES_MAX = 500;

/** Maximum number of folders in one response. */
export const FOLDERS_MAX = 500;

const engineImage = z.object({
  /** Name with tag, which is valid as the image of an actor. */
  name: z.string(),
  /** Bytes. */
  size: z.number(),
  created: z.string(),
});

export const sourceOperations = {
  'admin.images': operation({
    id: 'admin.images',
    method: 'GET',
    path: '/actors/v2/admin/images',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'List the images of the container engine',
    description:
      'Lists images that have a name, newest first, at most 500. If no engine responds, `available` is false and `detail` has the reason.',
    query: nothing,
    input: nothing,
    result: z.object({
      /** The executor of container images: `docker` or `swarm`. */
      engine: z.string(),
      available: z.boolean(),
      /** Description of the engine, or why it does not respond. */
      detail: z.string(),
      images: z.array(engineImage),
      /** True if the engine has more images than are listed. */
      more: z.boolean(),
    }),
    failures: [],
  }),
  'admin.folders': operation({
    id: 'admin.folders',
    method: 'GET',
    path: '/actors/v2/admin/folders',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'List the folders in a folder of the machine',
    description:
      "Lists at most 500 folders, without hidden ones. Without `path` it lists the home folder of the daemon's user. If the folder has the program of an actor, `actor` has the fields to create it with.",
    query: z.object({ path: z.optional(text(4_096)) }),
    input: nothing,
    result: z.object({
      /** Absolute, without symbolic links. */
      path: z.string(),
      /** Absent for the root. */
      parent: z.optional(z.string()),
      folders: z.array(
        z.object({
          name: z.string(),
          /** True if it has an actor.json. */
          isActor: z.boolean(),
        }),
      ),
      /** True if there are more folders than are listed. */
      more: z.boolean(),
      /** Fields of a new actor, as `actors create FOLDER` reads them from actorctl.json. */
      actor: z.optional(z.looseObject({})),
      /** Fields of actorctl.json that need other requests. */
      apart: z.optional(z.array(z.string())),
      /** Why the folder cannot run as an actor, although it has files of one. */
      problem: z.optional(z.string()),
    }),
    failures: ['VALIDATION', 'NOT_FOUND'],
  }),
  'admin.example': operation({
    id: 'admin.example',
    method: 'POST',
    path: '/actors/v2/admin/example',
    guard: 'admin',
    body: 'none',
    answer: 'envelope',
    summary: 'Write the word-count example to the data folder',
    description:
      'Returns the image of the folder, and what to create and send: the example needs no container engine. Files that exist stay unchanged.',
    query: nothing,
    input: nothing,
    result: z.object({
      /** `file:///` with the folder. */
      image: z.string(),
      name: z.string(),
      description: z.string(),
      /** A first message. */
      message: z.string(),
    }),
    failures: [],
  }),
} as const;
