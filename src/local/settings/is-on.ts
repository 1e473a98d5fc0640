/** Whether a variable switches something on: any value but the empty one, `0` and `false`. */
export const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
