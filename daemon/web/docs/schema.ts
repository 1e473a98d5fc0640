// Describes a JSON Schema for a reader: a short type, and the members of an object.

type Json = Readonly<Record<string, unknown>>;

export interface Member {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const typeOf = (schema: unknown): string => {
  if (!isObject(schema)) return 'any value';
  const { type, items, anyOf, enum: values, const: only } = schema;
  if (values !== undefined)
    return list(values)
      .map((value) => JSON.stringify(value))
      .join(' | ');
  if (only !== undefined) return JSON.stringify(only);
  if (anyOf !== undefined) return [...new Set(list(anyOf).map(typeOf))].join(' or ');
  if (type === 'array') return `list of ${typeOf(items)}`;
  if (type === 'object' && schema['properties'] === undefined) return 'object with any names';
  return typeof type === 'string' ? type : 'any value';
};

export const membersOf = (schema: unknown): readonly Member[] => {
  if (!isObject(schema)) return [];
  if (schema['type'] === 'array') return membersOf(schema['items']);
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  return Object.entries(properties).map(([name, member]) => ({
    name,
    type: typeOf(member),
    required: list(required).includes(name),
  }));
};
