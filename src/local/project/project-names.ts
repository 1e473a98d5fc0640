// Names of the files of projects.

/** An actor in its folder, or a whole project. */
export const PROJECT_FILE = 'actorctl.json';

/** A whole project. */
export const YAML_FILES: readonly string[] = ['actorctl.yaml', 'actorctl.yml'];
