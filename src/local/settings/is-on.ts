/** True if a variable switches something on: any value except the empty string, `0` and `false`. */
export const isOn = (value: string | undefined): boolean =>
  value !== undefined && !['', '0', 'false'].includes(value.toLowerCase());
