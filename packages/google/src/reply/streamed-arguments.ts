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
 * Values normally come in the order of the text. If one belongs to a list or object that was left, its top-level argument is
 * written a second time, whole: of two values of one name, JSON's readers take the last.
 */
export function createStreamedArguments(): StreamedArguments {
  const root: Record<Key, unknown> = {};
  /** The path of the value that was written last, and the JSON of the arguments before it. */
  let last: readonly Key[] = [];
  let before = "";
  /** What completes the text that was returned. */
  let closing = "";
  let isOrdered = true;
  /** The paths of texts of which more follows, as JSON. */
  const unfinished = new Set<string>();

  /** Returns `undefined` if the path leads through a value that is neither a list nor an object, or past a list's end. */
  function write(path: readonly Key[], value: unknown, isUnfinished: boolean): string | undefined {
    const name = JSON.stringify(path);
    const isMore = typeof value === "string" && unfinished.has(name);
    const text = isMore ? `${valueAt(root, path)}${value}` : value;
    const isOpen = isUnfinished && typeof value === "string";
    if (isOpen) unfinished.add(name);
    else unfinished.delete(name);
    const [quote, rest] = closing.startsWith('"') ? ['"', closing.slice(1)] : ["", closing];
    if (isMore && quote !== "" && name === JSON.stringify(last)) {
      put(root, path, text);
      closing = isOpen ? closing : rest;
      return JSON.stringify(value).slice(1, -1) + (isOpen ? "" : quote);
    }
    const known = last.length === 0 ? "" : before + JSON.stringify(valueAt(root, last));
    if (!put(root, path, text)) return undefined;
    const whole = JSON.stringify(root);
    isOrdered &&= whole.startsWith(known);
    if (!isOrdered) {
      const key = String(path[0]);
      closing = "}";
      return `${quote}${rest.slice(0, -1)},${JSON.stringify(key)}:${JSON.stringify(root[key])}`;
    }
    const end = whole.length - path.length;
    const told = isOpen ? end - 1 : end;
    last = path;
    before = whole.slice(0, end - JSON.stringify(valueAt(root, path)).length);
    closing = whole.slice(told);
    return quote + whole.slice(known.length, told);
  }

  return {
    add: (call) => {
      const whole = Object.entries(fieldsOf(call["args"])).map(([key, value]) => write([key], value, false));
      const pieces = listOf(call["partialArgs"]).map((sent) => {
        const { jsonPath, willContinue, ...given } = fieldsOf(sent);
        // `$.tags[]` is the list itself.
        const place = String(jsonPath).replace(/\[\]$/, "");
        const path = pathOf(place);
        if (path === undefined) return undefined;
        const isMore = unfinished.has(JSON.stringify(path));
        let value = valueIn(given);
        if (value === undefined) {
          // Such a piece begins or ends a value; alone, it is that of an empty list or object.
          if (!isMore && (willContinue === true || valueAt(root, path) !== undefined)) return "";
          value = isMore ? "" : place === jsonPath ? {} : [];
        }
        return write(path, value, willContinue === true);
      });
      const texts = [...whole, ...pieces];
      return texts.includes(undefined) ? undefined : texts.join("");
    },
    end: () => closing || "{}",
  };
}

const valueIn = ({ stringValue, numberValue, boolValue, nullValue }: Fields): unknown =>
  nullValue === undefined ? (stringValue ?? numberValue ?? boolValue) : null;

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\['((?:\\.|[^'\\])*)'\]|\["((?:\\.|[^"\\])*)"\]/y;

/** Returns the keys of a JSON path (RFC 9535) that leads to one value; `undefined` for any other text. */
function pathOf(jsonPath: string): readonly [string, ...Key[]] | undefined {
  if (!jsonPath.startsWith("$")) return undefined;
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
