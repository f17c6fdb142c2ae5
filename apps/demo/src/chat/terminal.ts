import { createInterface } from "node:readline";
import { ASK_FOR_MARKS, ASK_FOR_NO_MARKS, createPasteFilter, readPastes } from "./paste.ts";

export interface Terminal {
  /** A person sits there: prompts and colours make sense. */
  readonly interactive: boolean;
  /** What is typed, pasted or piped in, message by message; ends at the end of input. */
  readonly lines: () => AsyncIterable<string>;
  readonly write: (text: string) => void;
  readonly print: (line?: string) => void;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  /** Says in the prompt that what is typed from now on is private, or no longer, and keeps nothing of it for the arrow keys. */
  readonly setPrivate: (isPrivate: boolean) => void;
  readonly close: () => void;
}

const PROMPT = "> ";
const PRIVATE_PROMPT = "(private) > ";
/** The line before ended in a backslash. */
const CONTINUED_PROMPT = "… ";

/** `onInterrupt` is called for each Ctrl-C. */
export function createTerminal(onInterrupt: () => void): Terminal {
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const coloured = interactive && process.env["NO_COLOR"] === undefined;
  const pastes = createPasteFilter();
  const readline = createInterface({
    input: interactive ? readPastes(process.stdin, pastes) : process.stdin,
    terminal: interactive,
    ...(interactive ? { output: process.stdout, prompt: PROMPT } : {}),
  });
  const style = (code: number) => (text: string) => (coloured ? `\x1b[${code}m${text}\x1b[0m` : text);
  const write = (text: string) => void process.stdout.write(text);

  // From the start: lines and the end of input that come before somebody listens would be lost.
  const input = readline[Symbol.asyncIterator]();
  let closed = false;
  readline.on("close", () => {
    closed = true;
    if (interactive) write(ASK_FOR_NO_MARKS);
  });
  let keepsNothing = false;
  const prompt = (isContinued = false) => {
    readline.setPrompt(isContinued ? CONTINUED_PROMPT : keepsNothing ? PRIVATE_PROMPT : PROMPT);
    if (interactive && !closed) readline.prompt();
  };
  if (interactive) write(ASK_FOR_MARKS);

  readline.on("history", (lines: string[]) => {
    if (keepsNothing) lines.shift();
  });

  // On a terminal readline takes the key before it becomes a signal.
  readline.on("SIGINT", onInterrupt);

  async function* lines(): AsyncGenerator<string> {
    const joiner = createLineJoiner();
    prompt();
    for await (const line of input) {
      const message = joiner.add(line);
      if (message !== undefined) yield pastes.expand(message);
      prompt(message === undefined);
    }
    const rest = joiner.rest();
    if (rest !== undefined) yield pastes.expand(rest);
    if (interactive) write("\n"); // Ctrl-D and Ctrl-C leave the cursor behind the prompt.
  }

  return {
    interactive,
    lines,
    write,
    print: (line = "") => write(`${line}\n`),
    dim: style(2),
    bold: style(1),
    setPrivate: (isPrivate) => {
      if (keepsNothing && !isPrivate) pastes.forget();
      keepsNothing = isPrivate;
    },
    close: () => readline.close(),
  };
}

/** Of `text\\`, the line that goes on in the next one; an even number of backslashes is none. */
const CONTINUES = /(?<!\\)(?:\\\\)*\\$/;

/** Joins each line that ends in a backslash with the next one. */
function createLineJoiner() {
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
