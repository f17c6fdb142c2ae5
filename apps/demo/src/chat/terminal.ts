import { createInterface } from "node:readline";

export interface Terminal {
  /** A person sits there: prompts and colours make sense. */
  readonly interactive: boolean;
  /** What is typed or piped in, line by line; ends at the end of input. */
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

/** `onInterrupt` is called for each Ctrl-C. */
export function createTerminal(onInterrupt: () => void): Terminal {
  const interactive = process.stdin.isTTY === true && process.stdout.isTTY === true;
  const coloured = interactive && process.env["NO_COLOR"] === undefined;
  const readline = createInterface({
    input: process.stdin,
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
  });
  const prompt = () => {
    if (interactive && !closed) readline.prompt();
  };

  let keepsNothing = false;
  readline.on("history", (lines: string[]) => {
    if (keepsNothing) lines.shift();
  });

  // On a terminal readline takes the key before it becomes a signal.
  readline.on("SIGINT", onInterrupt);

  async function* lines(): AsyncGenerator<string> {
    prompt();
    for await (const line of input) {
      yield line;
      prompt();
    }
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
      keepsNothing = isPrivate;
      readline.setPrompt(isPrivate ? PRIVATE_PROMPT : PROMPT);
    },
    close: () => readline.close(),
  };
}
