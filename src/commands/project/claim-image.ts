// Prevents a build from replacing the image of another folder, whose actors would then run different code.
import { existsSync } from 'node:fs';
import type { CommandContext } from '../../context.ts';
import type { ImageReport } from '../../contract/owner/images.ts';
import { CliFailure } from '../../failure.ts';
import { realOf } from '../../local/project/inside.ts';
import type { Project } from '../../local/project/project.ts';
import { flag } from '../framework/option.ts';

export const takeOverOption = flag('--take-over', 'replace an image of this name that was built from another folder');

/**
 * Checks the image that a build would replace; undefined if there is none.
 * @param wish.other how to build under another name, for the hint
 * @throws CliFailure ALREADY_EXISTS if the image was built from another folder that still exists, and an actor uses it
 * @see docs/conformance/security.md R230
 */
export const claimImage = async (
  { manage, output }: Pick<CommandContext, 'manage' | 'output'>,
  { source }: Pick<Project, 'source'>,
  image: string,
  { takeOver, other }: { readonly takeOver: boolean; readonly other: string },
): Promise<ImageReport | undefined> => {
  const { image: report } = await manage('images.show', { image });
  const origin = report?.origin;
  if (origin === undefined || origin.folder === source) return report;
  const exists = existsSync(origin.folder);
  // A moved folder may have left a symbolic link at its old path.
  if (exists && (await realOf(origin.folder)) === source) return report;
  const [first, ...more] = origin.users;
  const users =
    first === undefined
      ? 'actors of another instance may use'
      : `actor ${first}${more.length === 0 ? ' uses' : ` and ${more.length} more use`}`;
  if (exists && !takeOver && (first !== undefined || origin.isForeign)) {
    throw new CliFailure('ALREADY_EXISTS', `${users} the image ${image} of ${origin.folder}`, {
      hint: `${other}; or replace that image: add --take-over`,
      details: { image, folder: origin.folder, actors: origin.users },
    });
  }
  output.note(
    `${source} takes over ${image}, which ${origin.folder} built${exists ? '' : ' before it was moved or removed'}`,
  );
  return report;
};
