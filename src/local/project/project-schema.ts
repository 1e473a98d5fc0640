// The JSON schema of project files, for editors. The build evaluates this module and writes dist/actorctl.schema.json.
import * as z from 'zod/mini';
import { anyDocument } from './project-document.ts';

/** The JSON schema. Draft 7 is what editors read. */
export const schema = {
  title: 'Project of actorctl',
  description:
    'actorctl.yaml or actorctl.test.yaml of a project, or actorctl.json of a project or of the folder of an actor',
  ...z.toJSONSchema(anyDocument, { target: 'draft-7', io: 'input' }),
};
