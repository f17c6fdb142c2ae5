/** A set of characters of ASCII. */
export type CharacterSet = (code: number) => boolean;

/** Everything beyond ASCII belongs to no set. */
export function characterSet(characters: string): CharacterSet {
  const members = new Uint8Array(128);
  for (let index = 0; index < characters.length; index++) members[characters.charCodeAt(index)] = 1;
  return (code) => members[code] === 1;
}

export const not =
  (set: CharacterSet): CharacterSet =>
  (code) =>
    !set(code);

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
export const lower = characterSet(LETTERS);
export const upper = characterSet(LETTERS.toUpperCase());
export const digit = characterSet("0123456789");
export const alphanumeric = characterSet(`${LETTERS}${LETTERS.toUpperCase()}0123456789`);

/** Reads a text such that it is known how many characters were looked at. */
export interface Reader {
  readonly text: string;
  /** Where the run of such characters ends that begins there; it is looked at as far as `limit`. */
  readonly runEnd: (from: number, set: CharacterSet, limit?: number) => number;
  /** Where that is found first, from there on; -1: nowhere before `limit`. */
  readonly find: (part: string, from: number, limit?: number) => number;
  readonly slice: (from: number, end: number) => string;
  /** How many characters were looked at so far. */
  readonly work: () => number;
}

export function openReader(text: string): Reader {
  let work = 0;
  return {
    text,
    runEnd: (from, set, limit = text.length) => {
      const last = Math.min(limit, text.length);
      let at = from;
      while (at < last && set(text.charCodeAt(at))) at++;
      work += at - from + 1;
      return at;
    },
    find: (part, from, limit = text.length) => {
      const isWhole = limit >= text.length;
      const found = isWhole ? text.indexOf(part, from) : text.slice(from, limit).indexOf(part);
      const at = isWhole || found === -1 ? found : found + from;
      work += (at === -1 ? Math.min(limit, text.length) : at) - from + part.length;
      return at;
    },
    slice: (from, end) => {
      work += Math.max(0, end - from);
      return text.slice(from, end);
    },
    work: () => work,
  };
}
