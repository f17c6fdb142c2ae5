// Deeper values could overflow the stack of recursive code.
/** The maximum nesting depth of lists and objects that a store accepts. */
export const MAX_DEPTH = 200;

/** Returns whether JSON text is nested deeper than a store accepts. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  for (let index = 0; index < json.length; index++) {
    const character = json[index];
    if (character === '"') index = endOfString(json, index);
    else if (character === "[" || character === "{") {
      depth += 1;
      if (depth > MAX_DEPTH) return true;
    } else if (character === "]" || character === "}") depth -= 1;
  }
  return false;
}

/** Returns the index of the quote that ends the string at `start`; the text's length if the string has no end. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}

/**
 * Parses JSON text that a model wrote. Returns `undefined` if the text isn't JSON, or is nested deeper than a store
 * accepts.
 */
export function jsonIn(text: string): unknown {
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
