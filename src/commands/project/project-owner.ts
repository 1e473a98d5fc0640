// The owner of a project. The record decides what `apply` shares and deletes, so the record of another user is not
// trusted unless the caller names that user.
import { CliFailure } from '../../failure.ts';
import { text } from '../framework/option.ts';
import type { CurrentState } from './plan/current-state.ts';

export const ownerOption = text('--owner <user>', 'use the project of this user, whose project record you trust');

/** Refuses the project of a user that the caller did not name. @see docs/conformance/security.md R186 */
export const checkOwner = (project: string, { user, owner }: CurrentState, given: string | undefined): void => {
  if (given !== undefined && given !== (owner ?? user))
    throw new CliFailure('NOT_FOUND', `user "${given}" has no project "${project}" that you can read`, {
      hint: `ask for READ and UPDATE on config "actorctl-project.${project}"`,
      details: { project, owner: given },
    });
  if (owner !== undefined && owner !== user && given === undefined)
    throw new CliFailure(
      'ALREADY_EXISTS',
      `project "${project}" belongs to user "${owner}", whose record decides what is shared and deleted`,
      {
        hint: `if you trust "${owner}", repeat the command with --owner ${owner}; else change "project" in the file`,
        details: { project, owner },
      },
    );
};
