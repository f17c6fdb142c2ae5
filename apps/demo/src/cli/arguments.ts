import { parseArgs } from "node:util";
import { ANYBODY } from "../assistant/agent.ts";
import { Failure } from "../failure.ts";

interface Common {
  /** The folder that holds the conversations. */
  readonly data: string;
}

interface Served extends Common {
  readonly user: string;
  /** Absent: any that is free, the usual one first. */
  readonly port: number | undefined;
}

export type Command =
  | (Served & { readonly command: "page"; readonly opensBrowser: boolean })
  | (Served & { readonly command: "serve" })
  | (Common & { readonly command: "chat"; readonly user: string })
  | (Common & { readonly command: "replay"; readonly file: string })
  | (Common & { readonly command: "verify"; readonly file: string })
  | { readonly command: "help" };

/** Throws a {@link Failure} that says what is wrong with the call. */
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
      return { command, data, user, port: portOf(values.port), opensBrowser: values["no-open"] !== true };
    case "serve":
      return { command, data, user, port: portOf(values.port) };
    case "chat":
      return { command, data, user };
    case "replay":
    case "verify":
      if (file === undefined) throw usageError(`"${command}" needs the file of the recording.`);
      return { command, data, file };
    default:
      throw usageError(`Unknown command "${command}".`);
  }
}

const COMMANDS: ReadonlySet<string> = new Set(["page", "serve", "chat"]);

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535) return port;
  throw usageError(`--port must be a number from 1 to 65535, and not "${text}".`);
}

const usageError = (message: string): Failure => new Failure(`${message} Try: demo --help`, 2);

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        data: { type: "string", default: ".jaf" },
        user: { type: "string", default: ANYBODY },
        port: { type: "string" },
        "no-open": { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw usageError(thrown.message);
    throw thrown;
  }
}
