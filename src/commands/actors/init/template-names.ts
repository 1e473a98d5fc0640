// The names of the templates of `actors init`.

export const templateNames = ['python', 'node', 'bash', 'go', 'ts'] as const;
export type TemplateName = (typeof templateNames)[number];
