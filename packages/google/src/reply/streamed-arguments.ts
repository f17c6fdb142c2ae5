import { type Fields, fieldsOf, isObject, listOf, parseJson } from "@jaf/model-http";

/** A name of an object, or an index of a list. */
type Key = string | number;
type Container = Record<Key, unknown> | unknown[];

/** The arguments of a call, written as JSON while a stream sends their values by paths, e.g. `$.dishes[0].name`. */
export interface StreamedArguments {
  /**
   * Adds the `args` and `partialArgs` of a piece of the call. Returns the JSON text that they add, or `undefined` if they
   * don't fit to what was sent before.
   */
  readonly add: (call: Fields) => string | undefined;
  /** Returns the JSON text that completes the arguments. */
  readonly end: () => string;
}

/**
 * Creates the arguments of one call. The returned texts, joined, are a JSON object.
 *
 * Values normally come in the order of the text. If a value belongs to a list or object that was left, its top-level
 * argument is written a second time, whole: of two values of one name, JSON's readers take the last.
 */
export function createStreamedArguments(): StreamedArguments {
  const root: Record<Key, unknown> = {};
  /** The keys that lead to the innermost list or object that isn't closed yet. */
  let open: readonly Key[] = [];
  /** The text whose closing quote isn't written yet, as JSON of its path. */
  let openText: string | undefined;
  /** The texts that said that more of them follow. */
  const unfinished = new Set<string>();
  let isBegun = false;

  /** Closes what is open below a depth. */
  const closed = (depth: number): string => {
    let text = openText === undefined ? "" : '"';
    for (let length = open.length; length > depth; length--)
      text += Array.isArray(valueAt(root, open.slice(0, length))) ? "]" : "}";
    openText = undefined;
    open = open.slice(0, depth);
    return text;
  };

  const begun = (): string => {
    const text = isBegun ? "" : "{";
    isBegun = true;
    return text;
  };

  /** Returns `undefined` if the path leads through a value that is neither a list nor an object, or past a list's end. */
  function write(path: readonly Key[], value: unknown, isUnfinished: boolean): string | undefined {
    const name = JSON.stringify(path);
    const isMore = unfinished.has(name) && typeof value === "string";
    const shared = sharedLength(open, path.slice(0, -1));
    const isNew = !has(valueAt(root, path.slice(0, shared)), path[shared] ?? "");
    const isFirst = isEmpty(valueAt(root, path.slice(0, shared)));
    const whole = isMore ? `${valueAt(root, path)}${value}` : value;
    if (!put(root, path, whole)) return undefined;
    unfinished.delete(name);
    if (isUnfinished && typeof value === "string") unfinished.add(name);
    const quoted = JSON.stringify(value);
    const written = unfinished.has(name) ? quoted.slice(0, -1) : quoted;
    if (isMore && openText === name) {
      openText = unfinished.has(name) ? name : undefined;
      return written.slice(1);
    }
    const first = String(path[0]);
    if (!isNew) return `${begun()}${closed(0)},${JSON.stringify(first)}:${JSON.stringify(root[first])}`;
    const text = `${begun()}${closed(shared)}${isFirst ? "" : ","}${keysText(path.slice(shared))}${written}`;
    open = path.slice(0, -1);
    openText = unfinished.has(name) ? name : undefined;
    return text;
  }

  return {
    add: (call) => {
      const whole = Object.entries(fieldsOf(call["args"])).map(([key, value]) => write([key], value, false));
      const pieces = listOf(call["partialArgs"]).map((sent) => {
        const { jsonPath, willContinue, ...given } = fieldsOf(sent);
        const path = pathOf(jsonPath);
        const [value] = valueIn(given);
        return path === undefined || value === undefined
          ? undefined
          : write(path, value, willContinue === true);
      });
      const texts = [...whole, ...pieces];
      return texts.includes(undefined) ? undefined : texts.join("");
    },
    end: () => `${begun()}${closed(0)}}`,
  };
}

/** Returns the value of a partial argument in a list, which is empty if there is none. */
function valueIn({ stringValue, numberValue, boolValue, nullValue }: Fields): readonly unknown[] {
  if (nullValue !== undefined) return [null];
  return [stringValue, numberValue, boolValue].filter((value) => value !== undefined);
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:\\.|[^'\\])*)'\]|\["((?:\\.|[^"\\])*)"\]/y;

/** Returns the keys of a JSON path (RFC 9535) that leads to one value; `undefined` for any other text. */
function pathOf(jsonPath: unknown): readonly [string, ...Key[]] | undefined {
  if (typeof jsonPath !== "string" || !jsonPath.startsWith("$")) return undefined;
  const keys: Key[] = [];
  STEP.lastIndex = 1;
  while (STEP.lastIndex < jsonPath.length) {
    const [, name, index, single, double] = STEP.exec(jsonPath) ?? [];
    const quoted = single?.replaceAll(/\\.|"/g, inDoubleQuotes) ?? double;
    const key = index === undefined ? (name ?? parseJson(`"${quoted}"`)) : Number(index);
    const isStep = [name, index, quoted].some((text) => text !== undefined);
    if (!isStep || (typeof key !== "string" && typeof key !== "number")) return undefined;
    keys.push(key);
  }
  const [first, ...others] = keys;
  return typeof first === "string" ? [first, ...others] : undefined;
}

/** Between single quotes, they are what is escaped. */
const inDoubleQuotes = (found: string): string => (found === "\\'" ? "'" : found === '"' ? '\\"' : found);

const isContainer = (value: unknown): value is Container => Array.isArray(value) || isObject(value);

const has = (container: unknown, key: Key): boolean =>
  isContainer(container) && Object.hasOwn(container, key);

const isEmpty = (container: unknown): boolean =>
  !isContainer(container) || Object.keys(container).length === 0;

function valueAt(root: Container, path: readonly Key[]): unknown {
  let value: unknown = root;
  for (const key of path) value = has(value, key) ? (value as Record<Key, unknown>)[key] : undefined;
  return value;
}

/** Sets a value, and makes the lists and objects on its way. Returns whether the path fits to what there is. */
function put(root: Container, path: readonly Key[], value: unknown): boolean {
  let container: unknown = root;
  for (const [depth, key] of path.entries()) {
    if (!isContainer(container) || Array.isArray(container) !== (typeof key === "number")) return false;
    // A list without gaps: an index in the millions would be a list of that length.
    if (Array.isArray(container) && Number(key) > container.length) return false;
    const next = path[depth + 1];
    if (next === undefined) define(container, key, value);
    else if (!has(container, key)) define(container, key, typeof next === "number" ? [] : {});
    container = valueAt(container, [key]);
  }
  return true;
}

/** Assigning to `__proto__` would set no property. */
const define = (container: Container, key: Key, value: unknown): void => {
  Object.defineProperty(container, key, { value, writable: true, enumerable: true, configurable: true });
};

function sharedLength(a: readonly Key[], b: readonly Key[]): number {
  const different = b.findIndex((key, depth) => key !== a[depth]);
  return different === -1 ? b.length : different;
}

/** Returns the text that leads to a value: the first key, and the beginnings of lists and objects for the others. */
const keysText = (path: readonly Key[]): string =>
  path
    .map((key, depth) => {
      const beginning = depth === 0 ? "" : typeof key === "number" ? "[" : "{";
      return typeof key === "number" ? beginning : `${beginning}${JSON.stringify(key)}:`;
    })
    .join("");
