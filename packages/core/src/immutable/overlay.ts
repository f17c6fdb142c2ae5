/** Fields to be read instead; `undefined` takes a field away. */
type Changes<T> = { readonly [Key in keyof T]?: T[Key] | undefined };

/**
 * An object that reads as the original does, but for some fields. The original may be an instance of a class, and its
 * fields inherited, methods, or accessors: methods are called on the original, and the accessors of a class read
 * from it, whenever they are. Its own fields and the inherited ones are fields of the new object, so that a copy by `{ ...it }` has them, too.
 */
export function overlay<T extends object>(original: T, changes: Changes<T>): T {
  return Object.getPrototypeOf(original) === Object.prototype
    ? ofPlain(original, changes)
    : ofInstance(original, changes);
}

/**
 * Several times as fast. By `Object.assign`, since V8 takes five times as long to add fields to what was made by a spread.
 */
function ofPlain<T extends object>(original: T, changes: Changes<T>): T {
  const made: Record<PropertyKey, unknown> = Object.assign({}, original, changes);
  for (const key in made) {
    const value = made[key];
    if (key in changes) {
      if (value === undefined) delete made[key];
    } else if (typeof value === "function") made[key] = value.bind(original);
  }
  return made as T;
}

function ofInstance<T extends object>(original: T, changes: Changes<T>): T {
  const made = Object.create(Object.getPrototypeOf(original)) as T;
  const isChanged = (key: PropertyKey) => Object.hasOwn(changes, key);
  for (let from: object | null = original; isOwn(from); from = Object.getPrototypeOf(from)) {
    for (const key of Reflect.ownKeys(from)) {
      if (key === "constructor" || isChanged(key) || Object.hasOwn(made, key)) continue;
      Object.defineProperty(made, key, forwarded(original, from, key));
    }
  }
  for (const key of Reflect.ownKeys(changes)) {
    const value = changes[key as keyof T];
    if (value !== undefined || key in made) Object.defineProperty(made, key, fieldOf(value));
  }
  return made;
}

const isOwn = (holder: object | null): holder is object => holder !== null && holder !== Object.prototype;

const fieldOf = (value: unknown): PropertyDescriptor => ({
  value,
  enumerable: true,
  writable: true,
  configurable: true,
});

/** `holder` has it: the original, or a prototype of it. */
function forwarded(original: object, holder: object, key: PropertyKey): PropertyDescriptor {
  const read = () => bound(Reflect.get(original, key, original), original);
  const descriptor = Reflect.getOwnPropertyDescriptor(holder, key);
  if (descriptor?.get === undefined) return fieldOf(read());
  return { get: read, enumerable: true, configurable: true };
}

const bound = (value: unknown, original: object): unknown =>
  typeof value === "function" ? value.bind(original) : value;
