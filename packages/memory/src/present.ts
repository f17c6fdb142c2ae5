/** The fields that can't be `undefined`, and the others as optional ones. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the fields whose value is `undefined`. */
export function present<T extends object>(fields: T): Present<T> {
  const kept: Partial<T> = {};
  for (const name in fields) if (fields[name] !== undefined) kept[name] = fields[name];
  return kept as object as Present<T>;
}
