// The origin of a setting: the first source that has a value.
import type { StartSetting } from '../daemon/start-options.ts';
import type { SettingName, SettingsDocument } from './settings-file.ts';

/** `file`: settings.json. `project`: actorctl.json. `contexts`: the current context. `start`: the last start. */
export type Source = 'flag' | 'environment' | 'project' | 'contexts' | 'file' | 'start' | 'default';

export interface Origin<T> {
  readonly value: T;
  readonly source: Source;
  /** Name of the flag or variable, or path of the file. */
  readonly from?: string;
}

/** Origins of all settings. `null`: the program that uses the setting chooses. */
export type Origins = {
  readonly [N in SettingName]: Origin<
    N extends StartSetting ? string | number | boolean | null : NonNullable<SettingsDocument[N]>
  >;
};

export type Candidate<T> = readonly [source: Source, from: string | undefined, value: T | undefined];

export const choose = <T>(fallback: Origin<T>, ...candidates: readonly Candidate<T>[]): Origin<T> => {
  for (const [source, from, value] of candidates)
    if (value !== undefined) return { value, source, ...(from !== undefined && { from }) };
  return fallback;
};
