import { createInterface } from "node:readline";
import { ASK_FOR_MARKS, ASK_FOR_NO_MARKS, createPasteFilter, readPastes } from "./paste.ts";

export interface Terminal {
  /** Whether a person uses the terminal, so prompts and colours make sense. */
  readonly interactive: boolean;
  /** The typed, pasted or piped input, message by message, until its end. */
  readonly lines: () => AsyncIterable<string>;
  readonly write: (text: string) => void;
  readonly print: (line?: string) => void;
  readonly dim: (text: string) => string;
  readonly bold: (text: string) => string;
  /** Marks the prompt as private or not. Private input isn't kept for the arrow keys. */
  readonly setPrivate: (isPrivate: boolean) => void;
  readonly close: () => void;
}

const PROMPT = "> ";
const PRIVATE_PROMPT = "(private) > ";
/** The prompt after a line that ended in a backslash. */
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

  // Created early, because lines and the end of input would be lost before anything listens.
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

  // On a terminal, readline handles the key, so there is no signal.
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
    if (interactive) write("\n"); // Ctrl-D and Ctrl-C leave the cursor after the prompt.
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

/** Matches a line that continues in the next one: it ends in an odd number of backslashes. */
const CONTINUES = /(?<!\\)(?:\\\\)*\\$/;

/** Joins lines that end in a backslash with the next one. */
function createLineJoiner() {
  let begun: string | undefined;
  return {
    /** Returns a complete message; `undefined` if it continues. */
    add: (line: string): string | undefined => {
      const text = begun === undefined ? line : `${begun}\n${line}`;
      begun = CONTINUES.test(line) ? text.slice(0, -1) : undefined;
      return begun === undefined ? text : undefined;
    },
    /** The incomplete message at the end of input. */
    rest: (): string | undefined => begun,
  };
}
