import { createContext, runInContext } from "node:vm";

/** How long one match may take, in milliseconds. */
const MATCH_MS = 100;

/**
 * A regular expression whose match is ended after a while: a `pattern` comes from a file, and some take exponential time. A text
 * whose match takes too long doesn't match. Throws a `SyntaxError` for an invalid pattern.
 */
export function boundedPattern(pattern: string, flags: string): { readonly test: (text: string) => boolean } {
  const expression = new RegExp(pattern, flags);
  return {
    test: (text) => {
      try {
        const matches: unknown = runInContext("expression.test(text)", createContext({ expression, text }), {
          timeout: MATCH_MS,
        });
        return matches === true;
      } catch {
        return false;
      }
    },
  };
}
