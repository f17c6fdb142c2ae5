/** The fields that can't be `undefined`, and the others as optional ones. */
export type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** A copy without the fields whose value is `undefined`. */
export function present<T extends object>(fields: T): Present<T> {
  // Not by assignment, by which a field `__proto__` would become the prototype.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
}
