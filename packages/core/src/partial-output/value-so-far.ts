import { jsonIn } from "@jaf/memory/internal";

/** Matches the beginning of a JSON escape, or of a pair of escapes that are one character. */
const HALF_ESCAPE = /^\\(?:u[\da-f]{0,3}|ud[89ab][\da-f]{2}(?:\\(?:u[\da-f]{0,3})?)?)?$/i;

/** Matches the first escape of such a pair. */
const FIRST_OF_PAIR = /^\\ud[89ab]/i;

/** Matches the first half of a character at the end. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

/** Matches a number, `true`, `false` or `null`, or other text in place of a value. */
const BARE = /[^ \n\r\t,:"{}[\]]+/y;

const FENCE = /```[A-Za-z0-9]*\s/;

/**
 * Returns the value that a text has so far which a model is writing. If the text isn't JSON, returns the value in its
 * first code fence. Returns `undefined` if there is no value yet, or if there is no JSON.
 */
export function valueSoFar(text: string): unknown {
  const value = parsed(completed(text, 0));
  const opening = value === undefined ? FENCE.exec(text) : null;
  return opening === null ? value : parsed(completed(text, opening.index + opening[0].length, true));
}

// Parsed by JSON.parse, which refuses what isn't JSON, and for which `__proto__` is a key like any other.
const parsed = (json: string | undefined): unknown => (json === undefined ? undefined : jsonIn(json));

/**
 * Completes the JSON text that begins at `start`. A text may end anywhere in it, a number only before the next
 * character, because its next digit may follow. `isInFence`: other text may follow the JSON.
 */
function completed(text: string, start: number, isInFence = false): string | undefined {
  const closers: string[] = [];
  /** The end of the last value, or of the last opening bracket. The text up to there and `closers` are valid JSON. */
  let end = start;
  let isAfterColon = false;
  const cutAt = (position: number, quote = "") =>
    position === start ? undefined : text.slice(start, position) + quote + closers.toReversed().join("");
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? "";
    if (isSpace(character)) continue;
    if (end > start && closers.length === 0) return isInFence ? cutAt(end) : undefined;
    if (character === "," || character === ":") {
      isAfterColon = character === ":";
    } else if (character === "{" || character === "[") {
      closers.push(character === "{" ? "}" : "]");
      end = at + 1;
      isAfterColon = false;
    } else if (character === "}" || character === "]") {
      closers.pop();
      end = at + 1;
    } else if (character === '"') {
      const isKey = closers.at(-1) === "}" && !isAfterColon;
      const { last, isOpen } = stringAt(text, at);
      if (isOpen) return isKey ? cutAt(end) : cutAt(last, '"');
      if (!isKey) end = last;
      at = last - 1;
    } else {
      const bareEnd = endOfBare(text, at);
      if (bareEnd === text.length) break;
      end = bareEnd;
      at = bareEnd - 1;
    }
  }
  return cutAt(end);
}

const isSpace = (character: string): boolean =>
  character === " " || character === "\n" || character === "\r" || character === "\t";

function endOfBare(text: string, start: number): number {
  BARE.lastIndex = start;
  BARE.test(text);
  return BARE.lastIndex;
}

/**
 * Finds the end of the string that begins with the quote at `start`. `isOpen`: the text ends before it; `last` is then
 * where the text can be cut, without half an escape or character.
 */
function stringAt(text: string, start: number): { readonly last: number; readonly isOpen: boolean } {
  let lastEscape = start;
  for (let at = start + 1; at < text.length; at++) {
    const character = text[at];
    if (character === '"') return { last: at + 1, isOpen: false };
    if (character === "\\") {
      if (at - lastEscape !== 6 || !FIRST_OF_PAIR.test(text.slice(lastEscape, at))) lastEscape = at;
      at += 1;
    }
  }
  const end = HALF_CHARACTER.test(text.slice(-1)) ? text.length - 1 : text.length;
  return { last: HALF_ESCAPE.test(text.slice(lastEscape)) ? lastEscape : end, isOpen: true };
}
