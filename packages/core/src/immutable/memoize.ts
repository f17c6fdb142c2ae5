type Fields = Readonly<Record<string, unknown>>;

interface Cached<Made> {
  readonly made: Made;
  /** The objects that it was made of, each with the fields that it had. */
  readonly madeOf: readonly (readonly [part: object, fields: Fields | readonly unknown[]])[];
}

/**
 * Caches what `make` returns for an object, until a field of the object or of one of its parts changes. Only for plain objects
 * and lists: accessors and methods of a class may return something else at any time.
 */
export function memoize<T extends object, Made>(
  partsOf: (original: T) => readonly (object | undefined)[],
  make: (original: T) => Made,
): (original: T) => Made {
  const cache = new WeakMap<object, Cached<Made>>();
  return (original) => {
    const known = cache.get(original);
    if (known !== undefined && isCurrent(known)) return known.made;
    const made = make(original);
    const parts = [original, ...partsOf(original)].filter((part) => part !== undefined);
    if (parts.every(isPlain)) cache.set(original, { made, madeOf: parts.map(withFields) });
    return made;
  };
}

function isPlain(part: object): boolean {
  if (Array.isArray(part)) return true;
  return Object.getPrototypeOf(part) === Object.prototype && !hasAccessor(part);
}

const hasAccessor = (part: object): boolean =>
  Object.values(Object.getOwnPropertyDescriptors(part)).some(({ get }) => get !== undefined);

const withFields = (part: object) =>
  [part, Array.isArray(part) ? [...part] : { ...(part as Fields) }] as const;

function isCurrent({ madeOf }: Pick<Cached<unknown>, "madeOf">): boolean {
  for (const [part, fields] of madeOf) {
    const isSame = Array.isArray(part)
      ? hasSameItems(part, fields as readonly unknown[])
      : hasSameFields(part as Fields, fields as Fields);
    if (!isSame) return false;
  }
  return true;
}

function hasSameItems(now: readonly unknown[], before: readonly unknown[]): boolean {
  if (now.length !== before.length) return false;
  for (let index = 0; index < now.length; index++) if (now[index] !== before[index]) return false;
  return true;
}

function hasSameFields(now: Fields, before: Fields): boolean {
  let fields = 0;
  for (const key in now) {
    const value = now[key];
    if (value !== before[key] || (value === undefined && !(key in before))) return false;
    fields += 1;
  }
  for (const _ in before) fields -= 1;
  return fields === 0;
}
