import type { Terminal } from "../../src/chat/terminal.ts";

/** A terminal that says the lines, and keeps what is printed. */
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
