import { homedir, userInfo } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Failure } from "../failure.ts";

export const USAGE = `An MCP server with the memory of one user.

  jaf-mcp-memory [options]                    serves over stdio
  jaf-mcp-memory --http 3333 [options]        serves http://127.0.0.1:3333/mcp, for users with tokens
  jaf-mcp-memory token add --user <name>      makes a token for HTTP and prints it once
  jaf-mcp-memory token list
  jaf-mcp-memory token remove <id>
  jaf-mcp-memory review                       lists the facts that wait for the user
  jaf-mcp-memory review --confirm <id>        lets one be used; "all": all
  jaf-mcp-memory review --reject <id>         deletes one for good
  jaf-mcp-memory health                       examines the facts: repeated, contradictory, outdated, empty ones
  jaf-mcp-memory health --apply <id>          applies the remedy of a finding; a kind, e.g. "duplicate": of
                                              all of this kind; may be repeated
  jaf-mcp-memory import <file>                imports the file of @modelcontextprotocol/server-memory

  --store <url>       file:<path>, redis://…, postgres://… or memory: (default: JAF_MEMORY_URL, else a
                      file in the home folder)
  --user <name>       whose memory (default: JAF_USER, else the user of the system). With --http:
                      serves this user without tokens, on loopback only
  --tokens <file>     the file of tokens (default: JAF_MEMORY_TOKENS, else in the home folder)
  --host <address>    the address that HTTP listens on (default 127.0.0.1)
  --allow-host <name> another name of this server in the headers Host and Origin; may be repeated
  --as-of <date>      health: the day that the report is about, e.g. 2026-11-01 (default: now)
  --dry-run           import: writes nothing
  --vouch             import: you vouch for all facts; without it they wait for review
  --version, -v       prints the version
  --help, -h          prints this`;

export type Environment = Readonly<Record<string, string | undefined>>;

interface Common {
  readonly store: string;
  readonly userId: string;
  readonly tokensFile: string;
}

/** What the command line says, with defaults. */
export type Command =
  | { readonly command: "help" | "version" }
  | (Common & { readonly command: "stdio" })
  | (Common & {
      readonly command: "http";
      readonly port: number;
      readonly host: string;
      readonly hostnames: readonly string[];
      /** Whether everyone who reaches the server is `userId`, without a token. */
      readonly open: boolean;
    })
  | (Common & { readonly command: "token add" | "token list" })
  | (Common & { readonly command: "token remove"; readonly id: string })
  | (Common & { readonly command: "review"; readonly decision?: "confirm" | "reject"; readonly id?: string })
  | (Common & { readonly command: "health"; readonly apply: readonly string[]; readonly asOf?: Date })
  | (Common & {
      readonly command: "import";
      readonly file: string;
      readonly dryRun: boolean;
      readonly vouched: boolean;
    });

const options = {
  store: { type: "string" },
  user: { type: "string" },
  tokens: { type: "string" },
  http: { type: "string" },
  host: { type: "string" },
  "allow-host": { type: "string", multiple: true },
  confirm: { type: "string" },
  reject: { type: "string" },
  apply: { type: "string", multiple: true },
  "as-of": { type: "string" },
  "dry-run": { type: "boolean" },
  vouch: { type: "boolean" },
  version: { type: "boolean", short: "v" },
  help: { type: "boolean", short: "h" },
} as const;

const HELP = "--help lists all commands and options.";
const LOOPBACK = ["127.0.0.1", "::1", "localhost"];

/** Throws a {@link Failure} for an unknown command or option, and for a value that an option doesn't have. */
export function parseArguments(argv: readonly string[], environment: Environment): Command {
  const { values, positionals } = parsed(argv);
  if (values.help) return { command: "help" };
  if (values.version) return { command: "version" };
  const folder = join(homedir(), ".jaf");
  const common: Common = {
    store: values.store || environment["JAF_MEMORY_URL"] || `file:${join(folder, "memory.db")}`,
    userId: userOf(values.user, environment),
    tokensFile: values.tokens || environment["JAF_MEMORY_TOKENS"] || join(folder, "mcp-tokens"),
  };
  const [command, ...rest] = positionals;
  if (command === undefined && values.http === undefined) return { ...common, command: "stdio" };
  if (command === undefined) return { ...common, ...parseHttp(values) };
  if (command === "token") return { ...common, ...parseToken(rest, values.user) };
  if (command === "review" && rest.length === 0) return { ...common, ...parseReview(values) };
  if (command === "health" && rest.length === 0) return { ...common, ...parseHealth(values) };
  const [file, more] = rest;
  if (command === "import" && file !== undefined && more === undefined)
    return { ...common, command, file, dryRun: values["dry-run"] === true, vouched: values.vouch === true };
  throw new Failure(`Unknown command: ${positionals.join(" ")}. ${HELP}`);
}

type Values = ReturnType<typeof parsed>["values"];

function parsed(argv: readonly string[]) {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (thrown) {
    // Its first sentence names the option; the next ones explain how to write a value that begins with a hyphen.
    const [reason = ""] = thrown instanceof Error ? thrown.message.split(". ") : [];
    throw new Failure(`${reason.replace(/\.$/, "")}. ${HELP}`);
  }
}

const MAX_USER = 255;

function userOf(given: string | undefined, environment: Environment): string {
  const user = given ?? (environment["JAF_USER"] || userInfo().username);
  if (user === "" || user.length > MAX_USER)
    throw new Failure(`--user: expected a name of 1 to ${MAX_USER} characters.`);
  return user;
}

function parseHttp({ http = "", host = "127.0.0.1", user, "allow-host": names = [] }: Values) {
  const port = /^\d{1,5}$/.test(http) ? Number(http) : Number.NaN;
  if (!(port <= 65_535)) throw new Failure(`--http: expected a port, not ${JSON.stringify(http)}.`);
  const open = user !== undefined;
  if (open && !LOOPBACK.includes(host))
    throw new Failure(
      `--user with --http serves everyone who reaches ${host} as this user, so it needs --host 127.0.0.1. For other addresses, leave --user out and make tokens: jaf-mcp-memory token add --user <name>`,
    );
  return {
    command: "http" as const,
    port,
    host,
    open,
    hostnames: ["localhost", "127.0.0.1", "[::1]", ...names],
  };
}

function parseToken([action, id, more]: readonly string[], user: string | undefined) {
  if (action === "list" && id === undefined) return { command: "token list" as const };
  if (action === "remove" && id !== undefined && more === undefined)
    return { command: "token remove" as const, id };
  if (action !== "add" || id !== undefined)
    throw new Failure(`token: expected add --user <name>, list, or remove <id>. ${HELP}`);
  if (user === undefined) throw new Failure("token add: say whose token with --user <name>.");
  return { command: "token add" as const };
}

function parseReview({ confirm, reject }: Values) {
  if (confirm !== undefined && reject !== undefined)
    throw new Failure("review: expected --confirm or --reject, not both.");
  if (confirm !== undefined) return { command: "review" as const, decision: "confirm" as const, id: confirm };
  if (reject !== undefined) return { command: "review" as const, decision: "reject" as const, id: reject };
  return { command: "review" as const };
}

function parseHealth({ apply = [], "as-of": day }: Values) {
  if (day === undefined) return { command: "health" as const, apply };
  // The report is about the end of that day.
  const asOf = new Date(`${day}T23:59:59.999Z`);
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || Number.isNaN(asOf.getTime()))
    throw new Failure(`--as-of: expected a date such as 2026-11-01, not ${JSON.stringify(day)}.`);
  return { command: "health" as const, apply, asOf };
}
