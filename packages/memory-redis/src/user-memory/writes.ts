import { randomUUID } from "node:crypto";
import type { UserChange, UserKey, UserMemoryBackend } from "@jaf/user-memory/adapter";
import { list, number, text } from "../decoding.ts";
import { encodeEntry } from "./audit.ts";
import { encodeFact } from "./fact-codec.ts";
import {
  contextEdits,
  type FactEdit,
  factEdits,
  lookupEdits,
  postingEdits,
  signatureEdits,
  vectorChange,
} from "./fact-edits.ts";
import type { UserMemoryIo } from "./io.ts";
import type { UserKeys } from "./keys.ts";
import { encodeVector } from "./vector-codec.ts";

/** The keys that the script `commit` writes to by commands that it is given. */
const BY_COMMAND = [
  ...(["facts", "vectors", "tombstones", "audit"] as const),
  ...(["active", "quarantined", "superseded"] as const),
] as const;

/** The keys of the script `commit`: the first five by their role. */
const COMMIT_PARTS = [
  ...(["head", "lookups", "postings", "signatures", "contexts"] as const),
  ...BY_COMMAND,
] as const satisfies readonly (keyof UserKeys)[];

type CommitPart = (typeof COMMIT_PARTS)[number];

/** Arguments of one command: no more than fit on Lua's stack, and even, so that no value is torn from its name. */
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

/** Commands of one name on one key as one. They concern different fields, so their order doesn't matter. */
function joined(commands: readonly Command[]): readonly Command[] {
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

/** The arguments of the script `commit`. `write` names it, as no other. */
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

/** The keys of the script `erase`: the first five by their role. */
const ERASED_PARTS = [
  ...(["head", "audit", "facts", "vectors", "jobs"] as const),
  ...(["lookups", "postings", "contexts", "signatures", "tombstones"] as const),
  ...(["active", "quarantined", "superseded"] as const),
] as const;

/** Changes a user's facts and erases them. `forgetJobs` takes erased jobs out of the queue. */
export function createWrites(
  { run, keys, wait }: UserMemoryIo,
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
