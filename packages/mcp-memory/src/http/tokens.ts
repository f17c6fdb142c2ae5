import { createHash, randomBytes } from "node:crypto";
import { appendFile, readFile, stat } from "node:fs/promises";
import * as z from "zod";
import { Failure } from "../failure.ts";
import { createFolderOf } from "../folder.ts";

/** A bearer token of a user, without the token itself. */
export interface TokenEntry {
  /** A short name of the token, for `token remove`. */
  readonly id: string;
  readonly userId: string;
  /** When the token was made, as an ISO 8601 time. */
  readonly at: string;
}

/** The bearer tokens of all users, in a file with their hashes. */
export interface Tokens {
  /** Makes a token for a user and returns it. It can't be read again. */
  readonly add: (userId: string) => Promise<string>;
  /** Returns the tokens that count, oldest first. */
  readonly list: () => Promise<readonly TokenEntry[]>;
  /** Removes a token. Returns `false` if no token has this id. */
  readonly remove: (id: string) => Promise<boolean>;
  /** Returns the user of a token; `undefined` for a token that doesn't count. */
  readonly userOf: (token: string) => Promise<string | undefined>;
}

const FORMAT = 1;

// A file of lines that only grows: two commands at once lose nothing, and a reader never sees half a file.
const lineSchema = z.union([
  z.strictObject({ format: z.literal(FORMAT), hash: z.string(), userId: z.string(), at: z.string() }),
  z.strictObject({ format: z.literal(FORMAT), removed: z.string() }),
]);
type Line = z.output<typeof lineSchema>;

const ID_LENGTH = 12;

/** Tokens have 256 random bits, so a fast hash without a salt hides them. In hex, so no id looks like an option. */
const hashOf = (token: string): string => createHash("sha256").update(token).digest("hex");

/** Opens the file of tokens. The file is created by the first `add`, readable only for its owner. */
export function openTokens(file: string): Tokens {
  let cached: { readonly size: number; readonly entries: ReadonlyMap<string, TokenEntry> } | undefined;

  /** Reads the file again if it has grown. */
  async function read(): Promise<ReadonlyMap<string, TokenEntry>> {
    const size = await sizeOf(file);
    if (cached?.size === size) return cached.entries;
    const entries =
      size === 0 ? new Map<string, TokenEntry>() : entriesOf(file, await readFile(file, "utf8"));
    cached = { size, entries };
    return entries;
  }

  async function append(line: Line): Promise<void> {
    await createFolderOf(file);
    await appendFile(file, `${JSON.stringify(line)}\n`, { mode: 0o600 }).catch(failWith(file));
  }

  return {
    add: async (userId) => {
      await read(); // A file of a newer format isn't written.
      const token = `jafm_${randomBytes(32).toString("base64url")}`;
      await append({ format: FORMAT, hash: hashOf(token), userId, at: new Date().toISOString() });
      return token;
    },
    list: async () => [...(await read()).values()],
    remove: async (id) => {
      const [hash] = [...(await read())].find(([, entry]) => entry.id === id) ?? [];
      if (hash === undefined) return false;
      await append({ format: FORMAT, removed: hash });
      return true;
    },
    userOf: async (token) => (await read()).get(hashOf(token))?.userId,
  };
}

function entriesOf(file: string, text: string): ReadonlyMap<string, TokenEntry> {
  const entries = new Map<string, TokenEntry>();
  for (const [index, line] of text.split("\n").entries()) {
    if (line === "") continue;
    const read = lineOf(file, line, index + 1);
    if ("removed" in read) entries.delete(read.removed);
    else entries.set(read.hash, { id: read.hash.slice(0, ID_LENGTH), userId: read.userId, at: read.at });
  }
  return entries;
}

function lineOf(file: string, line: string, number: number): Line {
  try {
    return lineSchema.parse(JSON.parse(line));
  } catch {
    throw new Failure(
      `${file}, line ${number}: not a token of this version. Use the version of @jaf/mcp-memory that wrote it, or remove the line.`,
    );
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return 0;
    return failWith(file)(thrown);
  }
}

const failWith =
  (file: string) =>
  (thrown: unknown): never => {
    const { code } = thrown as NodeJS.ErrnoException;
    throw new Failure(
      `The file of tokens ${file} can't be used (${code}). Check the rights, or choose another with --tokens.`,
    );
  };
