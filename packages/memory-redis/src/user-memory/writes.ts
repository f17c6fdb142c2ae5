import { randomUUID } from "node:crypto";
import type {
  StoredFact,
  TermWeight,
  UserChange,
  UserKey,
  UserMemoryBackend,
} from "@jaf/user-memory/adapter";
import { list, number, text } from "../lua.ts";
import { encodeFact, encodeVector, lookupsOf, signatureOf } from "./fact-codec.ts";
import type { UserKeys, UserMemoryCalls } from "./keys.ts";
import { CONTEXTS_PER_FIELD, encodeContext } from "./matching.ts";
import { encodeEntry } from "./reads.ts";

/**
 * The script `commit` gets Redis commands as arguments and runs them. These are the keys that those commands change.
 */
const BY_COMMAND = [
  ...(["facts", "vectors", "tombstones", "audit"] as const),
  ...(["active", "quarantined", "superseded"] as const),
] as const;

/** The parts of a user's data whose keys the script `commit` gets, in this order. */
const COMMIT_PARTS = [
  ...(["head", "lookups", "postings", "signatures", "contexts"] as const),
  ...BY_COMMAND,
] as const satisfies readonly (keyof UserKeys)[];

type CommitPart = (typeof COMMIT_PARTS)[number];

/** The maximum number of arguments of one Redis command. It is even, so a name and its value stay in one command. */
// Lua's stack holds only a few thousand values.
const ARGUMENTS = 4_000;

interface Command {
  readonly name: "HSET" | "HDEL" | "ZADD" | "ZREM" | "RPUSH";
  readonly part: CommitPart;
  readonly args: readonly string[];
}

function bodyCommands({ seq, before, after }: FactEdit): readonly Command[] {
  const body: Command =
    after === null
      ? { name: "HDEL", part: "facts", args: [seq] }
      : { name: "HSET", part: "facts", args: [seq, encodeFact(after)] };
  if (before?.status === after?.status) return [body];
  const left: Command[] = before === null ? [] : [{ name: "ZREM", part: before.status, args: [seq] }];
  const joined: Command[] = after === null ? [] : [{ name: "ZADD", part: after.status, args: [seq, seq] }];
  return [body, ...left, ...joined];
}

function vectorCommands(edit: FactEdit): readonly Command[] {
  const change = vectorChange(edit);
  if (change === undefined) return [];
  const { vector } = change;
  return vector === undefined
    ? [{ name: "HDEL", part: "vectors", args: [edit.seq] }]
    : [{ name: "HSET", part: "vectors", args: [edit.seq, encodeVector(vector)] }];
}

function otherCommands({ tombstones, removedTombstones, audit }: UserChange): readonly Command[] {
  const added = tombstones.flatMap(({ digest, at }) => [digest, String(at)]);
  return [
    { name: "HSET", part: "tombstones", args: added },
    { name: "HDEL", part: "tombstones", args: removedTombstones },
    { name: "RPUSH", part: "audit", args: audit.map(encodeEntry) },
  ];
}

/** Joins the arguments of commands that have the same name and key. */
function joined(commands: readonly Command[]): readonly Command[] {
  // They change different fields, so their order doesn't matter.
  const all = new Map<
    string,
    { readonly name: Command["name"]; readonly part: CommitPart; args: string[] }
  >();
  for (const { name, part, args } of commands) {
    const earlier = all.get(name + part);
    if (earlier === undefined) all.set(name + part, { name, part, args: [...args] });
    else for (const arg of args) earlier.args.push(arg);
  }
  return [...all.values()].flatMap(({ name, part, args }) =>
    Array.from({ length: Math.ceil(args.length / ARGUMENTS) }, (_, at) => ({
      name,
      part,
      args: args.slice(at * ARGUMENTS, (at + 1) * ARGUMENTS),
    })),
  );
}

const inThrees = (edits: readonly string[]): readonly string[] => [String(edits.length / 3), ...edits];

/** Returns the arguments of the script `commit` for a change. `write` is a unique name of this write. */
function encodeChange(change: UserChange, write: string): readonly string[] {
  const { expectedVersion, head } = change;
  const edits = factEdits(change);
  const state = ["version", head.version, "epoch", head.epoch, "state", head.state, "write", write];
  const commands = joined([
    { name: "HSET", part: "head", args: state.map(String) },
    ...edits.flatMap(bodyCommands),
    ...edits.flatMap(vectorCommands),
    ...otherCommands(change),
  ]);
  return [
    ...[String(expectedVersion), write, String(commands.length)],
    ...commands.flatMap(({ name, part, args }) => [
      ...[name, String(COMMIT_PARTS.indexOf(part) + 1), String(args.length)],
      ...args,
    ]),
    ...inThrees(edits.flatMap(lookupEdits)),
    ...inThrees(edits.flatMap(postingEdits)),
    ...inThrees(edits.flatMap(signatureEdits)),
    ...inThrees(edits.flatMap(contextEdits)),
  ];
}

/** The parts of a user's data whose keys the script `erase` gets, in this order. */
const ERASED_PARTS = [
  ...(["head", "audit", "facts", "vectors", "jobs"] as const),
  ...(["lookups", "postings", "contexts", "signatures", "tombstones"] as const),
  ...(["active", "quarantined", "superseded"] as const),
] as const;

