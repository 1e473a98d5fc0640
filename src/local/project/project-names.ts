// Names of the files of projects.

/** A file that describes the actor of its folder, or a whole project. */
export const PROJECT_FILE = 'actorctl.json';

/** Files that describe a whole project. */
export const YAML_FILES: readonly string[] = ['actorctl.yaml', 'actorctl.yml'];

/** Files with the tests of the project beside them. */
export const TEST_FILES: readonly string[] = ['actorctl.test.yaml', 'actorctl.test.yml'];
