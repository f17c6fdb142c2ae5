import { parseArgs } from "node:util";
import { Failure } from "../failure.ts";

interface Common {
  /** The folder that holds the conversations. */
  readonly data: string;
}

export type Command =
  | (Common & { readonly command: "chat"; readonly user: string })
  | (Common & { readonly command: "replay"; readonly file: string })
  | (Common & { readonly command: "verify"; readonly file: string })
  | { readonly command: "help" };

/** Throws a {@link Failure} that says what is wrong with the call. */
export function parseCommand(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  const [command = "chat", file, ...rest] = positionals;
  if (values.help === true || command === "help") return { command: "help" };
  const { data, user } = values;
  if (data === "" || user === "") throw usageError(`--${data === "" ? "data" : "user"} must not be empty.`);
  if (rest.length > 0) throw usageError(`Unexpected argument "${rest[0]}".`);
  switch (command) {
    case "chat":
      if (file !== undefined) throw usageError(`Unexpected argument "${file}".`);
      return { command, data, user };
    case "replay":
    case "verify":
      if (file === undefined) throw usageError(`"${command}" needs the file of the recording.`);
      return { command, data, file };
    default:
      throw usageError(`Unknown command "${command}".`);
  }
}

const usageError = (message: string): Failure => new Failure(`${message} Try: demo --help`, 2);

function parse(argv: readonly string[]) {
  try {
    return parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        data: { type: "string", default: ".jaf" },
        user: { type: "string", default: "you" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (thrown) {
    if (thrown instanceof TypeError) throw usageError(thrown.message);
    throw thrown;
  }
}