/**
 * Returns the methods `commit` and `erase` of a user memory backend. `forgetJobs` removes the entries of erased jobs
 * from the list of all jobs.
 */
export function createWrites(
  { run, keys, wait }: UserMemoryCalls,
  forgetJobs: (user: UserKey, jobs: readonly string[]) => Promise<unknown>,
): Pick<UserMemoryBackend, "commit" | "erase"> {
  return {
    commit: async (user, change) => {
      const of = keys.of(user);
      const [head, ...others] = COMMIT_PARTS;
      const scriptKeys = [of[head], ...others.map((part) => of[part])] as const;
      return (
        number(await run("commit", { keys: scriptKeys, args: encodeChange(change, randomUUID()) }, wait)) ===
        1
      );
    },
    erase: async (user, { state, audit }) => {
      const of = keys.of(user);
      const [head, ...others] = ERASED_PARTS;
      const scriptKeys = [of[head], ...others.map((part) => of[part])] as const;
      const args = [randomUUID(), state, ...audit.map(encodeEntry)];
      const [facts, vectors, count, ...gone] = list(await run("erase", { keys: scriptKeys, args }, wait));
      await forgetJobs(user, gone.map(text));
      return { facts: number(facts), vectors: number(vectors), jobs: number(count) };
    },
  };
}

/** The change of one fact. `before` is `null` for a new fact, and `after` is `null` for a removed fact. */
interface FactEdit {
  readonly seq: string;
  readonly before: StoredFact | null;
  readonly after: StoredFact | null;
}

/** How many facts with consecutive numbers (`seq`) share one field of the Redis hash of signatures. */
const SIGNATURES_PER_FIELD = 64;

/** Returns one edit for each changed fact, even if `put` and `drop` contain the fact several times. */
function factEdits({ put, drop }: Pick<UserChange, "put" | "drop">): readonly FactEdit[] {
  const edits = new Map<number, FactEdit>();
  const add = (before: StoredFact | null, after: StoredFact | null, seq: number) => {
    const earlier = edits.get(seq);
    edits.set(seq, { seq: String(seq), before: earlier === undefined ? before : earlier.before, after });
  };
  for (const { before, after } of put) add(before, after, after.seq);
  for (const fact of drop) add(fact, null, fact.seq);
  return [...edits.values()].filter(({ before, after }) => before !== null || after !== null);
}

function weightsOf(terms: readonly TermWeight[] = []): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const { term, weight } of terms) weights.set(term, (weights.get(term) ?? 0) + weight);
  return weights;
}

function isSameVector({ before, after }: FactEdit): boolean {
  const old = before?.vector ?? null;
  const now = after?.vector ?? null;
  if (old === null || now === null) return old === now;
  return old === now || (old.length === now.length && old.every((value, at) => value === now[at]));
}

/**
 * Returns the change of a fact's vector, or `undefined` if the vector stays. `vector: undefined` means that the vector
 * is removed.
 */
const vectorChange = (edit: FactEdit): { readonly vector: readonly number[] | undefined } | undefined =>
  isSameVector(edit) ? undefined : { vector: edit.after?.vector ?? undefined };

/**
 * Returns three arguments of the script `commit` for each changed name: the name under which the fact can be looked up,
 * the fact's `seq`, and `1` to add or `0` to remove the name.
 */
function lookupEdits({ seq, before, after }: FactEdit): readonly string[] {
  const old = new Set(before === null ? [] : lookupsOf(before));
  const now = new Set(after === null ? [] : lookupsOf(after));
  return [
    ...[...old].flatMap((name) => (now.has(name) ? [] : [name, seq, "0"])),
    ...[...now].flatMap((name) => (old.has(name) ? [] : [name, seq, "1"])),
  ];
}

/**
 * Returns three arguments of the script `commit` for each changed term: the term, the fact's `seq`, and the text
 * `;<seq>:<weight>`. The text is `""` if the term is removed.
 */
function postingEdits({ seq, before, after }: FactEdit): readonly string[] {
  const old = weightsOf(before?.terms);
  const now = weightsOf(after?.terms);
  return [
    ...[...old.keys()].flatMap((term) => (now.has(term) ? [] : [term, seq, ""])),
    ...[...now].flatMap(([term, weight]) =>
      old.get(term) === weight ? [] : [term, seq, `;${seq}:${weight}`],
    ),
  ];
}

const fieldOf = (seq: string, perField: number): string => String(Math.floor(Number(seq) / perField));

/**
 * Returns no arguments for the script `commit` if the fact's vector stays. Otherwise returns three: a hash field, the
 * fact's `seq`, and the signature or `""`.
 */
function signatureEdits(edit: FactEdit): readonly string[] {
  const change = vectorChange(edit);
  if (change === undefined) return [];
  const record = change.vector === undefined ? "" : `;${edit.seq}:${signatureOf(change.vector)}`;
  return [fieldOf(edit.seq, SIGNATURES_PER_FIELD), edit.seq, record];
}

/**
 * Returns no arguments for the script `commit` if the fact's context stays. Otherwise returns three: a hash field, the
 * fact's `seq`, and the context or `""`.
 */
function contextEdits({ seq, before, after }: FactEdit): readonly string[] {
  const old = before === null ? "" : encodeContext(before);
  const now = after === null ? "" : encodeContext(after);
  return old === now ? [] : [fieldOf(seq, CONTEXTS_PER_FIELD), seq, now];
}
