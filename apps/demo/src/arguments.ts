import { parseArgs } from "node:util";
import { DEFAULT_USER_ID } from "./assistant/agent.ts";
import { CHAT_COMMANDS } from "./chat/commands.ts";
import { Failure } from "./exit.ts";

export const USAGE = `JAF demo: a chat that remembers, with no server to install.

Usage: demo [command] [options]

Commands
  page            a server with its page (default): opens it in your browser, and prints its address
  serve           only the server: no restart if it is killed, and no browser
  chat            talk to the agent in the terminal; it continues where you stopped
  replay FILE     run recorded conversations (JSON Lines) through the engine, turn by turn;
                  after an interruption, run it again: finished tools aren't repeated
  verify FILE     compare the stored conversations with a recording, message by message
  help            this text

Options
  --data DIR      folder that holds the conversations   (default: .jaf)
  --user NAME     whose conversations and facts         (default: you)
  --mcp FILE      MCP servers whose tools the chat has; a JSON file such as
                  {"mcpServers": {"files": {"command": "npx", "args": ["-y", "…"], "trusted": true}}}
  --port N        where the page is, at 127.0.0.1       (default: 4780, or any that is free)
  --budget N      how many tokens a day your replies may use (default: any number)
  --no-open       don't open the browser
  -h, --help      this text

Environment
  OPENAI_API_KEY                  use an OpenAI model; without any model, an offline assistant answers
  ANTHROPIC_API_KEY               use an Anthropic model
  GOOGLE_GENERATIVE_AI_API_KEY    use a Google model
  OPENAI_BASE_URL, JAF_MODEL      use another endpoint, e.g. http://localhost:11434/v1, and one of its models
  JAF_MEMORY_TYPE                 store conversations in redis, postgres or memory; each has its own variables

In a chat
${CHAT_COMMANDS.replaceAll(/^/gm, "  ")}

Each line of a chat's standard input is one message (a line that ends in a backslash continues in the next line), so a script can have a conversation:
  printf '%s\\n' 'My name is Ada.' 'What is my name?' | npx pnpm@12.21.0 demo chat
`;

interface Common {
  /** The folder with the conversations. */
  readonly data: string;
}

interface Served extends Common {
  readonly user: string;
  /** Default: the usual port, or any free one. */
  readonly port: number | undefined;
  /** How many tokens a day the user's model calls may use. Default: any number. */
  readonly budget: number | undefined;
}

export type Command =
  | (Served & { readonly command: "page"; readonly opensBrowser: boolean })
  | (Served & { readonly command: "serve" })
  | (Common & { readonly command: "chat"; readonly user: string; readonly mcp: string | undefined })
  | (Common & { readonly command: "replay"; readonly file: string })
  | (Common & { readonly command: "verify"; readonly file: string })
  | { readonly command: "help" };

/** Parses the command line. Throws a {@link Failure} if it is invalid. */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  const [command = "page", file, ...rest] = positionals;
  if (values.help === true || command === "help") return { command: "help" };
  const { data, user } = values;
  if (data === "" || user === "") throw usageError(`--${data === "" ? "data" : "user"} must not be empty.`);
  if (rest.length > 0) throw usageError(`Unexpected argument "${rest[0]}".`);
  if (command !== "replay" && command !== "verify" && file !== undefined && COMMANDS.has(command))
    throw usageError(`Unexpected argument "${file}".`);
  switch (command) {
    case "page":
      return { command, ...servedOf(values), opensBrowser: values["no-open"] !== true };
    case "serve":
      return { command, ...servedOf(values) };
    case "chat":
      return { command, data, user, mcp: values.mcp };
    case "replay":
    case "verify":
      if (file === undefined) throw usageError(`"${command}" needs the file of the recording.`);
      return { command, data, file };
    default:
      throw usageError(`Unknown command "${command}".`);
  }
}

const servedOf = ({ data, user, port, budget }: ReturnType<typeof parse>["values"]): Served => ({
  ...{ data, user, port: portOf(port), budget: budgetOf(budget) },
});

const COMMANDS: ReadonlySet<string> = new Set(["page", "serve", "chat"]);

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw usageError(`--port must be a number from 1 to 65535, and not "${text}".`);
}

function budgetOf(text: string | undefined): number | undefined {
  if (text === undefined || /^\d{1,15}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usageError(`--budget must be a number of tokens, and not "${text}".`);
}

const usageError = (message: string): Failure => new Failure(`${message} Try: demo --help`, 2);

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        data: { type: "string", default: ".jaf" },
        user: { type: "string", default: DEFAULT_USER_ID },
        mcp: { type: "string" },
        port: { type: "string" },
        budget: { type: "string" },
        "no-open": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw usageError(thrown.message);
    throw thrown;
  }
}
