/** Of `text\\`, the line that goes on in the next one; an even number of backslashes is none. */
const CONTINUES = /(?<!\\)(?:\\\\)*\\$/;

/** Joins each line that ends in a backslash with the next one. */
export function createLineJoiner() {
  let begun: string | undefined;
  return {
    /** A whole message; `undefined`: it goes on. */
    add: (line: string): string | undefined => {
      const text = begun === undefined ? line : `${begun}\n${line}`;
      begun = CONTINUES.test(line) ? text.slice(0, -1) : undefined;
      return begun === undefined ? text : undefined;
    },
    /** What had begun when the input ended. */
    rest: (): string | undefined => begun,
  };
}
