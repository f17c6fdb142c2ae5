import type { Terminal } from "../../src/chat/terminal.ts";

/** A terminal with these input lines, which keeps its output. */
export function scriptedTerminal(...lines: string[]) {
  let out = "";
  const plain = (text: string) => text;
  const terminal: Terminal = {
    interactive: false,
    lines: async function* () {
      yield* lines;
    },
    write: (text) => {
      out += text;
    },
    print: (line = "") => {
      out += `${line}\n`;
    },
    dim: plain,
    bold: plain,
    setPrivate: () => {},
    close: () => {},
  };
  return { terminal, printed: () => out };
}
